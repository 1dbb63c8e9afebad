import Basics
import Database

/// Who wants to know that a group has changed: whoever tells browsers and phones of it.
///
/// Both are called inside the transaction that makes the change, so what they write (a job, a row
/// that somebody empties) is kept or undone with it. They must not wait for anybody.
public protocol GroupNews: Sendable {
  /// Members see something else than before, and `version` stands for it. A transaction may raise a
  /// version more than once. Never says what has changed, least of all a place.
  func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: Writer) throws
  /// Somebody isn't in a group any more, whether they left or were removed: what tells them of it
  /// has to stop at once.
  func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: Writer) throws
  /// Something stands in a group's log that the `others` in it may want to hear of wherever they
  /// are: who came or went, and what was called out.
  func logged(
    _ kind: GroupEventKind, by person: ID<Person>, in group: NamedGroup, to others: [ID<Person>],
    now: Instant, in writer: Writer) throws
}

/// A group as others are told of it.
public struct NamedGroup: Sendable {
  public let id: ID<Group>
  public let name: String
}

extension GroupEventKind {
  /// What members hear of wherever they are.
  static let heard: Set<GroupEventKind> = [
    .joined, .left, .removed, .gather, .move, .rest, .comeBack, .emergency, .onMyWay, .needHelp,
  ]
}

/// Nobody is told; pages show what is new when they are loaded.
public struct NoGroupNews: GroupNews {
  public init() {}

  public func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: Writer
  ) throws {
    // There is nobody to tell.
  }

  public func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: Writer
  ) throws {
    // There is nothing to stop.
  }

  public func logged(
    _ kind: GroupEventKind, by person: ID<Person>, in group: NamedGroup, to others: [ID<Person>],
    now: Instant, in writer: Writer
  ) throws {
    // There is nobody to tell.
  }
}
