import Core
import Foundation

/// A webhook event of Resend (resend.com/docs, "Event Types"), as far as it is used.
public enum ResendEvent: Equatable, Sendable {
  /// A mail bounced, or its reader reported it as spam; the reason, for people.
  case bounced(ID<QueuedMail>, reason: String)
  /// Any other event, or one about a mail of another sender.
  case other(type: String)

  private struct Call: Decodable {
    let type: String
    let data: Content?
  }

  private struct Content: Decodable {
    let tags: Tags?
    let bounce: Bounce?
  }

  private struct Bounce: Decodable {
    let type: String?
    let subType: String?
    let message: String?
  }

  /// An object in webhooks, a list of names and values in requests: either is accepted.
  private struct Tags: Decodable {
    private struct Tag: Decodable {
      let name: String
      let value: String
    }

    let mail: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let named = try? container.decode([String: String].self) {
        mail = named[ResendSender.tag]
      } else {
        let list = try? container.decode([Tag].self)
        mail = list?.first { $0.name == ResendSender.tag }?.value
      }
    }
  }

  /// Parses the body of a webhook with a valid signature; nil if malformed.
  public init?(_ body: [UInt8]) {
    guard let call = try? JSONDecoder().decode(Call.self, from: Data(body)) else { return nil }
    guard let mail = call.data?.tags?.mail.flatMap({ ID<QueuedMail>($0) }),
      let reason = Self.reason(call.type, call.data?.bounce)
    else {
      self = .other(type: String(call.type.asOneLine.prefix(100)))
      return
    }
    self = .bounced(mail, reason: reason)
  }

  /// Nil unless the bounce is permanent.
  private static func reason(_ type: String, _ bounce: Bounce?) -> String? {
    switch type {
    case "email.complained": return "reported as spam"
    case "email.bounced":
      // A full mailbox, for example, may have space again.
      guard let bounce, let kind = bounce.type else { return "bounced" }
      guard kind.lowercased() == "permanent" else { return nil }
      return [bounce.subType, bounce.message].compactMap(\.self).joined(separator: ": ").asOneLine
    default: return nil
    }
  }
}
