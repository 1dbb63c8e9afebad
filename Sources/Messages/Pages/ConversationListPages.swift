import Accounts
import Core
import Templates
import Web

/// `/messages`: the conversations of the viewer, the one of the two first, and requests of others.
struct ConversationListPages {
  private static let list = "conversations"

  private let services: MessagesEnvironment
  private let page: Page<ConversationListView>

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/messages", title: "messages.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let cursor = try context.place(
      of: context.request.queryValue("after"), in: Self.list, Conversation.self)
    let found = try ConversationService(services: services).list(of: viewer, after: cursor)
    let view = ConversationListView(
      found.rows, viewer, isFirstPage: cursor == nil,
      older: context.nextCursor(found, in: Self.list).map { MessageLinks.list(after: $0) },
      context)
    return page.response(view, context)
  }
}

struct ConversationListView: View {
  let requests: [ConversationRowView]
  let conversations: [ConversationRowView]
  let isFirstPage: Bool
  /// Whether there is no conversation of two, nor one that has ended.
  let isAlone: Bool
  /// The page to pair on, for users who are alone.
  let pairLink: String?
  let older: String?

  init(
    _ rows: [ConversationSummary], _ viewer: Viewer, isFirstPage: Bool, older: String?,
    _ context: Context
  ) {
    let asking = rows.filter(\.conversation.mayDecline)
    let others = rows.filter { !$0.conversation.mayDecline }
    // The conversation of the two is the first one, whenever they wrote last.
    let sorted =
      others.filter { $0.conversation.kind == .pair }
      + others.filter { $0.conversation.kind != .pair }
    requests = asking.map { ConversationRowView($0, context) }
    conversations = sorted.map { ConversationRowView($0, context) }
    self.isFirstPage = isFirstPage
    isAlone =
      isFirstPage && viewer.sharedCouple == nil
      && !others.contains { $0.conversation.kind == .pair }
    let isSingle = viewer.couple.map { $0.status == .single } ?? true
    pairLink = isSingle ? AccountLinks.pair : nil
    self.older = older
  }

  static let fields: [String: Field<ConversationListView>] = [
    "events": .text { _ in MessageLinks.events },
    "requests": .list { $0.requests },
    "has_requests": .flag { !$0.requests.isEmpty },
    "conversations": .list { $0.conversations },
    "has_conversations": .flag { !$0.conversations.isEmpty },
    "alone": .optional { $0.isAlone ? PairView(link: $0.pairLink) : nil },
    "hint": .flag { view in
      view.isFirstPage && !view.isAlone && view.requests.isEmpty && view.conversations.count == 1
    },
    "search_link": .optionalText { $0.conversations.isEmpty ? nil : MessageLinks.search },
    "settings_link": .text { _ in MessageLinks.settings },
    "older": .optionalText { $0.older },
  ]
}

/// The link to the page to pair on, if the viewer may.
struct PairView: View {
  let link: String?

  static let fields: [String: Field<PairView>] = ["link": .optionalText { $0.link }]
}

/// A conversation in the list, or a request.
struct ConversationRowView: View {
  let conversation: Conversation
  let name: String
  let last: String?
  let stateName: String?
  let age: String
  let moment: String

  init(_ summary: ConversationSummary, _ context: Context) {
    conversation = summary.conversation
    let formatter = MessageFormatter(context)
    name = formatter.title(of: summary.conversation)
    last = summary.latest.map { formatter.line(of: $0, in: summary.conversation) }
    stateName = formatter.state(of: summary.conversation)
    age = formatter.when.age(summary.at)
    moment = summary.at.rfc3339
  }

  static let fields: [String: Field<ConversationRowView>] = [
    "link": .text { MessageLinks.newest(in: $0.conversation.id) },
    "name": .text { $0.name },
    "people": .list { $0.conversation.faces.map(AvatarView.init) },
    "two": .flag { $0.conversation.kind == .pair },
    "state": .optionalText { $0.stateName },
    "last": .optionalText { $0.last },
    "age": .text { $0.age },
    "moment": .text { $0.moment },
    "unread": .integer { $0.conversation.unread },
    "count": .integer { $0.conversation.unread },
    "mark": .text {
      $0.conversation.unread < MessageRules.maximumUnread
        ? String($0.conversation.unread) : "\(MessageRules.maximumUnread - 1)+"
    },
    "accept_action": .optionalText {
      $0.conversation.mayAnswerRequest ? MessageLinks.accept($0.conversation.id) : nil
    },
    "decline_action": .text { MessageLinks.decline($0.conversation.id) },
  ]
}
