import Core
import Web

/// A message as a member of its conversation sees it.
public struct Message: Sendable {
  /// The reason why a message has no words.
  public enum Trace: String, Sendable, CaseIterable {
    /// Deleted by its author for all.
    case deleted
    /// Removed by moderators.
    case removed
  }

  /// A message that another one answers.
  public struct Quote: Sendable {
    public let id: ID<Message>
    public let number: Int
    public let authorName: String
    /// The beginning of the text, on one line; "" without words, or for a deleted message.
    public let text: String
    public let pictureCount: Int
    public let hasVoice: Bool
    public let isGone: Bool
  }

  public let id: ID<Message>
  public let conversation: ID<Conversation>
  /// The place in the conversation: later messages have higher numbers, with gaps.
  public let number: Int
  /// The version of the conversation with the last change of this message.
  public let version: Int
  public let author: ID<Person>
  public let avatar: Viewer.Avatar
  /// Whether the viewer is the author.
  public let isOwn: Bool
  /// "" without words, or with a trace.
  public let text: String
  public let trace: Trace?
  /// Hidden by moderators for the time being: only its author sees it.
  public let isHidden: Bool
  public let quote: Quote?
  /// Whether it answers a moment of the other couple or of the partner.
  public let answersMoment: Bool
  public let pictures: [MessagePicture]
  /// Nil without a voice note.
  public let voice: MessageVoice?
  public let reactions: [MessageReaction]
  public let createdAt: Instant
  public let editedAt: Instant?
  /// The identifier that the sender chose; known to the author only.
  public let clientID: String?

  /// Whether the viewer may change the text at a moment.
  public func mayEdit(now: Instant) -> Bool {
    isOwn && trace == nil && now.seconds(since: createdAt) < MessageRules.editPeriod
  }

  /// Whether the viewer may delete it for all at a moment.
  public func mayDelete(now: Instant) -> Bool {
    isOwn && trace == nil && now.seconds(since: createdAt) < MessageRules.deletePeriod
  }

  /// Whether the viewer may report it.
  public var mayReport: Bool { !isOwn && trace == nil }
}

/// The voice note of a message. Its identifier is the UUID in the file name.
public struct MessageVoice: Sendable {
  public let id: ID<MessageVoice>
  /// Its length, in ms.
  public let milliseconds: Int
}

/// A picture of a message. Its identifier is the UUID in the file names.
public struct MessagePicture: Sendable {
  public let id: ID<MessagePicture>
  public let fileExtension: String
  /// Width of the original, in px.
  public let width: Int
  public let height: Int
  public let hasWebP: Bool
  public let description: String
}

/// The reaction of one user.
public struct MessageReaction: Sendable {
  public let kind: ReactionKind
  public let person: ID<Person>
  public let name: String
  public let isOwn: Bool
}

/// The six reactions.
public enum ReactionKind: String, Sendable, CaseIterable {
  case heart
  case laugh
  case surprise
  case sad
  case thumbsUp = "thumbs_up"
  case thanks

  /// The character that stands for it.
  public var emoji: String {
    switch self {
    case .heart: "❤️"
    case .laugh: "😂"
    case .surprise: "😮"
    case .sad: "😢"
    case .thumbsUp: "👍"
    case .thanks: "🙏"
    }
  }
}

/// The part of a conversation to show.
public enum MessageWindow: Sendable {
  case latest
  /// The messages before a number.
  case before(Int)
  /// The messages from a number on.
  case from(Int)
  /// The messages from a moment on, for example the beginning of a day.
  case since(Instant)
}

/// A part of a conversation.
public struct MessagePage: Sendable {
  /// The oldest first.
  public let messages: [Message]
  /// For `MessageWindow.before`: the earlier messages; nil if there are none.
  public let earlier: Int?
  /// For `MessageWindow.from`: the later messages; nil for the latest ones.
  public let later: Int?
  public let reads: [ReadMark]
}

/// The messages that another member has read. There is none if either has turned read marks off.
public struct ReadMark: Sendable {
  public let person: ID<Person>
  public let avatar: Viewer.Avatar
  /// The number of the last message that was read; 0 for none.
  public let number: Int
}

/// The changes in a conversation since a version.
public struct MessageChanges: Sendable {
  /// New and changed messages by their versions, at most `MessageRules.pageSize`.
  public let messages: [Message]
  /// The version up to which these are all changes.
  public let version: Int
  /// Whether there are more changes, to be asked for with `version`.
  public let hasMore: Bool
  public let reads: [ReadMark]
  /// The names of the other members, without those of deleted accounts.
  public let people: [String]
  /// The names of those of them who are writing now.
  public let writing: [String]
}

/// A message to send.
public struct NewMessage: Sendable {
  /// The sender's own identifier: a message with the same one is stored once.
  public let clientID: String
  public let text: String
  public let quoted: ID<Message>?
  /// Uploaded files with their descriptions.
  public let pictures: [NewMessagePicture]
  public let voice: NewMessageVoice?
  /// Whether the files were together too large, so that they were dropped.
  public let isTooMuchTogether: Bool
  /// Whether it answers a moment.
  public let answersMoment: Bool

  public init(
    clientID: String, text: String, quoted: ID<Message>? = nil,
    pictures: [NewMessagePicture] = [], voice: NewMessageVoice? = nil,
    isTooMuchTogether: Bool = false, answersMoment: Bool = false
  ) {
    self.clientID = clientID
    self.text = text
    self.quoted = quoted
    self.pictures = pictures
    self.voice = voice
    self.isTooMuchTogether = isTooMuchTogether
    self.answersMoment = answersMoment
  }
}

/// An uploaded picture of a new message.
public struct NewMessagePicture: Sendable {
  public let path: String
  public let description: String
  /// Whether the upload was over the limit of one file.
  public let isTooLarge: Bool

  public init(path: String, description: String, isTooLarge: Bool) {
    self.path = path
    self.description = description
    self.isTooLarge = isTooLarge
  }
}

/// An uploaded voice note of a new message.
public struct NewMessageVoice: Sendable {
  public let path: String
  /// Whether the upload was over the limit of one file.
  public let isTooLarge: Bool

  public init(path: String, isTooLarge: Bool) {
    self.path = path
    self.isTooLarge = isTooLarge
  }
}

/// A message that was found, with its conversation.
public struct MessageHit: Sendable {
  public let message: Message
  public let conversation: Conversation
}

/// The result of a search.
public struct MessageSearchResult: Sendable {
  /// The newest first.
  public let hits: [MessageHit]
  /// For older messages of one conversation; nil at the end, and in a search of all.
  public let next: Int?
}
