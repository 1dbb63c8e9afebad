import Core
import Web

/// `/posts/{id}/like` and `/unlike`: plain forms without JavaScript, in-place toggles with it.
struct LikePages {
  private let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  @Sendable func like(_ context: Context) throws -> Response {
    try change(context, likes: true)
  }

  @Sendable func unlike(_ context: Context) throws -> Response {
    try change(context, likes: false)
  }

  private func change(
    _ context: Context, likes: Bool
  ) throws -> Response {
    let after = try PostService(services: services).setLike(
      likes, of: context.id(), by: context.signedIn(), now: context.now)
    guard context.request.wantsJSON else {
      return .seeOther(context.next(FeedLinks.post(after.id)))
    }
    let json = "{\"liked\":\(after.isLiked),\"like_count\":\(after.likeCount)}"
    return .json(Array(json.utf8))
  }
}
