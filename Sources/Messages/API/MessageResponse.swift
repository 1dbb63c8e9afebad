import Core
import Images
import Web

/// A message in the API.
struct MessageResponse: JSONResponse {
  private let message: Message
  private let baseURL: String

  init(_ message: Message, _ context: Context) {
    self.message = message
    baseURL = context.site.baseURL
  }

  private var author: MessagePersonResponse {
    MessagePersonResponse(id: message.author, avatar: message.avatar, baseURL: baseURL)
  }

  private var pictures: [MessagePictureResponse] {
    message.pictures.map { MessagePictureResponse(picture: $0, message: message, baseURL: baseURL) }
  }

  private var voice: MessageVoiceResponse? {
    message.voice.map { MessageVoiceResponse(voice: $0, message: message, baseURL: baseURL) }
  }

  static let jsonName = "Message"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.message.id },
    JSONField("number", note: "Its place: later messages have higher numbers.", example: 12) {
      $0.message.number
    },
    JSONField("version", note: "Of its last change.", example: 14) { $0.message.version },
    JSONField("client_id", note: "Yours; null for others’ messages.", example: "a1") {
      $0.message.clientID
    },
    JSONField("author") { $0.author },
    JSONField("text", note: "Plain text.", example: "See you at six") { $0.message.text },
    JSONField("gone", note: "Why there is no text any more; null for others.") {
      $0.message.trace
    },
    JSONField("hidden", note: "Whether moderators hid it: only you see it.", example: false) {
      $0.message.isHidden
    },
    JSONField("quoted", note: "The message that it answers; null for none.") {
      $0.message.quote.map(MessageQuoteResponse.init)
    },
    JSONField("answers_moment", note: "Whether it answers a moment.", example: false) {
      $0.message.answersMoment
    },
    JSONField("pictures", note: "In order.") { $0.pictures },
    JSONField("voice", note: "Its voice note; null for none.") { $0.voice },
    JSONField("reactions") { $0.message.reactions.map(MessageReactionResponse.init) },
    JSONField("created_at") { $0.message.createdAt },
    JSONField("edited_at", note: "Null if it was not edited.") { $0.message.editedAt },
  ]
}

extension Message.Trace: JSONEnum {}

/// A user in a conversation.
struct MessagePersonResponse: JSONResponse {
  let id: ID<Person>
  let avatar: Viewer.Avatar
  let baseURL: String

  static let jsonName = "MessagePerson"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.avatar.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { person in
      person.avatar.avatar.map { person.baseURL + $0 }
    },
  ]
}

/// A quoted message.
struct MessageQuoteResponse: JSONResponse {
  let quote: Message.Quote

  init(_ quote: Message.Quote) { self.quote = quote }

  static let jsonName = "MessageQuote"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.quote.id },
    JSONField("number", example: 9) { $0.quote.number },
    JSONField("author_name", example: "Jun") { $0.quote.authorName },
    JSONField("text", note: "Its beginning.", example: "When do we meet?") { $0.quote.text },
    JSONField("picture_count", example: 0) { $0.quote.pictureCount },
    JSONField("has_voice", note: "Whether it has a voice note.", example: false) {
      $0.quote.hasVoice
    },
    JSONField("gone", note: "Whether it was deleted.", example: false) { $0.quote.isGone },
  ]
}

/// A picture of a message.
struct MessagePictureResponse: JSONResponse {
  let picture: MessagePicture
  let message: Message
  let baseURL: String

  private func url(_ variant: PictureVariant) -> String {
    baseURL + MessageLinks.file(picture, variant, of: message.id, in: message.conversation)
  }

  static let jsonName = "MessagePicture"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.picture.id },
    JSONField("url", note: "Full size. Requires the access token.") { $0.url(.original) },
    JSONField("medium_url", note: "At most 800 px wide.") { $0.url(.medium) },
    JSONField("thumbnail_url", note: "300 × 300 px, cropped.") { $0.url(.thumb) },
    JSONField("width", note: "In px, at full size.", example: 1600) { $0.picture.width },
    JSONField("height", example: 1200) { $0.picture.height },
    JSONField("description", note: "Alternative text.") { $0.picture.description },
  ]
}

/// The voice note of a message.
struct MessageVoiceResponse: JSONResponse {
  let voice: MessageVoice
  let message: Message
  let baseURL: String

  static let jsonName = "MessageVoice"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("url", note: "AAC in MP4. Requires the access token.") { note in
      note.baseURL
        + MessageLinks.file(note.voice, of: note.message.id, in: note.message.conversation)
    },
    JSONField("milliseconds", note: "Its length.", example: 4200) { $0.voice.milliseconds },
  ]
}

/// A reaction to a message.
struct MessageReactionResponse: JSONResponse {
  let reaction: MessageReaction

  init(_ reaction: MessageReaction) { self.reaction = reaction }

  static let jsonName = "MessageReaction"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("reaction") { $0.reaction.kind },
    JSONField("user_id") { $0.reaction.person },
    JSONField("display_name", example: "Mei") { $0.reaction.name },
  ]
}

/// The last message that another member has read.
struct ReadMarkResponse: JSONResponse {
  let mark: ReadMark

  init(_ mark: ReadMark) { self.mark = mark }

  static let jsonName = "ReadMark"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("user_id") { $0.mark.person },
    JSONField("display_name", example: "Jun") { $0.mark.avatar.name },
    JSONField("number", note: "Of the last message that was read; 0 for none.", example: 12) {
      $0.mark.number
    },
  ]
}

/// A page of messages.
struct MessagesResponse: JSONResponse {
  private let messages: [MessageResponse]
  private let state: Conversation.State
  private let people: [String]
  private let version: Int
  private let hasMore: Bool
  private let next: String?
  private let reads: [ReadMarkResponse]
  private let writing: [String]

  init(
    _ messages: [Message], of conversation: Conversation, next: String?, reads: [ReadMark],
    _ context: Context
  ) {
    self.messages = messages.map { MessageResponse($0, context) }
    state = conversation.state
    people = []
    version = conversation.version
    hasMore = false
    self.next = next
    self.reads = reads.map(ReadMarkResponse.init)
    writing = []
  }

  init(_ changes: MessageChanges, of conversation: Conversation, _ context: Context) {
    messages = changes.messages.map { MessageResponse($0, context) }
    state = conversation.state
    people = changes.people
    version = changes.version
    hasMore = changes.hasMore
    next = nil
    reads = changes.reads.map(ReadMarkResponse.init)
    writing = changes.writing
  }

  static let jsonName = "Messages"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("messages") { $0.messages },
    JSONField("state", note: "Of the conversation now; it changes without a message, too.") {
      $0.state
    },
    JSONField("people", note: "The names of the others, without deleted accounts; with `after`.") {
      $0.people
    },
    JSONField("version", note: "For the next `after`.", example: 14) { $0.version },
    JSONField("has_more", note: "Whether there are more changes after `version`.", example: false) {
      $0.hasMore
    },
    JSONField("reads", note: "What the others have read, unless read marks are off.") { $0.reads },
    JSONField("writing", note: "The names of the others who are writing now; with `after`.") {
      $0.writing
    },
    JSONField("next_cursor", note: "For older messages; null at the beginning.") { $0.next },
  ]
}
