import Core
import Web

/// `/comments/{id}/delete` and `/restore`: plain forms on the page of a post.
struct CommentPages {
  private let services: FeedEnvironment

  private var service: CommentService { CommentService(services: services) }

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let id: ID<Comment> = try context.id()
    let post = try service.delete(id, by: context.signedIn(), now: context.now)
    return .seeOther(FeedLinks.comments(post, deleted: id))
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    let id: ID<Comment> = try context.id()
    let post = try service.restore(id, by: context.signedIn(), now: context.now)
    return .seeOther(FeedLinks.comment(id, of: post))
  }
}
