import Core
import Database
import Templates
import Web

/// `/posts/saved`: the posts that the viewer saved, and the forms in the menu of a post.
struct SavedPostPages {
  private let services: FeedEnvironment
  private let page: Page<SavedPostsView>

  private var service: SavedPostService { SavedPostService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/saved", title: "saved_posts.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let cursor = PageCursor<Post>(context.request.queryValue("after"))
    let found = try service.page(
      of: context.signedIn(), after: cursor, limit: PostRules.pageSize)
    let view = SavedPostsView(
      posts: try services.foldedCards(
        found.rows.map(\.post), next: FeedLinks.saved(after: nil), context),
      older: found.next.map { FeedLinks.saved(after: $0) }, isFirstPage: cursor == nil)
    return page.response(view, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let id: ID<Post> = try context.id()
    try service.save(id, by: context.signedIn(), now: context.now)
    context.flash("toast.post_saved", link: (FeedLinks.saved(after: nil), "toast.posted_link"))
    return .seeOther(context.next(FeedLinks.post(id)))
  }

  @Sendable func remove(_ context: Context) throws -> Response {
    let id: ID<Post> = try context.id()
    try service.remove(id, by: context.signedIn())
    context.flash("toast.post_unsaved")
    return .seeOther(context.next(FeedLinks.saved(after: nil)))
  }
}

struct SavedPostsView: View {
  let posts: [CardView]
  let older: String?
  let isFirstPage: Bool

  static let fields: [String: Field<SavedPostsView>] = [
    "posts": .list { $0.posts },
    "older": .optionalText { $0.older },
    "empty": .flag { $0.posts.isEmpty && $0.isFirstPage },
  ]
}
