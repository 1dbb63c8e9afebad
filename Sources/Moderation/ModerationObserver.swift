import Core
import Database

/// A decision as the people concerned and the reporters are told of it.
public struct DecisionNotice: Sendable {
  public let kind: ModerationNotice.Kind
  /// Path of the page that shows it.
  public let path: String
  /// Identifies the decision, or the case while it is undecided: 16 bytes.
  public let subject: [UInt8]
  /// "post", "comment", "message", "moment", "couple" or "person".
  public let target: String
  /// The text of the post or comment; "" if there is none, and for a message or moment.
  public let text: String
  /// The most frequent reason of the reports; "" without reports.
  public let reason: String
}

/// Observes decisions that concern a user, for example to send notices.
public protocol ModerationObserver: Sendable {
  /// A report of the user, or something of theirs, was decided. Called inside the transaction of
  /// the decision; must not block.
  func notify(
    _ person: ID<Person>, _ notice: DecisionNotice, now: Instant, in writer: WriteTransaction)
    throws
  /// A decision was taken back. Called inside the transaction.
  func retract(_ subject: [UInt8], in writer: WriteTransaction) throws
}

/// An observer that does nothing; users find decisions in their settings.
public struct NoModerationObserver: ModerationObserver {
  public init() {}

  public func notify(
    _ person: ID<Person>, _ notice: DecisionNotice, now: Instant, in writer: WriteTransaction
  ) throws {}

  public func retract(_ subject: [UInt8], in writer: WriteTransaction) throws {}
}
