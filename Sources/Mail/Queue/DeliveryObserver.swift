import Core
import Database

/// An observer of mail deliveries: a feature that queued mails and stored their ids.
public protocol DeliveryObserver: Sendable {
  /// Called in the transaction that marks the mail, so that both are committed or neither; ids
  /// unknown to the observer are ignored. An error rolls back the mark, and the observer is called
  /// again later; the mail itself is not sent again for that.
  ///
  /// An attempt may be reported twice (a worker dies, two workers run after a lease has expired):
  /// the observer must be idempotent.
  func attempted(
    _ mail: ID<QueuedMail>, _ result: MailResult, now: Instant, in writer: WriteTransaction) throws

  /// Called before an attempt at a mail that is never given up: the moment before which it must not
  /// be sent, nil if it may be sent now.
  func heldUntil(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws
    -> Instant?
}

extension DeliveryObserver {
  public func heldUntil(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws
    -> Instant?
  {
    nil
  }
}

/// The result of one attempt to send a mail, or of the mail after it was sent.
public enum MailResult: Sendable {
  /// The next server has accepted it.
  case sent
  /// It will be tried again at that moment.
  case postponed(MailSendError, until: Instant)
  /// This recipient does not accept mail: final.
  case refused(MailSendError)
  /// Tried for 3 days in vain: final. Never the result of a mail that is never given up.
  case givenUp(MailSendError)
  /// Accepted, and bounced: final. The reason from the last server, on one line.
  case bounced(String)

  /// Every name under which results are counted.
  static let names = ["sent", "postponed", "refused", "given_up", "bounced"]

  /// Accepted, and given up by a server on the way without a rejection by the recipient: it may be
  /// sent again. The reason on one line.
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
