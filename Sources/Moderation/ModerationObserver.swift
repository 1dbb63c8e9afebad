import Core
import Database

/// Who wants to know that a moderator's decision concerns somebody: whoever tells people.
public protocol ModerationObserver: Sendable {
  /// Somebody's report was decided, or something of theirs was. Called inside the transaction of
  /// the decision; it must not wait for anybody.
  func told(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: WriteTransaction)
    throws
}

/// Nobody is told; people find it in their settings.
public struct NoModerationObserver: ModerationObserver {
  public init() {}

  public func told(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: WriteTransaction
  ) throws {}
}
