import Core
import Database

/// Observes decisions that concern a user, for example to send notices.
public protocol ModerationObserver: Sendable {
  /// A report of the user, or something of theirs, was decided. Called inside the transaction of
  /// the decision; must not block.
  func notify(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: WriteTransaction)
    throws
}

/// An observer that does nothing; users find decisions in their settings.
public struct NoModerationObserver: ModerationObserver {
  public init() {}

  public func notify(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: WriteTransaction
  ) throws {}
}
