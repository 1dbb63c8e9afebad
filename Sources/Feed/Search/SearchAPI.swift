import Core
import Database
import Web

/// `/api/v1/search` (docs/api/README.md).
struct SearchAPI {
  private static let list = "search"

  let services: FeedEnvironment

  var routes: [Route] {
    [
      .api(
        .get, "/search", .atLeast(.guest),
        Operation(
          "Search posts and couples", .posts,
          note: """
            Returns the posts that you can see with `scope=everyone`, newest first, and up to ten \
            couples by name, on the first page only. All words must match; case and accents are \
            ignored. Queries need at least two characters, or one in Chinese, Japanese or Korean.
            """, errors: [.validationError]), handler: search)
    ]
  }

  @Sendable private func search(_ query: SearchQuery, _ context: Context) throws -> SearchResponse {
    let viewer = try context.signedIn()
    // Places of the index are the keys of this list's cursors.
    let place = try context.place(of: query.cursor, in: Self.list, Post.self)
    let results = try SearchService(services: services).results(
      query.words, for: viewer, before: place?.key, limit: query.limit,
      now: context.now)
    guard let results else { throw Problem.invalid(["q": FieldError("search.too_short")]) }
    let next = results.next.map { context.cursor(after: $0, in: Self.list) }
    return SearchResponse(
      couples: results.couples.map {
        CoupleSearchResponse(couple: $0, baseURL: context.site.baseURL)
      },
      posts: try services.postResponses.all(results.posts.map(\.post), context), next: next)
  }
}

/// Query parameters of a search.
struct SearchQuery: ListRequest {
  var words = ""
  var limit = 20
  var cursor: String?

  static let jsonFields: [InputField<Self>] =
    [
      .required(
        "q",
        note: "Search words. Only the first \(SearchText.queryLimits.characters) characters and "
          + "\(SearchText.maximumWords) words are used.", example: "咖啡"
      ) { $0.words = $1 }
    ] + listFields()
}

/// Search results.
struct SearchResponse: JSONResponse {
  let couples: [CoupleSearchResponse]
  let posts: [ReadyPostResponse]
  let next: String?

  static let jsonName = "SearchResults"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("couples", note: "Shortest names first; empty after the first page.") {
      $0.couples
    },
    JSONField("posts", note: "Newest first.") { $0.posts },
    JSONField("next_cursor", note: "For older posts; null on the last page.") { $0.next },
  ]
}

/// A couple among the results.
struct CoupleSearchResponse: JSONResponse {
  let couple: SearchStore.CoupleSearchResult
  let baseURL: String

  static let jsonName = "FoundCouple"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.couple.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.couple.name },
    JSONField("partners", note: "Ordered by side.") { record in
      record.couple.people.map { CoupleMemberResponse(avatar: $0, baseURL: record.baseURL) }
    },
  ]
}
