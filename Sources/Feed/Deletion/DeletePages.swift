import Accounts
import Core
import Templates
import Web

/// `/posts/{id}/delete`: asks for confirmation and lists what is deleted with the post; and
/// `/posts/{id}/narrow`: lets only the couple see it.
struct DeletePages {
  private let services: FeedEnvironment
  private let page: Page<DeleteView>

  private var service: PostService { PostService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/delete", title: "delete.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let post = try post(context)
    let view = DeleteView(
      post: post, isPromoted: try services.marked(post, now: context.now).promotedUntil != nil)
    return page.response(view, context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    try service.delete(try post(context), by: viewer, now: context.now)
    context.flash("toast.deleted", link: (AccountLinks.deletedPosts, "toast.deleted_link"))
    return .seeOther("/")
  }

  @Sendable func narrow(_ context: Context) throws -> Response {
    let post = try post(context)
    try service.narrow(post, by: context.signedIn(), now: context.now)
    context.flash("toast.post_narrowed")
    return .seeOther(FeedLinks.post(post.id))
  }

  private func post(_ context: Context) throws -> Post {
    try service.ofCouple(context.id(), of: context.viewer)
  }
}

struct DeleteView: View {
  let post: Post
  let isPromoted: Bool

  static let fields: [String: Field<DeleteView>] = [
    "action": .text { FeedLinks.delete($0.post.id) },
    "cancel_link": .text { FeedLinks.post($0.post.id) },
    "excerpt": .text { $0.post.content.excerpt(140) },
    "promoted": .flag { $0.isPromoted },
  ]
}
