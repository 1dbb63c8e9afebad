import Core
import Foundation
import HTTPClient

/// Sends mail through Resend's HTTP API (resend.com/docs, "Send Email").
///
/// Each mail carries its id as `Idempotency-Key`, so that a second attempt within a day sends
/// nothing twice, and as a tag, so that a webhook identifies it: Resend replaces Message-IDs and
/// return paths.
public struct ResendSender: MailSender {
  /// The name of the tag that holds the mail's id.
  static let tag = "mail"
  /// The public API.
  public static let standardURL = "https://api.resend.com"

  private let key: String
  private let url: String
  private let client: HTTPClient

  /// `url` is the address of the API, without `/emails`.
  public init(key: String, url: String = standardURL, client: HTTPClient = HTTPClient()) {
    self.key = key
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.client = client
  }

  public func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) {
    let id = String(message.messageID.prefix { $0 != "@" })
    guard let body = try? ResendMail(message, id: id).encoded() else {
      throw .temporary("the mail can't be written as JSON")
    }
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try client.send(
        HTTPCall(
          "POST", "\(url)/emails",
          headers: [
            ("Authorization", "Bearer \(key)"), ("Content-Type", "application/json"),
            ("Idempotency-Key", id),
          ], body: body))
    } catch {
      throw ResendVerdict.failure(error)
    }
    if let failure = ResendVerdict.failure(answer) { throw failure }
  }
}

/// A mail in the API's format. It is encoded identically each time: the API accepts only one body
/// under a key.
struct ResendMail: Encodable {
  private struct Tag: Encodable {
    let name: String
    let value: String
  }

  private let from: String
  private let to: [String]
  private let subject: String
  private let text: String
  private let html: String
  private let headers: [String: String]
  private let tags: [Tag]

  init(_ message: MailMessage, id: String) {
    from = Self.mailbox(message.fromName, message.from)
    to = [message.to.description]
    subject = message.subject.asOneLine
    text = message.text
    html = message.html
    var headers = [
      "Auto-Submitted": "auto-generated", "Content-Language": message.language.rawValue,
    ]
    for header in message.headers where !header.plainName.isEmpty {
      headers[header.plainName] = header.value.asOneLine
    }
    self.headers = headers
    tags = [Tag(name: ResendSender.tag, value: id)]
  }

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  /// "Name <address>", the name in quotes if it contains special characters.
  private static func mailbox(_ name: String, _ address: MailAddress) -> String {
    let name = name.asOneLine
    if name.isEmpty { return address.description }
    guard name.contains(where: "()<>[]:;@\\,.\"".contains) else { return "\(name) <\(address)>" }
    let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\" <\(address)>"
  }
}

/// The meaning of an API response (resend.com/docs, "Errors";
/// docs/developer/check-in-contacts.md#mail-sending).
enum ResendVerdict {
  /// The parts of an error that are read.
  private struct Complaint: Decodable {
    let name: String?
    let message: String?
  }

  /// Nil if the mail was accepted.
  static func failure(_ answer: HTTPAnswer) -> MailSendError? {
    if 200..<300 ~= answer.status { return nil }
    let errorMessage = try? JSONDecoder().decode(Complaint.self, from: Data(answer.body))
    let text = [errorMessage?.name, errorMessage?.message].compactMap(\.self)
      .joined(separator: ": ").asOneLine
    let message = text.isEmpty ? "\(answer.status)" : "\(answer.status) \(text)"
    switch answer.status {
    // Only an error about the recipient is specific to this mail.
    case 400, 422:
      return isAboutRecipient(text)
        ? .refusedRecipient(code: answer.status, text: text) : .refusedUs(message)
    // The same mail is being sent (409), or the rate limit is reached: temporary.
    case 408, 409, 425, 429: return .temporary(message)
    case 400..<500: return .refusedUs(message)
    default: return .temporary(message)
    }
  }

  static func failure(_ failure: HTTPClientError) -> MailSendError {
    switch failure {
    case .untrusted, .unusable: .refusedUs(failure.description)
    case .unreachable: .unreachable(failure.description)
    case .tooLong: .temporary(failure.description)
    }
  }

  /// "Invalid `to` field. …" in one kind of quotes or another.
  private static func isAboutRecipient(_ text: String) -> Bool {
    ["`to`", "'to'", "\"to\""].contains { text.contains($0) }
  }
}
