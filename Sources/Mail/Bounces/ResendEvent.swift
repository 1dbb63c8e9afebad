import Core
import Foundation

/// What Resend calls us about (resend.com/docs, "Event Types"), as far as it is our business.
public enum ResendEvent: Equatable, Sendable {
  /// A mail of ours came back, or its reader called it spam: the reason, for people.
  case bounced(ID<QueuedMail>, reason: String)
  /// Anything else: other events, and mails that are none of ours.
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

  /// By name in calls, as a list of names and values in requests: either is read.
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

  /// Reads the body of a call whose signature was good; nil when it is none.
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

  /// Nil unless the mail came back for good.
  private static func reason(_ type: String, _ bounce: Bounce?) -> String? {
    switch type {
    case "email.complained": return "reported as spam"
    case "email.bounced":
      // A full box, say, may have room again.
      guard let bounce, let kind = bounce.type else { return "bounced" }
      guard kind.lowercased() == "permanent" else { return nil }
      return [bounce.subType, bounce.message].compactMap(\.self).joined(separator: ": ").asOneLine
    default: return nil
    }
  }
}
