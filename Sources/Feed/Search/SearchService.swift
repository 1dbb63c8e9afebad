import Core
import Web

/// Search, from pages and API.
struct SearchService {
  /// Search results.
  struct Results {
    /// On the first page only.
    let couples: [SearchStore.CoupleSearchResult]
    let posts: [SearchStore.PostSearchResult]
    /// Place for the next page; nil on the last page.
    let next: Int64?
  }

  private static let rateLimit = RateLimit("searches", maximum: 300, window: .minutes(10))

  let services: FeedEnvironment

  /// Nil if the query has nothing that can be searched for.
  func results(
    _ query: String, for viewer: Viewer, before place: Int64?, limit: Int, now: Instant
  ) throws -> Results? {
    guard let ftsQuery = SearchText.ftsQuery(query) else { return nil }
    try services.limits.count(Self.rateLimit, viewer.id.description, now: now)
    let found = try services.search.posts(ftsQuery, for: viewer, before: place, limit: limit + 1)
    let posts = Array(found.prefix(limit))
    return Results(
      couples: place == nil ? try services.search.couples(ftsQuery, for: viewer) : [],
      posts: posts, next: found.count > posts.count ? posts.last?.place : nil)
  }
}
