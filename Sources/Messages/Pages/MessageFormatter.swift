import Core
import Web

/// Texts about messages and conversations, in the viewer's language.
struct MessageFormatter {
  let context: Context
  let when: DateFormatting

  init(_ context: Context) {
    self.context = context
    when = DateFormatting(context)
  }

  /// The partner's or the other couple's name.
  func title(of conversation: Conversation) -> String {
    let name = conversation.title
    return name.isEmpty ? context.text("messages.deleted_account") : name
  }

  /// The state of a conversation that is not simply open; nil otherwise.
  func state(of conversation: Conversation) -> String? {
    switch conversation.state {
    case .open: nil
    case .requested:
      conversation.isOwnRequest ? context.text("messages.state_waiting") : nil
    case .declined: context.text("messages.state_declined")
    case .ended, .frozen: context.text("messages.state_closed")
    }
  }

  /// A message on one line, with its author where it may be any of several.
  func line(of message: Message, in conversation: Conversation) -> String {
    let words = summary(of: message)
    if message.isOwn { return context.text("messages.last_own", ["words": words]) }
    if conversation.kind == .pair { return words }
    return context.text("messages.last_by", ["name": message.avatar.name, "words": words])
  }

  /// The beginning of a message's text, or its files, or the fact that it is gone.
  func summary(of message: Message) -> String {
    if let trace = message.trace { return gone(trace) }
    return summary(
      text: MessageRules.excerpt(of: message.text), pictures: message.pictures.count,
      hasVoice: message.voice != nil)
  }

  /// A quoted message on one line.
  func summary(of quote: Message.Quote) -> String {
    if quote.isGone { return context.text("messages.deleted") }
    return summary(
      text: quote.text, pictures: quote.pictureCount, hasVoice: quote.hasVoice)
  }

  /// The sentence in place of a message.
  func gone(_ trace: Message.Trace) -> String {
    switch trace {
    case .deleted: context.text("messages.deleted")
    case .removed: context.text("messages.removed")
    }
  }

  /// "Today", "Yesterday", or the weekday with the date.
  func day(_ day: LocalDay) -> String {
    switch when.today.days(since: day) {
    case 0: context.text("notices.today")
    case 1: context.text("notices.yesterday")
    default:
      context.language == .english
        ? "\(when.weekday(day)) \(when.day(day))" : "\(when.day(day)) \(when.weekday(day))"
    }
  }

  func names(_ names: [String]) -> String {
    names.joined(separator: context.language == .english ? ", " : "、")
  }

  func name(of reaction: ReactionKind) -> String { context.text(reaction.textKey) }

  private func summary(text: String, pictures: Int, hasVoice: Bool) -> String {
    if !text.isEmpty { return text }
    return hasVoice
      ? context.text("messages.voice") : context.text("messages.pictures", count: pictures)
  }
}

extension ReactionKind {
  /// The key of the name.
  fileprivate var textKey: String {
    switch self {
    case .heart: "messages.reaction_heart"
    case .laugh: "messages.reaction_laugh"
    case .surprise: "messages.reaction_surprise"
    case .sad: "messages.reaction_sad"
    case .thumbsUp: "messages.reaction_thumbs_up"
    case .thanks: "messages.reaction_thanks"
    }
  }
}

extension MessageLinks {
  /// A conversation at its latest message.
  static func newest(in id: ID<Conversation>) -> String { "\(conversation(id))#newest" }
}
