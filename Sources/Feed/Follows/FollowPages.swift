import Accounts
import Core
import Database
import Templates
import Web

/// `/couples/{id}/follow`, `/unfollow` and `/followers`: plain forms without JavaScript, an
/// in-place toggle with it.
struct FollowPages {
  private let services: FeedEnvironment
  private let page: Page<FollowersView>

  private var service: FollowService { FollowService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("couples/followers", title: "followers.title", in: services.site)
  }

  @Sendable func follow(_ context: Context) throws -> Response {
    try service.follow(context.id(), by: context.signedIn(), now: context.now)
    context.flash("toast.followed")
    return .seeOther(context.next(FeedLinks.couple(try context.id())))
  }

  @Sendable func unfollow(_ context: Context) throws -> Response {
    try service.unfollow(context.id(), by: context.signedIn())
    context.flash("toast.unfollowed")
    return .seeOther(context.next(FeedLinks.couple(try context.id())))
  }

  @Sendable func showFollowers(_ context: Context) throws -> Response {
    let card = try service.seen(context.id(), by: context.viewer)
    let cursor = PageCursor<Couple>(context.request.queryValue("after"))
    let list = try service.followers(
      of: card.id, for: context.viewer, after: cursor, limit: PostRules.pageSize)
    let view = FollowersView(
      card: card,
      count: try services.follows.status(of: card.id, for: context.viewer).followers,
      followers: list.rows.map { CoupleLineView(id: $0.id, name: $0.name, people: $0.people) },
      older: list.next.map { FeedLinks.followers(card.id, after: $0) },
      isOwn: card.id == context.viewer?.couple?.id, hasCursor: cursor != nil)
    return page.response(view, context)
  }
}

struct FollowersView: View {
  let card: CoupleProfile
  let count: Int
  let followers: [CoupleLineView]
  let older: String?
  let isOwn: Bool
  let hasCursor: Bool

  static let fields: [String: Field<FollowersView>] = [
    "couple_name": .text { $0.card.name },
    "couple_link": .text { FeedLinks.couple($0.card.id) },
    "count": .integer { $0.count },
    "followers": .list { $0.followers },
    "empty": .flag { $0.followers.isEmpty && !$0.hasCursor },
    "own": .flag { $0.isOwn },
    "older": .optionalText { $0.older },
  ]
}

/// Number of followers of a couple and number of couples it follows.
struct FollowCountsView: View {
  let couple: ID<Couple>
  let status: FollowStore.FollowState

  static let fields: [String: Field<FollowCountsView>] = [
    "followers_link": .text { FeedLinks.followers($0.couple) },
    "count": .integer { $0.status.followers },
    "following_count": .integer { $0.status.following },
  ]
}

/// The follow button on a couple's profile.
struct FollowView: View {
  let couple: ID<Couple>
  let status: FollowStore.FollowState

  static let fields: [String: Field<FollowView>] = [
    "followed": .flag { $0.status.isFollowed },
    "follow_action": .text { FeedLinks.follow($0.couple) },
    "unfollow_action": .text { FeedLinks.unfollow($0.couple) },
  ]
}
