import Core
import Database
import Web

/// A message that a member reports, or a moderator looks at.
public struct ReportedMessageContent: Sendable {
  /// A message around the reported one.
  public struct Line: Sendable {
    public let authorName: String
    /// "" for a message that is gone.
    public let text: String
    public let pictureCount: Int
    public let hasVoice: Bool
    public let createdAt: Instant
    /// Whether it is the reported message itself.
    public let isReported: Bool
  }

  /// A picture of the reported message: URLs and alternative text.
  public struct Picture: Sendable {
    public let medium: String
    public let thumb: String
    public let description: String
    public let width: Int
    public let height: Int
  }

  /// The voice note of the reported message.
  public struct Voice: Sendable {
    public let path: String
    public let milliseconds: Int
  }

  public let author: ID<Person>
  public let authorName: String
  /// The couple that the author wrote for, and its name; nil after it is gone.
  public let couple: ID<Couple>?
  public let coupleName: String
  /// The text that it had when it was last reported.
  public let text: String
  /// The texts that it had at earlier reports, and has now, without that one; for moderators only.
  public let otherTexts: [String]
  public let pictures: [Picture]
  public let voice: Voice?
  public let createdAt: Instant
  public let isEdited: Bool
  /// The messages around it, with itself, the oldest first; for moderators only.
  public let context: [Line]
}

/// The state of a message that moderators decide.
public enum MessageState: Sendable {
  case shown
  case hidden
  case removed
}

/// Access to reported messages for moderators (docs/developer/messages.md#reports): the reported
/// message and five before and after it, and nothing else of a conversation.
public struct MessageModeration: Sendable {
  let services: MessagesEnvironment

  private var store: MessageReportStore { MessageReportStore(messages: services.messages) }
  private var database: Database { services.site.database }

  /// A message visible to this viewer, for reporting it. Throws 404 for all others.
  public func seen(
    _ id: ID<Message>, in conversation: ID<Conversation>, by viewer: Viewer
  ) throws -> (content: ReportedMessageContent, mayReport: Bool) {
    let message = try MessageService(services: services).message(
      id, in: conversation, for: viewer)
    guard message.trace == nil,
      let content = try database.read({ try store.content(id, around: 0, in: $0) })
    else { throw Problem.notFound }
    return (content, message.mayReport)
  }

  /// A reported message, deleted, hidden and removed ones included, with those around it; nil if it
  /// was not reported or is gone.
  public func card(_ id: ID<Message>) throws -> ReportedMessageContent? {
    try database.read { reader in
      guard try store.isReported(id, in: reader) else { return nil }
      return try store.content(id, around: MessageRules.contextSize, in: reader)
    }
  }

  /// Marks a message as reported: moderators may see it from now on, with the text that it has now.
  public func noteReport(of id: ID<Message>, now: Instant, in writer: WriteTransaction) throws {
    try store.noteReport(of: id, now: now, in: writer)
  }

  /// Marks a message as not reported: moderators may not see it any more.
  public func forgetReport(of id: ID<Message>, in writer: WriteTransaction) throws {
    try store.forgetReport(of: id, in: writer)
  }

  /// Changes the state of a message, together with `change`, in one transaction.
  public func set(
    _ state: MessageState, of id: ID<Message>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try database.write { writer in
      try change(writer)
      guard let conversation = try store.set(state, of: id, now: now, in: writer) else { return }
      let version = try services.conversations.step(conversation, in: writer)
      try services.messages.setVersion(version, of: id, in: writer)
      try MessageChannels.changed(conversation, to: version, now: now, in: writer)
    }
  }
}
