import Core
import Foundation

/// A message that came to one of our return addresses, and what it says about the mail that it is
/// about (RFC 3464, "Delivery Status Notifications").
public struct BounceMessage {
  /// The most bytes that are read of one.
  public static let mostBytes = 1 << 20
  private static let mostNesting = 5
  private static let mostReason = 300

  /// What follows for the mail.
  public enum Verdict: Equatable, Sendable {
    /// It will not be delivered: the reason, for people.
    case failed(reason: String)
    /// It was given up on its way, after days of waiting or since a server takes nothing from us:
    /// the recipient may well exist.
    case lost(reason: String)
    /// Nothing follows; why, for the operator.
    case ignored(String)
  }

  /// Why something is no message at all.
  public enum Problem: Error, CustomStringConvertible {
    case tooLong
    case noMessage

    public var description: String {
      switch self {
      case .tooLong: "longer than \(BounceMessage.mostBytes) bytes"
      case .noMessage: "not a message: it has no header"
      }
    }
  }

  private let whole: MIMEPart

  /// Reads a message as a mail server hands it over. Throws `Problem`.
  public init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.mostBytes else { throw .tooLong }
    // A line of the mbox form, which some servers put in front.
    let hasMark = bytes.starts(with: Array("From ".utf8))
    let start = hasMark ? bytes.firstIndex(of: 0x0A).map { $0 + 1 } : 0
    whole = MIMEPart(bytes[(start ?? bytes.endIndex)...])
    guard !whole.headers.isEmpty else { throw .noMessage }
  }

  /// The addresses to which it was delivered, the surest first.
  public var recipients: [String] {
    let names = [
      "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "original-recipient",
      "x-forwarded-to", "to",
    ]
    return names.flatMap(whole.values).flatMap(Self.addresses)
  }

  /// Failed is only what a server says to have failed for good: `Action: failed` with a status of
  /// class 5, or such a status in the words of a server that says it in words alone.
  public var verdict: Verdict {
    var texts: [String] = []
    var reports: [MIMEPart] = []
    Self.collect(whole, depth: 0, reports: &reports, texts: &texts)
    if !reports.isEmpty {
      let recipients = reports.flatMap(Self.recipients)
      for status in recipients where status.isFailure {
        return .failed(reason: String(status.reason.prefix(Self.mostReason)))
      }
      for status in recipients where status.isLoss {
        return .lost(reason: String(status.reason.prefix(Self.mostReason)))
      }
      guard let first = recipients.first else { return .ignored("a report about nobody") }
      return .ignored("no failure for good: \(first.summary)")
    }
    guard isFromServer else { return .ignored("a message from a person, not from a mail server") }
    for text in texts {
      if let line = Self.failureLine(of: text) {
        return .failed(reason: String(line.prefix(Self.mostReason)))
      }
    }
    return .ignored("no delivery status, and no status code in its words")
  }

  // MARK: Reports

  /// What a report says about one recipient.
  private struct RecipientStatus {
    let action: String
    let status: String
    let diagnostic: String

    var isFailure: Bool {
      action == "failed" && status.hasPrefix("5.") && !status.hasPrefix("5.7.")
    }

    /// Failed means that nobody tries any more, whatever class the last try was of (RFC 3464,
    /// section 2.3.3); 5.7 is about us (docs/developer/check-in-contacts.md#mail-sending).
    var isLoss: Bool {
      action == "failed" && ["4.", "5.7."].contains { status.hasPrefix($0) }
    }

    var reason: String {
      // "smtp; 550 5.1.1 …": what the server said stands behind the semicolon.
      let said = diagnostic.split(separator: ";", maxSplits: 1).last.map(\.asTrimmed) ?? ""
      return said.isEmpty ? status : said.contains(status) ? said : "\(status) \(said)"
    }

    var summary: String {
      String("action “\(action.prefix(20))”, status “\(status.prefix(20))”".asOneLine)
    }
  }

  /// Reports and plain words among the parts; what is quoted (message/rfc822) is another message.
  private static func collect(
    _ part: MIMEPart, depth: Int, reports: inout [MIMEPart], texts: inout [String]
  ) {
    switch part.type {
    case "message/delivery-status", "message/global-delivery-status": reports.append(part)
    case "text/plain": texts.append(part.text)
    default:
      guard depth < mostNesting else { return }
      for inner in part.parts {
        collect(inner, depth: depth + 1, reports: &reports, texts: &texts)
      }
    }
  }

  /// The groups of fields of a report (RFC 3464, section 2.1): one about the message, then one a
  /// recipient.
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

  // MARK: Words

  /// Whether a mail server wrote it: no return path, or the name that such servers have.
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
        // Digits and dots make a code; everything else ends one.
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
