import Ccurl

/// The meaning of a failed sending (docs/developer/check-in-contacts.md#mail-sending).
enum SMTPVerdict {
  /// Only a rejection of the recipient with a status about the address (5.1.x) or the mailbox
  /// (5.2.x) is final. Errors that only an operator can fix have a case of their own; all others
  /// are retried.
  static func failure(
    _ result: CURLcode, reason: String, command: SMTPDialogue.Command?, reply: SMTPReply?
  ) -> MailSendError {
    if result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_USE_SSL_FAILED {
      return .refusedUs(reason)
    }
    guard let reply, result != CURLE_OPERATION_TIMEDOUT else { return .unreachable(reason) }
    let message = "\(reply.code) \(reply.text)"
    guard reply.code >= 400 else { return .temporary("\(reason) (\(message))") }
    // Before any command about the mail, an error concerns every mail.
    guard reply.code >= 500 else {
      return command == nil ? .unreachable(message) : .temporary(message)
    }

    switch (command, reply.status.map { Array($0.prefix(2)) }) {
    case (nil, _), (.mail, _), (_, [5, 7]): return .refusedUs(message)
    case (_, [5, 1]), (_, [5, 2]):
      return .refusedRecipient(code: reply.code, text: reply.text)
    default: return .temporary(message)
    }
  }
}
