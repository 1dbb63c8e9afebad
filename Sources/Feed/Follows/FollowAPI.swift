import Accounts
import Core
import Database
import Web

/// `/api/v1/couples/{id}/follow` and `/followers` (docs/api/README.md).
struct FollowAPI {
  private static let list = "followers"

  let services: FeedEnvironment

  private var service: FollowService { FollowService(services: services) }

  var routes: [Route] {
    [
      .api(
        .post, "/couples/:id/follow", .atLeast(.member),
        Operation(
          "Follow a couple", .couples,
          note: "Twice is once. For members of an active couple, or on their own.",
          errors: [.validationError, .limitReached]), options: .closedToSuspended,
        handler: follow),
      .api(
        .delete, "/couples/:id/follow", .atLeast(.member),
        Operation("Follow a couple no more", .couples), handler: unfollow),
      .api(
        .get, "/couples/:id/followers", .atLeast(.guest),
        Operation("Couples that follow a couple", .couples, errors: [.notFound]),
        handler: followers),
    ]
  }

  @Sendable private func follow(_ context: Context) throws -> NoContent {
    try service.follow(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func unfollow(_ context: Context) throws -> NoContent {
    try service.unfollow(context.id(), by: context.signedIn())
    return NoContent()
  }

  @Sendable private func followers(
    _ query: ListQuery, _ context: Context
  ) throws -> FollowersResponse {
    let couple = try service.seen(context.id(), by: context.viewer).id
    let place = try context.place(of: query.cursor, in: Self.list, Couple.self)
    let page = try service.followers(
      of: couple, for: context.viewer, after: place, limit: query.limit)
    let baseURL = context.site.baseURL
    return FollowersResponse(
      followers: page.rows.map { FollowerResponse(follower: $0, baseURL: baseURL) },
      next: context.nextCursor(page, in: Self.list))
  }
}

/// A page of followers.
struct FollowersResponse: JSONResponse {
  let followers: [FollowerResponse]
  let next: String?

  static let jsonName = "Followers"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("followers", note: "Latest first.") { $0.followers },
    JSONField("next_cursor", note: "For the older ones; null at the end.") { $0.next },
  ]
}

/// A follower.
struct FollowerResponse: JSONResponse {
  let follower: FollowStore.Follower
  let baseURL: String

  static let jsonName = "Follower"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The couple's.") { $0.follower.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.follower.name },
    JSONField("partners", note: "In the order of their sides.") { record in
      record.follower.people.map { CoupleMemberResponse(avatar: $0, baseURL: record.baseURL) }
    },
    JSONField("followed_at") { $0.follower.at },
  ]
}
