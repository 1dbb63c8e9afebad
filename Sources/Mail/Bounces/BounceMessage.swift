import Core
import Foundation

/// A message received at a return address, and its statement about the returned mail (RFC 3464,
/// "Delivery Status Notifications").
public struct BounceMessage {
  /// The maximum size that is read, in bytes.
  public static let maximumBytes = 1 << 20
  private static let maximumNesting = 5
  private static let maximumReasonLength = 300

  /// The consequence for the mail.
  public enum Verdict: Equatable, Sendable {
    /// The mail will not be delivered; the reason, for people.
    case failed(reason: String)
    /// A server on the way gave up, after days of waiting or because another server rejects the
    /// sender: the recipient may well exist.
    case lost(reason: String)
    /// No consequence; the reason, for the operator.
    case ignored(String)
  }

  /// The reason why the input is not a message.
  public enum Problem: Error, CustomStringConvertible {
    case tooLong
    case noMessage

    public var description: String {
      switch self {
      case .tooLong: "longer than \(BounceMessage.maximumBytes) bytes"
      case .noMessage: "not a message: it has no header"
      }
    }
  }

  private let whole: MIMEPart

  /// Parses a message as a mail server passes it on. Throws `Problem`.
  public init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.maximumBytes else { throw .tooLong }
    // A line of the mbox format, which some servers prepend.
    let hasMark = bytes.starts(with: Array("From ".utf8))
    let start = hasMark ? bytes.firstIndex(of: 0x0A).map { $0 + 1 } : 0
    whole = MIMEPart(bytes[(start ?? bytes.endIndex)...])
    guard !whole.headers.isEmpty else { throw .noMessage }
  }

  /// The addresses to which it was delivered, the most reliable first.
  public var recipients: [String] {
    let names = [
      "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "original-recipient",
      "x-forwarded-to", "to",
    ]
    return names.flatMap(whole.values).flatMap(Self.addresses)
  }

  /// The verdict. Failed is only a permanent failure: `Action: failed` with a status of class 5, or
  /// such a status in the text of a server that reports by text alone.
  public var verdict: Verdict {
    var texts: [String] = []
    var reports: [MIMEPart] = []
    Self.collect(whole, depth: 0, reports: &reports, texts: &texts)
    if !reports.isEmpty {
      let recipients = reports.flatMap(Self.recipients)
      for status in recipients where status.isFailure {
        return .failed(reason: String(status.reason.prefix(Self.maximumReasonLength)))
      }
      for status in recipients where status.isLoss {
        return .lost(reason: String(status.reason.prefix(Self.maximumReasonLength)))
      }
      guard let first = recipients.first else { return .ignored("a report without recipients") }
      return .ignored("not a permanent failure: \(first.summary)")
    }
    guard isFromServer else { return .ignored("a message from a person, not from a mail server") }
    for text in texts {
      if let line = Self.failureLine(of: text) {
        return .failed(reason: String(line.prefix(Self.maximumReasonLength)))
      }
    }
    return .ignored("no delivery status, and no status code in its text")
  }

  // MARK: Reports

  /// The report about one recipient.
  private struct RecipientStatus {
    let action: String
    let status: String
    let diagnostic: String

    var isFailure: Bool {
      action == "failed" && status.hasPrefix("5.") && !status.hasPrefix("5.7.")
    }

    /// Failed means that no server tries any more, whichever class the last attempt had (RFC 3464,
    /// section 2.3.3); 5.7 is about the sender (docs/developer/check-in-contacts.md#mail-sending).
    var isLoss: Bool {
      action == "failed" && ["4.", "5.7."].contains { status.hasPrefix($0) }
    }

    var reason: String {
      // "smtp; 550 5.1.1 …": the server's reply follows the semicolon.
      let message = diagnostic.split(separator: ";", maxSplits: 1).last.map(\.asTrimmed) ?? ""
      return message.isEmpty ? status : message.contains(status) ? message : "\(status) \(message)"
    }

    var summary: String {
      String("action “\(action.prefix(20))”, status “\(status.prefix(20))”".asOneLine)
    }
  }

  /// Collects reports and plain texts of the parts; a quoted mail (message/rfc822) is skipped.
  private static func collect(
    _ part: MIMEPart, depth: Int, reports: inout [MIMEPart], texts: inout [String]
  ) {
    switch part.type {
    case "message/delivery-status", "message/global-delivery-status": reports.append(part)
    case "text/plain": texts.append(part.text)
    default:
      guard depth < maximumNesting else { return }
      for inner in part.parts {
        collect(inner, depth: depth + 1, reports: &reports, texts: &texts)
      }
    }
  }

  /// The field groups of a report (RFC 3464, section 2.1): the first is about the message, each
  /// other one about a recipient.
  private static func recipients(of report: MIMEPart) -> [RecipientStatus] {
    var found: [RecipientStatus] = []
    var group: [UInt8] = []
    func close() {
      let part = MIMEPart(group[...])
      group = []
      guard let action = part.values("action").first else { return }
      // "5.1.1 (bad mailbox)": comments are allowed.
      let status = part.values("status").first?.prefix { $0 != " " && $0 != "(" } ?? ""
      found.append(
        RecipientStatus(
          action: action.prefix { $0 != " " && $0 != "(" }.lowercased(), status: String(status),
          diagnostic: part.values("diagnostic-code").first ?? ""))
    }
    for line in report.text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.allSatisfy({ $0 == 0x0D || $0 == 0x20 || $0 == 0x09 }) {
        close()
      } else {
        group += line
        group.append(0x0A)
      }
    }
    close()
    return found
  }

  // MARK: Texts

  /// Whether a mail server wrote it: an empty return path, or a server's usual sender name.
  private var isFromServer: Bool {
    if whole.values("return-path").contains("<>") { return true }
    return whole.values("from").flatMap(Self.addresses).contains { address in
      ["mailer-daemon", "postmaster"].contains(address.prefix { $0 != "@" }.lowercased())
    }
  }

  /// The line with the first status code of class 5 (RFC 3463): "550 5.1.1 No such user".
  private static func failureLine(of text: String) -> String? {
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let words = line.split { byte in
        // A code consists of digits and dots; all other bytes end it.
        !(0x30...0x39 ~= byte || byte == UInt8(ascii: "."))
      }
      guard words.contains(where: { isFailureCode(String(Substring($0))) }) else { continue }
      return String(Substring(line)).asOneLine
    }
    return nil
  }

  private static func isFailureCode(_ word: String) -> Bool {
    let parts = (word.hasSuffix(".") ? word.dropLast() : word[...])
      .split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "5"
      && parts.dropFirst().allSatisfy { 1...3 ~= $0.utf8.count }
  }

  /// Each address of a header, without names and brackets.
  private static func addresses(of value: String) -> [String] {
    value.split { $0 == "," || $0 == ";" || $0 == " " || $0 == "<" || $0 == ">" || $0 == "\"" }
      .filter { $0.contains("@") || !value.contains("@") }
      .prefix(20).map(String.init)
  }
}
