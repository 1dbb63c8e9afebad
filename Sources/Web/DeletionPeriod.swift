import Core

/// The time for which users can restore deleted posts, comments, photos and workouts, and removed
/// contacts (docs/developer/feed.md#posts, docs/developer/album.md#deleted-photos,
/// docs/developer/workouts.md#deleted-workouts,
/// docs/developer/check-in-contacts.md#removed-contacts).
public enum DeletionPeriod {
  /// In s.
  public static let length: Int64 = .days(30)

  /// The moment until which deleted content is removed for good.
  public static func start(now: Instant) -> Instant { now.adding(seconds: -length) }

  /// The moment at which content that was deleted then is removed for good.
  public static func end(of deletedAt: Instant) -> Instant { deletedAt.adding(seconds: length) }
}

extension Context {
  /// "12 days left".
  public func timeToRestore(_ deletedAt: Instant) -> String {
    let left = DeletionPeriod.end(of: deletedAt).seconds(since: now)
    return text("deleted_posts.left", count: max(1, Int((left + 86_399) / 86_400)))
  }
}
