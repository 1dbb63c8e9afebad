import Core
import Database

/// A kind of notice about checking in that is sent to the user.
public enum CheckInNoticeKind: String, Sendable, CaseIterable {
  /// At the hour chosen by the user.
  case reminder
  /// In the evening before the contacts are notified.
  case warning
  /// An hour before the contacts are notified.
  case lastWarning = "last_warning"
  /// After an outage of the service.
  case outage
  /// A timer ends soon, or has ended.
  case timer
}

/// Sends the notices that are mailed to members by other channels, such as push notifications.
///
/// All methods are called within the transaction that records the event and must not block.
public protocol CheckInObserver: Sendable {
  func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction)
    throws
  /// The user has checked in; notices that only ask for a tap are no longer needed.
  func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws
  /// The user's timer has ended; its warnings are no longer needed.
  func timerEnded(_ person: ID<Person>, in writer: WriteTransaction) throws
  /// A user has made someone who has an account, their partner, a contact. `path` is the contact's
  /// page.
  func chosen(
    _ contact: ID<Person>, by person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction) throws
  /// The same user has removed the contact.
  func unchosen(_ contact: ID<Person>, by person: ID<Person>, in writer: WriteTransaction) throws
  /// An alert about a user was sent to a contact who has an account: the user's partner. `path` is
  /// the contact's page.
  func alerted(
    _ contact: ID<Person>, about person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction) throws
  /// The alerts about a user are over.
  func alertsEnded(_ person: ID<Person>, in writer: WriteTransaction) throws
  /// Whether such a notice would reach a user who receives no mail.
  func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool
}

/// An observer that does nothing: notices go by mail alone.
public struct NoCheckInObserver: CheckInObserver {
  public init() {}

  public func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction
  ) throws {}

  public func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws {}

  public func timerEnded(_ person: ID<Person>, in writer: WriteTransaction) throws {}

  public func chosen(
    _ contact: ID<Person>, by person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func unchosen(
    _ contact: ID<Person>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {}

  public func alerted(
    _ contact: ID<Person>, about person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func alertsEnded(_ person: ID<Person>, in writer: WriteTransaction) throws {}

  public func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool { false }
}
