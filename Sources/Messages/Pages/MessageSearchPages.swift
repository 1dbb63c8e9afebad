import Core
import HTTPTypes
import Templates
import Web

/// `/messages/search` and `/messages/{id}/search`: messages with some words, in all conversations
/// of the viewer or in one.
struct MessageSearchPages {
  private let services: MessagesEnvironment
  private let page: Page<MessageSearchView>

  private var service: MessageService { MessageService(services: services) }

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/search", in: services.site)
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    try response(in: nil, context)
  }

  @Sendable func showOne(_ context: Context) throws -> Response {
    let conversation = try service.conversation(context.id(), for: context.signedIn())
    return try response(in: conversation, context)
  }

  private func response(in conversation: Conversation?, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let query = (context.request.queryValue("q") ?? "").asOneLine
    let before = context.request.queryValue("before").flatMap { Int($0, in: 0...Int(Int32.max)) }
    var result = MessageSearchResult(hits: [], next: nil)
    var problem: Problem?
    if !query.isEmpty {
      do {
        result = try service.search(
          query, in: conversation?.id, before: before, by: viewer, now: context.now)
      } catch let refused as Problem
        where refused.fields["q"] != nil || refused.status == .tooManyRequests
      {
        problem = refused
      }
    }
    let formatter = MessageFormatter(context)
    let title =
      conversation.map { context.text("messages.search_in", ["name": formatter.title(of: $0)]) }
      ?? context.text("messages.search_all")
    let view = MessageSearchView(
      conversation: conversation?.id, title: title,
      query: MessageRules.searchLimits.beginning(of: query),
      problem: problem.map {
        $0.fields["q"]?.text(context) ?? context.text("messages.search_later")
      },
      hits: result.hits.map {
        MessageHitView($0, isInOne: conversation != nil, formatter)
      },
      next: result.next)
    var response = page.response(
      view, context, title: .named(title), status: problem?.status ?? .ok)
    if let wait = problem?.retryAfter { response.headers[.retryAfter] = String(wait) }
    return response
  }
}

struct MessageSearchView: View {
  /// The conversation; nil for all.
  let conversation: ID<Conversation>?
  let title: String
  let query: String
  /// The reason why there was no search.
  let problem: String?
  let hits: [MessageHitView]
  let next: Int?

  static let fields: [String: Field<MessageSearchView>] = [
    "title": .text { $0.title },
    "action": .text { view in
      view.conversation.map { MessageLinks.search(in: $0) } ?? MessageLinks.search
    },
    "back_link": .text { view in
      view.conversation.map { MessageLinks.conversation($0) } ?? MessageLinks.messages
    },
    "query": .text { $0.query },
    "fresh": .flag { $0.query.isEmpty },
    "problem": .optionalText { $0.problem },
    "empty": .flag { $0.hits.isEmpty && !$0.query.isEmpty && $0.problem == nil && $0.next == nil },
    "has_hits": .flag { !$0.hits.isEmpty },
    "hits": .list { $0.hits },
    "older": .optionalText { view in
      view.conversation.flatMap { id in
        view.next.map { MessageLinks.search(view.query, in: id, before: $0) }
      }
    },
  ]
}

/// A message that was found.
struct MessageHitView: View {
  let message: Message
  let conversationName: String?
  let words: String
  let age: String

  init(_ hit: MessageHit, isInOne: Bool, _ formatter: MessageFormatter) {
    message = hit.message
    conversationName = isInOne ? nil : formatter.title(of: hit.conversation)
    words = formatter.summary(of: hit.message)
    age = formatter.when.age(hit.message.createdAt)
  }

  static let fields: [String: Field<MessageHitView>] = [
    "link": .text { MessageLinks.message($0.message.number, in: $0.message.conversation) },
    "face": .child { AvatarView($0.message.avatar) },
    "name": .text { $0.message.avatar.name },
    "conversation": .optionalText { $0.conversationName },
    "words": .text { $0.words },
    "age": .text { $0.age },
    "moment": .text { $0.message.createdAt.rfc3339 },
  ]
}
