import Core
import Images
import Templates
import Web

/// One message.
struct MessageView: View {
  let message: Message
  let time: String
  let words: Markup
  let gone: String?
  let quote: QuoteView?
  let pictures: [MessagePictureView]
  let voice: VoiceView?
  let reactions: [ReactionView]
  let read: String?
  let menu: MessageMenuView?

  init(
    _ message: Message, in conversation: Conversation, readers: [String], mayWrite: Bool,
    isRequest: Bool, next: String, _ formatter: MessageFormatter
  ) {
    self.message = message
    time = formatter.when.time(message.createdAt)
    words = LinkedText.markup(message.text)
    gone = message.trace.map(formatter.gone)
    quote = message.quote.map {
      QuoteView(
        name: $0.authorName, words: formatter.summary(of: $0),
        link: MessageLinks.message($0.number, in: conversation.id))
    }
    pictures = message.pictures.enumerated().map {
      MessagePictureView($0.element, position: $0.offset + 1, of: message)
    }
    voice = message.voice.map { VoiceView(voice: $0, message: message) }
    reactions = ReactionKind.allCases.compactMap {
      ReactionView($0, of: message.reactions, formatter)
    }
    if readers.isEmpty {
      read = nil
    } else if conversation.kind == .pair {
      read = formatter.context.text("messages.read")
    } else {
      read = formatter.context.text("messages.read_by", ["names": formatter.names(readers)])
    }
    menu = MessageMenuView(
      message, mayWrite: mayWrite, isRequest: isRequest, next: next, time: time, formatter)
  }

  static let fields: [String: Field<MessageView>] = [
    "id": .text { $0.message.id.description },
    "number": .text { String($0.message.number) },
    "own": .flag { $0.message.isOwn },
    "face": .child { AvatarView($0.message.avatar) },
    "name": .text { $0.message.avatar.name },
    "time": .text { $0.time },
    "moment": .text { $0.message.createdAt.rfc3339 },
    "edited": .flag { $0.message.editedAt != nil && $0.message.trace == nil },
    "quote": .optional { $0.quote },
    "moment_answer": .flag { $0.message.answersMoment },
    "gone": .optionalText { $0.gone },
    "hidden": .flag { $0.message.isHidden },
    "has_text": .flag { !$0.message.text.isEmpty },
    "words": .markup { $0.words },
    "grid": .optionalText { $0.pictures.isEmpty ? nil : String($0.pictures.count) },
    "pictures": .list { $0.pictures },
    "voice": .optional { $0.voice },
    "has_reactions": .flag { !$0.reactions.isEmpty },
    "reactions": .list { $0.reactions },
    "read": .optionalText { $0.read },
    "menu": .optional { $0.menu },
  ]
}

/// A voice note.
struct VoiceView: View {
  let voice: MessageVoice
  let message: Message

  static let fields: [String: Field<VoiceView>] = [
    "src": .text {
      MessageLinks.file($0.voice, of: $0.message.id, in: $0.message.conversation)
    },
    "length": .text { DurationFormatter.clock(($0.voice.milliseconds + 500) / 1000) },
    "alone": .flag { $0.message.text.isEmpty },
  ]
}

/// A quoted message.
struct QuoteView: View {
  let name: String
  let words: String
  let link: String

  static let fields: [String: Field<QuoteView>] = [
    "name": .text { $0.name },
    "words": .text { $0.words },
    "link": .text { $0.link },
  ]
}

/// The actions for one message.
struct MessageMenuView: View {
  let message: Message
  let mayWrite: Bool
  let mayEdit: Bool
  let mayDelete: Bool
  let choices: [ReactionChoiceView]
  let next: String
  let time: String

  /// Nil if there is nothing that the viewer may do.
  init?(
    _ message: Message, mayWrite: Bool, isRequest: Bool, next: String, time: String,
    _ formatter: MessageFormatter
  ) {
    guard message.trace == nil else { return nil }
    self.message = message
    self.mayWrite = mayWrite
    self.next = next
    self.time = time
    mayEdit =
      (mayWrite && message.mayEdit(now: formatter.context.now)) || (isRequest && message.isOwn)
    mayDelete = message.mayDelete(now: formatter.context.now)
    choices = ReactionKind.allCases.map { kind in
      ReactionChoiceView(
        kind: kind, name: formatter.name(of: kind),
        isChosen: message.reactions.contains { $0.isOwn && $0.kind == kind })
    }
    guard mayWrite || mayEdit || mayDelete || message.mayReport else { return nil }
  }

  static let fields: [String: Field<MessageMenuView>] = [
    "name": .text { $0.message.avatar.name },
    "time": .text { $0.time },
    "next": .text { $0.next },
    "react_action": .optionalText {
      $0.mayWrite ? MessageLinks.react($0.message.id, in: $0.message.conversation) : nil
    },
    "choices": .list { $0.choices },
    "answer_link": .optionalText {
      $0.mayWrite ? MessageLinks.answer($0.message.id, in: $0.message.conversation) : nil
    },
    "edit_link": .optionalText {
      $0.mayEdit && !$0.message.text.isEmpty
        ? MessageLinks.edit($0.message.id, in: $0.message.conversation) : nil
    },
    "delete_link": .optionalText {
      $0.mayDelete ? MessageLinks.delete($0.message.id, in: $0.message.conversation) : nil
    },
    "report_link": .optionalText {
      $0.message.mayReport
        ? MessageLinks.report($0.message.id, in: $0.message.conversation) : nil
    },
  ]
}

/// A button of the menu: one of the six reactions. That of the viewer's own takes it away.
struct ReactionChoiceView: View {
  let kind: ReactionKind
  let name: String
  let isChosen: Bool

  static let fields: [String: Field<ReactionChoiceView>] = [
    "value": .text { $0.isChosen ? "" : $0.kind.rawValue },
    "emoji": .text { $0.kind.emoji },
    "name": .text { $0.name },
    "chosen": .flag { $0.isChosen },
  ]
}

/// One kind of reactions to a message, with the names of the users.
struct ReactionView: View {
  let kind: ReactionKind
  let count: Int
  let label: String

  /// Nil if there is none of the kind.
  init?(
    _ kind: ReactionKind, of reactions: [MessageReaction], _ formatter: MessageFormatter
  ) {
    let found = reactions.filter { $0.kind == kind }
    guard !found.isEmpty else { return nil }
    self.kind = kind
    count = found.count
    label = formatter.context.text(
      "messages.reaction_by",
      ["what": formatter.name(of: kind), "names": formatter.names(found.map(\.name))])
  }

  static let fields: [String: Field<ReactionView>] = [
    "emoji": .text { $0.kind.emoji },
    "count": .integer { $0.count },
    "label": .text { $0.label },
  ]
}

/// A picture of a message in the size of its bubble.
struct MessagePictureView: View {
  let picture: MessagePicture
  let position: Int
  let message: ID<Message>
  let conversation: ID<Conversation>

  init(_ picture: MessagePicture, position: Int, of message: Message) {
    self.picture = picture
    self.position = position
    self.message = message.id
    conversation = message.conversation
  }

  private func source(_ fileExtension: String? = nil) -> String {
    MessageLinks.file(
      picture, .medium, of: message, in: conversation, fileExtension: fileExtension)
  }

  static let fields: [String: Field<MessagePictureView>] = [
    "position": .integer { $0.position },
    "link_full": .text { MessageLinks.picture($0.position, of: $0.message, in: $0.conversation) },
    "src": .text { $0.source() },
    "src_webp": .optionalText { $0.picture.hasWebP ? $0.source("webp") : nil },
    "alt": .text { $0.picture.description },
    "width": .integer { $0.picture.width },
    "height": .integer { $0.picture.height },
  ]
}
