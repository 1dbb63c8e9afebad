import Core

/// A transport that delivers messages.
public protocol MailSender: Sendable {
  /// Sends one message to its recipient. `returnPath` is the address for bounces: the envelope's
  /// sender, if the transport has one. A second sending with the same Message-ID is the same mail.
  /// Throws `MailSendError`.
  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError)
  /// Deletes stored copies of mails that were sent before a moment.
  func purge(before moment: Instant) throws
}

extension MailSender {
  /// Most transports store nothing.
  public func purge(before moment: Instant) throws {}
}

/// The reason why a mail was not sent, classified by the reaction to it
/// (docs/developer/check-in-contacts.md#mail-sending).
public enum MailSendError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This recipient does not accept mail: final. The server's code and text.
  case refusedRecipient(code: Int, text: String)
  /// Try again later.
  case temporary(String)
  /// No server was reached, or it was not ready, independently of the mail: try again later, and
  /// report it to the operator if it lasts.
  case unreachable(String)
  /// The server rejects mail from this sender: try again later, and report it to the operator.
  case refusedUs(String)

  public var description: String {
    switch self {
    case .refusedRecipient(let code, let text): "recipient refused (\(code)): \(text)"
    case .temporary(let text), .unreachable(let text): text
    case .refusedUs(let text): "we were refused: \(text)"
    }
  }
}

extension MailSendError {
  /// The same error without the addresses that servers often repeat: it is stored in plain text.
  var withoutAddresses: MailSendError {
    switch self {
    case .refusedRecipient(let code, let text):
      .refusedRecipient(code: code, text: text.withoutAddresses)
    case .temporary(let text): .temporary(text.withoutAddresses)
    case .unreachable(let text): .unreachable(text.withoutAddresses)
    case .refusedUs(let text): .refusedUs(text.withoutAddresses)
    }
  }
}

extension String {
  /// The text with an ellipsis for each word that contains an @.
  var withoutAddresses: String {
    guard contains("@") else { return self }
    return split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.contains("@") ? "…" : String($0) }
      .joined(separator: " ")
  }
}
