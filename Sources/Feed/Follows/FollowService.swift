import Accounts
import Core
import Database
import Web

/// Following couples, from pages and API (docs/developer/feed.md#follow).
struct FollowService {
  /// A list is walked down quickly, and a robot sooner.
  private static let most = RateLimit("follows", most: 120, window: .hours(1))

  /// A page of the feed looks at each that is followed.
  static let followsMost = 5000

  let services: FeedEnvironment

  /// A couple that this viewer sees; 404 else.
  func seen(_ id: ID<Couple>, by viewer: Viewer?) throws -> CoupleProfile {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return card
  }

  /// Twice is once. Who is alone becomes a couple of one by it, as by posting. Throws 403 for who
  /// is in a couple that is pending or frozen (docs/developer/accounts.md#people-and-couples), 422
  /// for one's own, 409 for who follows too many.
  func follow(_ id: ID<Couple>, by viewer: Viewer, now: Instant) throws {
    guard viewer.suspension == nil else { throw Problem.forbidden }
    _ = try seen(id, by: viewer)
    guard id != viewer.couple?.id else {
      throw Problem.invalid(["couple": FieldError("follow.own")])
    }
    guard viewer.mayPost else { throw Problem.forbidden }
    try services.limits.count(Self.most, viewer.id.description, now: now)
    try services.site.database.write { writer in
      let own = try services.couples.coupleForPosting(viewer, now: now, in: writer)
      guard try services.follows.count(by: own, in: writer) < Self.followsMost else {
        throw Problem(.limitReached)
      }
      // It may have been blocked, hidden or frozen since the request began.
      guard let isNew = try services.follows.follow(id, by: own, now: now, in: writer) else {
        throw Problem.notFound
      }
      if isNew {
        try services.observer.followed(id, by: viewer.id, as: own, now: now, in: writer)
      }
    }
  }

  /// Taking back what wasn't there is no error.
  func unfollow(_ id: ID<Couple>, by viewer: Viewer) throws {
    guard let own = viewer.couple?.id else { return }
    try services.site.database.write { try end(id, by: own, in: $0) }
  }

  /// Neither follows the other any more.
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

  /// Who follows a couple that the viewer sees, the latest first.
  func followers(
    of id: ID<Couple>, for viewer: Viewer?, after place: PageCursor<Couple>?, limit: Int
  ) throws -> [FollowStore.Follower] {
    try services.follows.followers(
      of: id, for: viewer, before: place.map { ($0.at, $0.id) }, limit: limit)
  }
}
