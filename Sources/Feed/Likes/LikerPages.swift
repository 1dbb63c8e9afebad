import Core
import Templates
import Web

/// `/posts/{id}/likes`: the people who like a post.
struct LikerPages {
  private let services: FeedEnvironment
  private let page: Page<LikersView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/likes", title: "likers.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let post = try PostService(services: services).seen(context.id(), by: context.viewer)
    let last = context.request.queryValue("after").flatMap { ID<Person>($0) }
    let limit = PostRules.pageSize
    let found = try services.site.database.read {
      try LikerStore().likers(
        of: post.id, for: context.viewer, after: last, limit: limit + 1, in: $0)
    }
    let view = LikersView(
      post: post, likers: found.prefix(limit).map(LikerView.init),
      older: found.count > limit
        ? FeedLinks.likes(post.id, after: found[limit - 1].person) : nil)
    return page.response(view, context)
  }
}

struct LikersView: View {
  let post: Post
  let likers: [LikerView]
  let older: String?

  static let fields: [String: Field<LikersView>] = [
    "post_link": .text { FeedLinks.post($0.post.id) },
    "likers": .list { $0.likers },
    "empty": .flag { $0.likers.isEmpty },
    "older": .optionalText { $0.older },
  ]
}

struct LikerView: View {
  let liker: Liker

  static let fields: [String: Field<LikerView>] = [
    "face": .child { AvatarView($0.liker.avatar) },
    "name": .text { $0.liker.avatar.name },
    "couple_name": .optionalText { $0.liker.couple?.name },
    "link": .optionalText { $0.liker.couple.map { FeedLinks.couple($0.id) } },
  ]
}
