import Core
import Templates
import Web

/// `/search?q=`: full-text search of couples and posts.
struct SearchPages {
  private let services: FeedEnvironment
  private let page: Page<SearchView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/search", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let query = SearchText.queryLimits.beginning(
      of: (context.request.queryValue("q") ?? "").asOneLine)
    let place = context.request.queryValue("before").flatMap { Int64($0, in: 0 ... .max) }
    let results = try SearchService(services: services).results(
      query, for: context.signedIn(), before: place, limit: PostRules.pageSize, now: context.now)
    let title: PageTitle =
      query.isEmpty
      ? .key("search.title") : .named(context.text("page_title.search", ["query": query]))
    let view = SearchView(
      query: query, isFirstPage: place == nil, results: results,
      posts: try services.foldedCards(
        results?.posts.map(\.post) ?? [], next: FeedLinks.search(query), context))
    return page.response(view, context, title: title)
  }
}

struct SearchView: View {
  let query: String
  let isFirstPage: Bool
  let results: SearchService.Results?
  let posts: [CardView]

  static let fields: [String: Field<SearchView>] = [
    "query": .text { $0.query },
    "fresh": .flag { $0.query.isEmpty },
    "too_short": .flag { !$0.query.isEmpty && $0.results == nil },
    "empty": .flag { view in
      view.isFirstPage && view.results?.posts.isEmpty == true
        && view.results?.couples.isEmpty == true
    },
    "has_couples": .flag { $0.results?.couples.isEmpty == false },
    "couples": .list { view in
      (view.results?.couples ?? []).map {
        CoupleLineView(id: $0.id, name: $0.name, people: $0.people)
      }
    },
    "has_posts": .flag { !$0.posts.isEmpty },
    "posts": .list { $0.posts },
    "older": .optionalText { view in
      view.results?.next.map { FeedLinks.search(view.query, before: $0.key) }
    },
  ]
}
