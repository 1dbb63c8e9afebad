import Core
import Database

/// The rules for who sees a moment, as conditions on the table `moments m`:
///
/// | moment | seen by |
/// | --- | --- |
/// | of any audience | members and former members of its couple, unless the couple was removed |
/// | for followers | members too of couples that follow its couple, while the follow is in force |
/// | hidden by moderators | its author, and moderators |
/// | reported | moderators too, also after its end, until it is purged |
/// | over, deleted, removed, or of a deleted account | no one; moderators see reported ones |
enum MomentVisibility {
  /// The moment is seen by this viewer.
  static func seen(by viewer: Viewer, now: Instant) -> Query {
    """
    \(isThere(now, for: viewer)) AND (\(isOfCouple(of: viewer)) OR (\(isForFollowers) AND EXISTS (
      SELECT 1 FROM follows_open f
      WHERE f.followed_id = m.couple_id AND f.follower_id = \(viewer.couple?.id))))
    """
  }

  /// It is not over, deleted, removed, nor of a deleted account, and not hidden from this viewer.
  static func isThere(_ now: Instant, for viewer: Viewer) -> Query {
    """
    m.ends_at > \(now) AND m.deleted_at IS NULL AND m.removed_at IS NULL
      AND (m.hidden_at IS NULL OR m.author_id = \(viewer.id))
      AND EXISTS (SELECT 1 FROM people_seen s WHERE s.id = m.author_id)
    """
  }

  static let isForFollowers: Query = "m.audience = 'followers'"

  /// The viewer is a member or former member of the moment's couple.
  static func isOfCouple(of viewer: Viewer) -> Query {
    """
    EXISTS (
      SELECT 1 FROM couples_own o WHERE o.couple_id = m.couple_id AND o.user_id = \(viewer.id))
    """
  }
}
