import Core
import Database

/// Notified of changes of groups, to update browsers and phones.
///
/// All methods are called within the transaction of the change, so what they write (a job, an
/// outbox row) is committed or rolled back with it. They must not block.
public protocol GroupObserver: Sendable {
  /// The content visible to members has changed to `version`. A transaction may increase a version
  /// more than once. The call never contains what has changed, least of all a location.
  func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction) throws
  /// A user is no longer a member, because they left or were removed: their updates must stop at
  /// once.
  func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction) throws
  /// A log entry was added that the `others` may want to be notified of wherever they are: members
  /// joining, leaving or leading, the next stop, calls, and the end.
  func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction) throws
}

/// A group as named in notices.
public struct GroupSummary: Sendable {
  public let id: ID<Group>
  public let name: String
}

/// A log entry that members are notified of.
public struct GroupNoticeEvent: Sendable {
  public let kind: GroupEventKind
  /// The user who did it; nil if not named, as with a new leader, and for the operator.
  public let actor: ID<Person>?
  /// The name of the next stop.
  public let note: String?
}

extension GroupEventKind {
  /// The kinds that members are notified of. The end of a group is sent separately by `close`.
  static let notifiedKinds: Set<GroupEventKind> = [
    .joined, .left, .removed, .leads, .waypointActive, .gather, .move, .rest, .comeBack,
    .emergency, .onMyWay, .needHelp, .isOK,
  ]
}

extension GroupWriter {
  /// Notifies users of an event in a group, with the group's name.
  func notify(
    _ kind: GroupEventKind, by person: ID<Person>?, _ note: String? = nil, to people: [ID<Person>],
    in id: ID<Group>, now: Instant, _ writer: WriteTransaction
  ) throws {
    guard
      let name = try writer.value("SELECT name FROM groups WHERE id = \(id)", as: String.self)
    else { return }
    try observer.logged(
      GroupNoticeEvent(kind: kind, actor: person, note: note), in: GroupSummary(id: id, name: name),
      to: people, now: now, in: writer)
  }

  /// All members except one.
  func others(
    than person: ID<Person>, in id: ID<Group>, _ writer: WriteTransaction
  ) throws -> [ID<Person>] {
    try writer.values(
      """
      SELECT user_id FROM group_members WHERE group_id = \(id) AND user_id <> \(person)
      """, as: ID<Person>.self)
  }
}

/// An observer that does nothing; pages show changes when they are loaded.
public struct NoGroupObserver: GroupObserver {
  public init() {}

  public func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction
  ) throws {
    // No observer.
  }

  public func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    // No streams to end.
  }

  public func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    // No observer.
  }
}
