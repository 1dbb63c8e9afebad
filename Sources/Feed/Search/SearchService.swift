import Core
import Database
import Web

/// Search, from pages and API.
struct SearchService {
  /// Search results.
  struct Results {
    /// On the first page only.
    let couples: [SearchStore.CoupleSearchResult]
    let posts: [SearchStore.PostSearchResult]
    /// Where the next page begins: its key is a place of the index. Nil on the last page.
    let next: PageCursor<Post>?
  }

  private static let rateLimit = RateLimit("searches", maximum: 300, window: .minutes(10))

  let services: FeedEnvironment

  /// Nil if the query has nothing that can be searched for.
  func results(
    _ query: String, for viewer: Viewer, before place: Int64?, limit: Int, now: Instant
  ) throws -> Results? {
    guard let terms = SearchText.terms(query) else { return nil }
    try services.limits.count(Self.rateLimit, viewer.id.description, now: now)
    let page = try ListPage(
      limit: limit, cursor: { PageCursor<Post>(key: $0.place, id: $0.post.id) },
      find: { try services.search.posts(terms, for: viewer, before: place, limit: $0) })
    return Results(
      couples: place == nil ? try services.search.couples(terms, for: viewer) : [],
      posts: page.rows, next: page.next)
  }
}
