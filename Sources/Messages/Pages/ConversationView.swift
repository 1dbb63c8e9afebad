import Core
import Templates
import Web

/// A part of a conversation.
struct ConversationView: View {
  let conversation: Conversation
  let name: String
  let days: [MessageDayView]
  let composer: ComposerView?
  let earlier: String?
  let later: String?
  let isLatest: Bool
  let isSuspended: Bool
  let today: String

  init(
    _ conversation: Conversation, _ part: MessagePage, _ window: MessageWindow,
    composer: ComposerView?, _ viewer: Viewer, _ context: Context
  ) {
    self.conversation = conversation
    self.composer = composer
    let formatter = MessageFormatter(context)
    name = formatter.title(of: conversation)
    days = MessageDayView.days(part, of: conversation, mayWrite: composer != nil, formatter)
    today = formatter.when.today.description
    isSuspended = viewer.suspension != nil
    earlier = part.earlier.map { MessageLinks.earlier(than: $0, in: conversation.id) }
    later = part.later.map { MessageLinks.from($0, in: conversation.id) }
    if case .latest = window { isLatest = true } else { isLatest = false }
  }

  /// Whether the viewer's request waits for an answer.
  private var isWaiting: Bool {
    conversation.state == .requested && conversation.isOwnRequest && !conversation.mayWrite
  }

  static let fields: [String: Field<ConversationView>] = [
    "id": .text { $0.conversation.id.description },
    "version": .integer { $0.conversation.version },
    "state": .text { $0.conversation.state.rawValue },
    "name": .text { $0.name },
    "two": .flag { $0.conversation.kind == .pair },
    "live": .flag { $0.isLatest },
    "link": .text { MessageLinks.conversation($0.conversation.id) },
    "list_link": .text { _ in MessageLinks.messages },
    "settings_link": .text { MessageLinks.settings(of: $0.conversation.id) },
    "search_link": .text { MessageLinks.search(in: $0.conversation.id) },
    "couple_link": .optionalText { $0.conversation.other.map { WebLinks.couple($0.id) } },
    "today": .text { $0.today },
    "days": .list { $0.days },
    "none": .flag { $0.days.isEmpty },
    "earlier": .optionalText { $0.earlier },
    "later": .optionalText { $0.later },
    "latest": .optionalText { $0.isLatest ? nil : MessageLinks.newest(in: $0.conversation.id) },
    "composer": .optional { $0.composer },
    "frozen": .flag { $0.conversation.state == .frozen },
    "ended": .flag { $0.conversation.state == .ended },
    "declined": .flag { $0.conversation.state == .declined },
    "waits": .flag { $0.isWaiting },
    "withdraw_action": .optionalText {
      $0.conversation.mayWithdraw ? MessageLinks.withdraw($0.conversation.id) : nil
    },
    "may_decline": .flag { $0.conversation.mayDecline },
    "accept_action": .optionalText {
      $0.conversation.mayAnswerRequest ? MessageLinks.accept($0.conversation.id) : nil
    },
    "decline_action": .text { MessageLinks.decline($0.conversation.id) },
    "suspended": .optional { $0.isSuspended ? DecisionsView() : nil },
  ]
}

/// The link to the moderators' decisions about the viewer.
struct DecisionsView: View {
  static let fields: [String: Field<DecisionsView>] = [
    "link": .text { _ in WebLinks.decisions }
  ]
}

/// The messages of one day in the viewer's time zone.
struct MessageDayView: View {
  let day: LocalDay
  let name: String
  let messages: [MessageView]

  /// The messages of a part by days. The last own message that others have read says so.
  static func days(
    _ part: MessagePage, of conversation: Conversation, mayWrite: Bool,
    _ formatter: MessageFormatter
  ) -> [MessageDayView] {
    let readers = readers(part)
    let (link, query) = (
      MessageLinks.conversation(conversation.id), formatter.context.request.query
    )
    let next = query.isEmpty ? link : "\(link)?\(query)"
    // A request that waits is the last message; its author may change it until it is answered.
    let request =
      conversation.mayWithdraw && part.later == nil && formatter.context.viewer?.suspension == nil
      ? part.messages.last?.id : nil
    let byDay = Dictionary(grouping: part.messages) {
      LocalDay($0.createdAt, in: formatter.context.timeZone)
    }
    return byDay.sorted { $0.key < $1.key }.map { day, messages in
      MessageDayView(
        day: day, name: formatter.day(day),
        messages: messages.map {
          MessageView(
            $0, in: conversation, readers: readers[$0.number] ?? [], mayWrite: mayWrite,
            isRequest: $0.id == request, next: next, formatter)
        })
    }
  }

  /// The names of those who have read up to an own message, by its number.
  private static func readers(_ part: MessagePage) -> [Int: [String]] {
    let own = part.messages.filter(\.isOwn).map(\.number)
    var readers: [Int: [String]] = [:]
    for mark in part.reads {
      guard let last = own.last(where: { $0 <= mark.number }) else { continue }
      readers[last, default: []].append(mark.avatar.name)
    }
    return readers
  }

  static let fields: [String: Field<MessageDayView>] = [
    "day": .text { $0.day.description },
    "name": .text { $0.name },
    "messages": .list { $0.messages },
  ]
}
