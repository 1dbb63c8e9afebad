import Core
import Web

/// `/api/v1/posts/saved` and `/posts/{id}/save`.
struct SavedPostAPI {
  private static let list = "saved posts"

  let services: FeedEnvironment

  private var service: SavedPostService { SavedPostService(services: services) }

  var routes: [Route] {
    [
      .api(
        .get, "/posts/saved", .atLeast(.member),
        Operation("List the posts that you saved", .posts, note: "The last saved first."),
        options: .noStore, handler: all),
      .api(
        .post, "/posts/:id/save", .atLeast(.member),
        Operation(
          "Save a post", .posts,
          note: "Only you see which posts you saved. Repeating it has no effect."),
        handler: save),
      .api(
        .delete, "/posts/:id/save", .atLeast(.member),
        Operation("Remove a post from those that you saved", .posts), handler: remove),
    ]
  }

  @Sendable private func all(_ query: ListQuery, _ context: Context) throws -> PostsResponse {
    let place = try context.place(of: query.cursor, in: Self.list, Post.self)
    let page = try service.page(of: context.signedIn(), after: place, limit: query.limit)
    let posts = try services.marked(page.rows.map(\.post), now: context.now)
    return PostsResponse(
      posts: try services.postResponses.all(posts, context),
      next: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func save(_ context: Context) throws -> NoContent {
    try service.save(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func remove(_ context: Context) throws -> NoContent {
    try service.remove(context.id(), by: context.signedIn())
    return NoContent()
  }
}
