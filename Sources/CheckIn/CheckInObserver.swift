import Core
import Database

/// What somebody is told about checking in.
public enum CheckInNoticeKind: String, Sendable, CaseIterable {
  /// At the hour that they chose.
  case reminder
  /// In the evening before their contacts are told.
  case warning
  /// An hour before.
  case lastWarning = "last_warning"
  /// After an outage of ours.
  case outage
}

/// Who else tells people what is mailed to members: whoever reaches them in their browsers.
///
/// All are called inside the transaction of what they tell of, and must not wait for anybody.
public protocol CheckInObserver: Sendable {
  func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction)
    throws
  /// Somebody has checked in: words that only meant "tap now" need not be said any more.
  func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws
  /// Whether such a word would reach somebody to whom no mail goes.
  func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool
}

/// Mail alone.
public struct NoCheckInObserver: CheckInObserver {
  public init() {}

  public func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction
  ) throws {}

  public func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws {}

  public func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool { false }
}
