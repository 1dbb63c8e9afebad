import Core
import Database

/// A new message that others are to be notified of.
public struct MessageNotice: Sendable {
  public let conversation: ID<Conversation>
  public let author: ID<Person>
  /// The couple that the author writes for.
  public let couple: ID<Couple>
  /// The partner, or the members of the other couple, without those who have muted the conversation
  /// at this moment.
  public let recipients: [ID<Person>]
  /// The recipients who are reading the conversation, and until when they get no push of it.
  public let reading: [ID<Person>: Instant]
  /// Whether it is a request of a couple that the recipients may decline.
  public let isRequest: Bool
  /// Path of the conversation.
  public let path: String
}

/// Observes messages, for example to send notices.
///
/// All methods run inside the transaction of the change, so their writes are committed or rolled
/// back with it. They must not block.
public protocol MessagesObserver: Sendable {
  func wrote(_ notice: MessageNotice, now: Instant, in writer: WriteTransaction) throws
  /// A user has no unread messages in a conversation any more.
  func hasRead(
    _ conversation: ID<Conversation>, by person: ID<Person>, in writer: WriteTransaction) throws
}

/// An observer that does nothing.
public struct NoMessagesObserver: MessagesObserver {
  public init() {}

  public func wrote(_ notice: MessageNotice, now: Instant, in writer: WriteTransaction) throws {}

  public func hasRead(
    _ conversation: ID<Conversation>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {}
}
