import Core
import Database

/// Somebody who wants to know what became of a mail: a feature that queued it and noted its id.
public protocol DeliveryObserver: Sendable {
  /// Told in the transaction that marks the mail, so that both are kept or neither is; a mail whose
  /// id the observer does not know is none of its business. What it throws undoes the mark, and it
  /// is told again later; the mail itself is not sent again for that.
  ///
  /// An attempt may be told twice (a worker that dies, two workers after a lease ran out): what is
  /// noted must bear that.
  func attempted(
    _ mail: ID<QueuedMail>, _ result: MailResult, now: Instant, in writer: WriteTransaction) throws

  /// Asked before an attempt at a mail that is never given up: the moment before which it must not
  /// go out after all, nil when it may.
  func holds(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws -> Instant?
}

extension DeliveryObserver {
  public func holds(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws
    -> Instant?
  {
    nil
  }
}

/// What became of one attempt to send a mail, or of the mail after it was sent.
public enum MailResult: Sendable {
  /// The next server has taken it.
  case sent
  /// Tried again at that moment.
  case postponed(MailSendError, until: Instant)
  /// This recipient does not get mail: over.
  case refused(MailSendError)
  /// Tried for 3 days in vain: over. Never said of a mail that is never given up.
  case givenUp(MailSendError)
  /// It was taken, and came back: over. The reason as the last server gave it, on one line.
  case bounced(String)

  /// Every name under which results are counted.
  static let names = ["sent", "postponed", "refused", "given_up", "bounced"]

  /// It was taken, and somebody on its way gave it up without the recipient having refused it: it
  /// may be sent anew. The reason on one line.
  case lost(String)

  /// The name under which results are counted.
  var name: String {
    switch self {
    case .sent: "sent"
    case .postponed: "postponed"
    case .refused: "refused"
    case .givenUp: "given_up"
    case .bounced, .lost: "bounced"
    }
  }
}
