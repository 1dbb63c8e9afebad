import Accounts
import Core
import Database

/// The feed with its two tabs.
extension PostStore {
  /// A page of the feed, newest first, of posts older than `cursor`.
  func feed(
    _ scope: FeedScope, for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int
  ) throws -> [PostSummary] {
    switch scope {
    case .everyone: try everyone(for: viewer, after: cursor, limit: limit)
    case .following: try following(for: viewer, after: cursor, limit: limit)
    }
  }

  /// "Everyone": public posts of all couples, the viewer's own posts, and posts that followed
  /// couples share with their followers (docs/developer/product.md#visibility).
  ///
  /// `alongside` runs further queries in the same read transaction.
  func everyone(
    for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int,
    alongside: (ReadTransaction) throws -> Void = { _ in }
  ) throws -> [PostSummary] {
    try database.read { reader in
      try alongside(reader)
      return try reader.rows(
        everyoneQuery(for: viewer, after: cursor, limit: limit), make: PostSummary.init)
    }
  }

  /// "Following": posts that followed couples share, with everyone or with their followers.
  private func following(
    for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int
  ) throws -> [PostSummary] {
    let followed = FollowedPosts(
      condition: "q.visibility <> 'couple'", couple: viewer.couple?.id, cursor: cursor,
      limit: limit)
    return try database.read { reader in
      try reader.rows(
        """
        SELECT \(PostSummary.columns(for: viewer)) FROM (
          SELECT id FROM (\(followed.query)) AS found
          ORDER BY created_at DESC, id DESC LIMIT \(limit)
        ) AS page JOIN posts p ON p.id = page.id \(PostSummary.joins)
        ORDER BY p.created_at DESC, p.id DESC
        """, make: PostSummary.init)
    }
  }

  // Merges index scans. None reads more rows than it can return, and the scan of followed couples
  // stops at the last of a full page of public posts. Only rows of the page are joined.
  private func everyoneQuery(
    for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int
  ) -> Query {
    let followed = FollowedPosts(
      condition: """
        q.visibility = 'followers' AND q.created_at >= COALESCE((
          SELECT created_at FROM of_all
          ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET \(limit - 1)), 0)
        """, couple: viewer.couple?.id, cursor: cursor, limit: limit)
    return """
      WITH of_all AS MATERIALIZED (
        SELECT p.created_at, p.id FROM posts p
        WHERE \(PostVisibility.open)
          AND \(PostVisibility.isNotBlocked(for: viewer.couple?.id))
          AND (p.created_at, p.id) < \(cursor)
        ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit))
      SELECT \(PostSummary.columns(for: viewer)) FROM (
        SELECT id FROM (
          SELECT created_at, id FROM of_all
          UNION
          SELECT * FROM (
            SELECT p.created_at, p.id FROM posts p
            WHERE p.couple_id = \(viewer.ownCouple) AND p.deleted_at IS NULL
              AND (p.created_at, p.id) < \(cursor)
              AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
            ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)) AS own
          UNION
          \(followed.query)
        ) AS found
        ORDER BY created_at DESC, id DESC LIMIT \(limit)
      ) AS page JOIN posts p ON p.id = page.id \(PostSummary.joins)
      ORDER BY p.created_at DESC, p.id DESC
      """
  }
}

/// Posts of followed couples, enough for one page after a place.
private struct FollowedPosts {
  /// Which posts `q`.
  let condition: Query
  /// The follower.
  let couple: ID<Couple>?
  let cursor: PageCursor<Post>
  let limit: Int

  /// Reads at most as many couples as the page has posts: those with the newest latest posts. Each
  /// other couple costs one index lookup. Whether a couple may be followed is checked only after it
  /// has a matching post.
  var query: Query {
    """
    SELECT p.created_at, p.id FROM (
      SELECT t.couple_id FROM follows f
      JOIN posts t ON t.id = (\(latest("f.followed_id", limit: "1")))
      WHERE f.follower_id = \(couple)
        AND EXISTS (
          SELECT 1 FROM follows_open o
          WHERE o.follower_id = f.follower_id AND o.followed_id = t.couple_id)
      ORDER BY t.created_at DESC, t.id DESC LIMIT \(limit)) AS y
    JOIN posts p ON p.id IN (\(latest("y.couple_id", limit: "\(limit)")))
    """
  }

  /// A couple's latest visible posts.
  private func latest(_ couple: Query, limit: Query) -> Query {
    """
    SELECT q.id FROM posts q
    WHERE q.couple_id = \(couple) AND \(condition) AND q.deleted_at IS NULL
      AND q.hidden_at IS NULL AND EXISTS (SELECT 1 FROM people_seen v WHERE v.id = q.author_id)
      AND (q.created_at, q.id) < \(cursor)
    ORDER BY q.created_at DESC, q.id DESC LIMIT \(limit)
    """
  }
}
