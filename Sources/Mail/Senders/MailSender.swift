import Core

/// Hands a message to whoever delivers it.
public protocol MailSender: Sendable {
  /// Sends one message to the person that it names. `returnPath` is where it comes back to when it
  /// can't be delivered: the sender of the envelope, where there is one. A second sending under the
  /// same Message-ID is the same mail. Throws `MailSendError`.
  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError)
  /// Removes what it keeps of mails that were sent before a moment.
  func purge(before moment: Instant) throws
}

extension MailSender {
  /// Most keep nothing.
  public func purge(before moment: Instant) throws {}
}

/// Why a mail did not go out, told apart by what to do about it
/// (docs/developer/check-in-contacts.md#mail-sending).
public enum MailSendError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This recipient does not get mail: never again. The server's code, and what it said.
  case refusedRecipient(code: Int, text: String)
  /// Try again later.
  case temporary(String)
  /// No server was there, or it was in no state to talk to us, whatever the mail: try again later,
  /// and tell the operator when it lasts.
  case unreachable(String)
  /// The server does not take mail from us: try again later, and tell the operator.
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
  /// The same without the addresses that servers like to repeat: it is kept in plain text.
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
  /// With an ellipsis for each word that has an @.
  var withoutAddresses: String {
    guard contains("@") else { return self }
    return split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.contains("@") ? "…" : String($0) }
      .joined(separator: " ")
  }
}
