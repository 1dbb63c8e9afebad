import Core
import Database

/// Type of the identifier of a conversation in this module; same ids as in Messages.
public enum ReportedConversation {}

/// A message as reporters and moderators see it.
public struct ReportedMessageCard: Sendable {
  public let couple: ID<Couple>?
  /// Name of the author's couple; "" without a couple.
  public let coupleName: String
  public let author: ID<Person>
  public let authorName: String
  /// The text that it had when it was last reported.
  public let content: String
  /// The texts that it had at earlier reports, and has now, without that one; empty for its
  /// reporter.
  public let otherTexts: [String]
  public let pictures: [ReportedPicture]
  public let voice: ReportedVoice?
  public let createdAt: Instant
  public let isEdited: Bool
  /// Whether the viewer can't report it: the viewer's own, or one that is gone.
  public let isOwn: Bool
  /// The messages around it, with itself, the oldest first; empty for its reporter.
  public let context: [ReportedMessageLine]

  public init(
    couple: ID<Couple>?, coupleName: String, author: ID<Person>, authorName: String,
    content: String, otherTexts: [String], pictures: [ReportedPicture], voice: ReportedVoice?,
    createdAt: Instant, isEdited: Bool, isOwn: Bool, context: [ReportedMessageLine]
  ) {
    self.couple = couple
    self.coupleName = coupleName
    self.author = author
    self.authorName = authorName
    self.content = content
    self.otherTexts = otherTexts
    self.pictures = pictures
    self.voice = voice
    self.createdAt = createdAt
    self.isEdited = isEdited
    self.isOwn = isOwn
    self.context = context
  }
}

/// The voice note of a reported message.
public struct ReportedVoice: Sendable {
  public let path: String
  /// Its length, in ms.
  public let milliseconds: Int

  public init(path: String, milliseconds: Int) {
    self.path = path
    self.milliseconds = milliseconds
  }
}

/// A message around a reported one.
public struct ReportedMessageLine: Sendable {
  public let authorName: String
  /// "" for a message without words, or one that is gone.
  public let text: String
  public let pictureCount: Int
  public let hasVoice: Bool
  public let createdAt: Instant
  /// Whether it is the reported one.
  public let isReported: Bool

  public init(
    authorName: String, text: String, pictureCount: Int, hasVoice: Bool, createdAt: Instant,
    isReported: Bool
  ) {
    self.authorName = authorName
    self.text = text
    self.pictureCount = pictureCount
    self.hasVoice = hasVoice
    self.createdAt = createdAt
    self.isReported = isReported
  }
}

/// Access to messages, implemented with Messages.
public protocol ReportableMessages: Sendable {
  /// A message of a conversation that this viewer sees. Throws 404 for all others.
  func seen(
    _ id: ID<ReportedMessage>, in conversation: ID<ReportedConversation>, by viewer: Viewer
  ) throws -> ReportedMessageCard
  /// A reported message with those around it; nil if it is gone.
  func card(_ id: ID<ReportedMessage>) throws -> ReportedMessageCard?
  /// Lets moderators see a message from now on.
  func noteReport(of id: ID<ReportedMessage>, now: Instant, in writer: WriteTransaction) throws
  /// Lets moderators see a message no longer: its only report was withdrawn.
  func forgetReport(of id: ID<ReportedMessage>, in writer: WriteTransaction) throws
  /// Changes the state of a message, together with `change`, in one transaction.
  func set(
    _ state: ReportTargetState, of id: ID<ReportedMessage>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws
}
