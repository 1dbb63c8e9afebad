import Core
import Database

/// The rules for who sees a post, as conditions on the table `posts p`
/// (docs/developer/product.md#visibility):
///
/// | post | seen by |
/// | --- | --- |
/// | of any visibility | members and former members of its couple, unless the couple was removed |
/// | public | everyone too, while its couple is open; not across a block |
/// | for followers | members too of couples that follow its couple, while the follow is in force |
/// | for the couple | no one else |
/// | hidden by moderators | members and former members of its couple, and moderators |
/// | reported | moderators too, unless it is for the couple |
/// | deleted | no one; moderators still see what they removed |
///
/// Posts of deleted accounts are left out by `PostStore.joins`, or where a statement looks up
/// `people_seen`. docs/developer/who-sees-what.md tells the same of all data.
enum PostVisibility {
  /// The post is seen by this viewer.
  static func seen(by viewer: Viewer?) -> Query {
    """
    p.deleted_at IS NULL AND (
      (p.hidden_at IS NULL AND \(shown(to: viewer?.couple?.id)))
      OR \(isOfCouple(of: "\(viewer?.id)")))
    """
  }

  /// The same for a user whose identifier and couple are columns of the statement.
  static func seen(byUser user: Query, ofCouple couple: Query) -> Query {
    let isNotBlocked: Query = """
      NOT EXISTS (
        SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = \(couple))
      """
    return """
      p.deleted_at IS NULL AND (
        (p.hidden_at IS NULL AND \(shown(to: couple, isNotBlocked)))
        OR \(isOfCouple(of: user)))
      """
  }

  /// The user is a member or former member of the post's couple.
  private static func isOfCouple(of user: Query) -> Query {
    "EXISTS (SELECT 1 FROM couples_own o WHERE o.couple_id = p.couple_id AND o.user_id = \(user))"
  }

  /// The post is visible beyond its couple, and to this couple. Followers of an open couple are
  /// never separated from it by a block.
  static func shown(to couple: ID<Couple>?) -> Query {
    shown(to: "\(couple)", isNotBlocked(for: couple))
  }

  private static func shown(to couple: Query, _ isNotBlocked: Query) -> Query {
    """
    ((p.visibility = 'public'
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND \(isNotBlocked))
      OR (p.visibility = 'followers' AND EXISTS (
          SELECT 1 FROM follows_open f
          WHERE f.followed_id = p.couple_id AND f.follower_id = \(couple))))
    """
  }

  /// The post is visible to everyone: it is public and not hidden, its couple is open, and its
  /// author is not deleted.
  static let open: Query = """
    \(openInOpenCouple) AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
    """

  /// The same for a post whose couple is known to be open.
  static let openInOpenCouple: Query = """
    p.visibility = 'public' AND p.deleted_at IS NULL AND p.hidden_at IS NULL
      AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
    """

  /// The post is shown to moderators: never one for its couple only, nor one that its author
  /// deleted.
  static func moderated(onlyReported: Bool) -> Query {
    """
    p.visibility <> 'couple' AND (p.reported_at IS NOT NULL OR \(onlyReported) = 0)
      AND (p.deleted_at IS NULL OR p.removed_at IS NOT NULL)
    """
  }

  /// No block separates the post's couple from this one.
  static func isNotBlocked(for couple: ID<Couple>?) -> Query {
    """
    (NOT \(hasBlocks(couple)) OR NOT EXISTS (
      SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = \(couple)))
    """
  }

  /// SQLite evaluates this once a statement, and most couples have no blocks.
  private static func hasBlocks(_ couple: ID<Couple>?) -> Query {
    "EXISTS (SELECT 1 FROM couples_apart b WHERE b.other_id = \(couple))"
  }
}
