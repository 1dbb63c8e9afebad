import Core
import Database

/// Who wants to know that a group has changed: whoever tells browsers and phones of it.
///
/// Both are called inside the transaction that makes the change, so what they write (a job, a row
/// that somebody empties) is kept or undone with it. They must not wait for anybody.
public protocol GroupObserver: Sendable {
  /// Members see something else than before, and `version` stands for it. A transaction may raise a
  /// version more than once. Never says what has changed, least of all a place.
  func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction) throws
  /// Somebody isn't in a group any more, whether they left or were removed: what tells them of it
  /// has to stop at once.
  func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction) throws
  /// Something stands in a group's log that the `others` in it may want to hear of wherever they
  /// are: who came, went or leads, the next stop, what was called out, and the end.
  func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction) throws
}

/// A group as others are told of it.
public struct GroupSummary: Sendable {
  public let id: ID<Group>
  public let name: String
}

/// A line of a group's log that members hear of wherever they are.
public struct GroupNoticeEvent: Sendable {
  public let kind: GroupEventKind
  /// The person who did it; nil where it isn't said, as with a new leader.
  public let actor: ID<Person>?
  /// The name of the next stop.
  public let note: String?
}

extension GroupEventKind {
  /// What members hear of wherever they are. The end of a group is told by who ends it.
  static let heard: Set<GroupEventKind> = [
    .joined, .left, .removed, .leads, .waypointActive, .gather, .move, .rest, .comeBack,
    .emergency, .onMyWay, .needHelp,
  ]
}

extension GroupWriter {
  /// Tells people of something in a group by its name.
  func tell(
    _ kind: GroupEventKind, by person: ID<Person>?, _ note: String? = nil, to people: [ID<Person>],
    in id: ID<Group>, now: Instant, _ writer: WriteTransaction
  ) throws {
    guard
      let name = try writer.first("SELECT name FROM groups WHERE id = ?", id, make: { $0.text(0) })
    else { return }
    try observer.logged(
      GroupNoticeEvent(kind: kind, actor: person, note: note), in: GroupSummary(id: id, name: name),
      to: people, now: now, in: writer)
  }

  /// All members but one.
  func others(
    than person: ID<Person>, in id: ID<Group>, _ writer: WriteTransaction
  ) throws -> [ID<Person>] {
    try writer.rows(
      "SELECT user_id FROM group_members WHERE group_id = ? AND user_id <> ?", id, person
    ) { try $0.id(0, Person.self) }
  }
}

/// Nobody is told; pages show what is new when they are loaded.
public struct NoGroupObserver: GroupObserver {
  public init() {}

  public func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction
  ) throws {
    // There is nobody to tell.
  }

  public func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    // There is nothing to stop.
  }

  public func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    // There is nobody to tell.
  }
}
