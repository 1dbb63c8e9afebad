import Accounts
import Core
import Database
import Templates
import Web

/// `/posts/deleted`: the deleted posts of the viewer's couple, each of which can be restored until it is
/// removed for good (docs/developer/feed.md#posts).
struct DeletedPostPages {
  /// Posts on the page.
  static let maximumPosts = 100

  private let services: FeedEnvironment
  private let page: Page<DeletedPostsView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/deleted", title: "deleted_posts.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let oldest = DeletionPeriod.start(now: context.now)
    let posts = try services.site.database.read {
      try services.posts.deleted(of: viewer, since: oldest, limit: Self.maximumPosts, in: $0)
    }
    let view = DeletedPostsView(posts: posts.map { DeletedPostView($0, context) })
    return page.response(view, context)
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    let id: ID<Post> = try context.id()
    try PostService(services: services).restore(id, by: context.signedIn(), now: context.now)
    context.flash("toast.post_restored")
    return .seeOther(FeedLinks.post(id))
  }
}

struct DeletedPostsView: View {
  let posts: [DeletedPostView]

  static let fields: [String: Field<DeletedPostsView>] = [
    "posts": .list { $0.posts },
    "empty": .flag { $0.posts.isEmpty },
    "back_link": .text { _ in AccountLinks.settings },
  ]
}

struct DeletedPostView: View {
  let post: DeletedPost
  let excerpt: String
  let pictures: String
  let left: String

  init(_ post: DeletedPost, _ context: Context) {
    self.post = post
    excerpt = post.content.excerpt(140)
    pictures =
      post.imageCount == 0
      ? "" : context.text("deleted_posts.pictures", count: post.imageCount)
    left = context.timeToRestore(post.deletedAt)
  }

  static let fields: [String: Field<DeletedPostView>] = [
    "excerpt": .text { $0.excerpt },
    "pictures": .text { $0.pictures },
    "left": .text { $0.left },
    "action": .text { FeedLinks.restore($0.post.id) },
  ]
}
