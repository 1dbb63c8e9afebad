import Core
import Web

/// The way in which a viewer may answer a moment.
public enum MomentAnswerWay: Sendable {
  case open
  /// One message without links, until the other couple accepts it.
  case request
  case none
}

/// An answer to a moment.
public struct MomentAnswer: Sendable {
  /// The couple of the moment.
  public let couple: ID<Couple>
  /// The identifier that makes a repeated sending one message.
  public let clientID: String
  public let text: String
}

/// The message that an answer became.
public struct SentMomentAnswer: Sendable {
  /// The phantom type of the identifier of a conversation; same ids as in Messages.
  public enum Conversation {}
  /// The phantom type of the identifier of a message; same ids as in Messages.
  public enum Message {}

  public let conversation: ID<Conversation>
  public let message: ID<Message>
  /// The path of the conversation.
  public let path: String

  public init(conversation: ID<Conversation>, message: ID<Message>, path: String) {
    self.conversation = conversation
    self.message = message
    self.path = path
  }
}

/// The messages of the viewer, implemented with Messages.
public protocol MomentAnswers: Sendable {
  /// The way in which the viewer may write to a couple, the own one included.
  func way(to couple: ID<Couple>, for viewer: Viewer) throws -> MomentAnswerWay
  /// Sends the answer as a message. Throws a `Problem` with an error of `text`, or 403, 404 and 409
  /// like a message.
  func send(_ answer: MomentAnswer, by viewer: Viewer, now: Instant) throws -> SentMomentAnswer
}
