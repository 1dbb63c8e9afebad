import Accounts
import Core
import Database
import Web

/// Following couples, from pages and API (docs/developer/feed.md#follow).
struct FollowService {
  /// High enough for a user who works through a list; a bot reaches it sooner.
  private static let rateLimit = RateLimit("follows", maximum: 120, window: .hours(1))

  /// A page of the feed looks up every followed couple.
  static let maximumFollows = 5000

  let services: FeedEnvironment

  /// A couple visible to this viewer. Throws 404 if it is not visible.
  func seen(_ id: ID<Couple>, by viewer: Viewer?) throws -> CoupleProfile {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return card
  }

  /// Follows a couple; idempotent. A member without a couple gets a couple of one, as when posting.
  /// Throws 403 if the viewer's couple is pending or frozen
  /// (docs/developer/accounts.md#people-and-couples), 422 for the viewer's own couple, 409 above
  /// the maximum number of follows.
  func follow(_ id: ID<Couple>, by viewer: Viewer, now: Instant) throws {
    guard viewer.suspension == nil else { throw Problem.forbidden }
    _ = try seen(id, by: viewer)
    guard id != viewer.couple?.id else {
      throw Problem.invalid(["couple": FieldError("follow.own")])
    }
    guard viewer.mayPost else { throw Problem.forbidden }
    try services.limits.count(Self.rateLimit, viewer.id.description, now: now)
    try services.site.database.write { writer in
      let own = try services.couples.coupleForPosting(viewer, now: now, in: writer)
      guard try services.follows.count(by: own, in: writer) < Self.maximumFollows else {
        throw Problem(.limitReached)
      }
      // The couple may have been blocked, hidden or frozen since the check above.
      guard let isNew = try services.follows.follow(id, by: own, now: now, in: writer) else {
        throw Problem.notFound
      }
      if isNew {
        try services.observer.followed(id, by: viewer.id, as: own, now: now, in: writer)
      }
    }
  }

  /// Unfollows a couple; no error if it was not followed.
  func unfollow(_ id: ID<Couple>, by viewer: Viewer) throws {
    guard let own = viewer.couple?.id else { return }
    try services.site.database.write { try end(id, by: own, in: $0) }
  }

  /// Ends following in both directions.
  func end(between one: ID<Couple>, and other: ID<Couple>, in writer: WriteTransaction) throws {
    try end(one, by: other, in: writer)
    try end(other, by: one, in: writer)
  }

  private func end(_ followed: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction)
    throws
  {
    if try services.follows.unfollow(followed, by: follower, in: writer) {
      try services.observer.unfollowed(followed, by: follower, in: writer)
    }
  }

  /// Followers of a couple that the viewer sees, latest first.
  func followers(
    of id: ID<Couple>, for viewer: Viewer?, after cursor: PageCursor<Couple>?, limit: Int
  ) throws -> ListPage<FollowStore.Follower, Couple> {
    try services.follows.followers(
      of: id, for: viewer, after: cursor ?? .start, limit: limit)
  }
}
