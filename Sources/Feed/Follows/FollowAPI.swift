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
          note: "Repeating it has no effect. For members of an active couple or without a partner.",
          errors: [.validationError, .limitReached]), options: .closedToSuspended,
        handler: follow),
      .api(
        .delete, "/couples/:id/follow", .atLeast(.member),
        Operation("Unfollow a couple", .couples), handler: unfollow),
      .api(
        .get, "/couples/:id/followers", .atLeast(.guest),
        Operation("List a couple's followers", .couples, errors: [.notFound]),
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
    JSONField("followers", note: "Newest first.") { $0.followers },
    JSONField("next_cursor", note: "For older entries; null on the last page.") { $0.next },
  ]
}

/// A follower.
struct FollowerResponse: JSONResponse {
  let follower: FollowStore.Follower
  let baseURL: String

  static let jsonName = "Follower"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The couple's identifier.") { $0.follower.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.follower.name },
    JSONField("partners", note: "Ordered by side.") { record in
      record.follower.people.map { CoupleMemberResponse(avatar: $0, baseURL: record.baseURL) }
    },
    JSONField("followed_at") { $0.follower.at },
  ]
}
