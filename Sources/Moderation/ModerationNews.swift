import Basics
import Database

/// Who wants to know that a moderator's decision concerns somebody: whoever tells people.
public protocol ModerationNews: Sendable {
  /// Somebody's report was decided, or something of theirs was. Called inside the transaction of
  /// the decision; it must not wait for anybody.
  func told(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: Writer) throws
}

/// Nobody is told; people find it in their settings.
public struct NoModerationNews: ModerationNews {
  public init() {}

  public func told(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: Writer
  ) throws {}
}
