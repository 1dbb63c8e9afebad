import Basics
import Web

/// `/posts/{id}/like` and `/unlike`: forms without JavaScript, toggles in place with it.
struct LikePages {
  private let services: FeedServices

  init(_ services: FeedServices) {
    self.services = services
  }

  @Sendable func like(_ request: Request, _ context: Context) throws -> Response {
    try change(request, context) { post, viewer in
      try services.site.database.write {
        try PostWriter().like(post.id, by: viewer, now: context.now, in: $0)
      }
    }
  }

  @Sendable func unlike(_ request: Request, _ context: Context) throws -> Response {
    try change(request, context) { post, viewer in
      try services.site.database.write { try PostWriter().unlike(post.id, by: viewer, in: $0) }
    }
  }

  private func change(
    _ request: Request, _ context: Context, _ body: (Post, Viewer) throws -> Void
  ) throws -> Response {
    let viewer = try context.signedIn()
    guard let post = try services.posts.visible(context.id(), to: viewer) else {
      throw Problem.notFound
    }
    try body(post, viewer)
    guard request.wantsJSON else { return .seeOther(context.next(FeedLinks.post(post.id))) }
    let after = try services.posts.visible(post.id, to: viewer) ?? post
    let json = "{\"liked\":\(after.isLiked),\"like_count\":\(after.likeCount)}"
    return .json(Array(json.utf8))
  }
}
