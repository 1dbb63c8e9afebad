import Accounts
import Core
import Database

/// The feed with its two tabs.
extension PostStore {
  /// A page of the feed, newest first, of posts older than `cursor`.
  public func feed(
    _ scope: FeedScope, for viewer: Viewer, after cursor: PostCursor, limit: Int
  ) throws -> [Post] {
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
    for viewer: Viewer, after cursor: PostCursor, limit: Int,
    alongside: (ReadTransaction) throws -> Void = { _ in }
  ) throws -> [Post] {
    try database.read { reader in
      try alongside(reader)
      let posts = try reader.rows(
        Self.everyoneSQL, viewer.couple?.id, cursor.createdAt, cursor.id, limit, viewer.id,
        viewer.ownCouple, cursor.createdAt, cursor.id, limit, limit - 1, cursor.createdAt,
        cursor.id, viewer.couple?.id, limit, limit - 1, cursor.createdAt, cursor.id, limit, limit,
        make: Self.post)
      return try withPictures(posts, reader)
    }
  }

  /// "Following": posts that followed couples share, with everyone or with their followers.
  private func following(
    for viewer: Viewer, after cursor: PostCursor, limit: Int
  ) throws -> [Post] {
    try database.read { reader in
      let posts = try reader.rows(
        Self.followingSQL, viewer.id, cursor.createdAt, cursor.id, viewer.couple?.id, limit,
        cursor.createdAt, cursor.id, limit, limit, make: Self.post)
      return try withPictures(posts, reader)
    }
  }

  // Merges index scans. None reads more rows than it can return, and the scan of followed couples
  // stops at the last of a full page of public posts. Only rows of the page are joined. The
  // statement is built once, not per page.
  private static let everyoneSQL = """
    WITH of_all AS MATERIALIZED (
      SELECT p.created_at, p.id FROM posts p
      WHERE p.visibility = 'public' AND p.deleted_at IS NULL AND p.hidden_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = ?)
        AND (p.created_at, p.id) < (?, ?)
      ORDER BY p.created_at DESC, p.id DESC LIMIT ?)
    SELECT \(columns) FROM (
      SELECT id FROM (
        SELECT created_at, id FROM of_all
        UNION
        SELECT * FROM (
          SELECT p.created_at, p.id FROM posts p
          WHERE p.couple_id = ? AND p.deleted_at IS NULL AND (p.created_at, p.id) < (?, ?)
            AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
          ORDER BY p.created_at DESC, p.id DESC LIMIT ?) AS own
        UNION
        \(ofFollowed(
          where: """
            q.visibility = 'followers' AND q.created_at >= COALESCE((
              SELECT created_at FROM of_all
              ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?), 0)
            """))
      ) AS found
      ORDER BY created_at DESC, id DESC LIMIT ?
    ) AS page JOIN posts p ON p.id = page.id \(joins)
    ORDER BY p.created_at DESC, p.id DESC
    """

  private static let followingSQL = """
    SELECT \(columns) FROM (
      SELECT id FROM (\(ofFollowed(where: "q.visibility <> 'couple'"))) AS found
      ORDER BY created_at DESC, id DESC LIMIT ?
    ) AS page JOIN posts p ON p.id = page.id \(joins)
    ORDER BY p.created_at DESC, p.id DESC
    """

  /// Posts of followed couples, enough for one page before a place. Reads at most as many couples
  /// as the page has posts: those with the newest latest posts. Each other couple costs one index
  /// lookup. Whether a couple may be followed is checked only after it has a matching post.
  /// Parameters: those of `which` and the place, the follower, the limit; those of `which` and the
  /// place, the limit.
  private static func ofFollowed(where which: String) -> String {
    """
    SELECT p.created_at, p.id FROM (
      SELECT t.couple_id FROM follows f JOIN posts t ON t.id = (
          \(latest("q.couple_id = f.followed_id AND \(which)", "1")))
      WHERE f.follower_id = ?
        AND EXISTS (
          SELECT 1 FROM follows_open o
          WHERE o.follower_id = f.follower_id AND o.followed_id = t.couple_id)
      ORDER BY t.created_at DESC, t.id DESC LIMIT ?) AS y
    JOIN posts p ON p.id IN (\(latest("q.couple_id = y.couple_id AND \(which)", "?")))
    """
  }

  /// A couple's latest visible posts before a place. Parameters: those of `which`, the place, and
  /// `most` if it is a parameter.
  private static func latest(_ which: String, _ most: String) -> String {
    """
    SELECT q.id FROM posts q
    WHERE \(which) AND q.deleted_at IS NULL AND q.hidden_at IS NULL
      AND EXISTS (SELECT 1 FROM people_seen v WHERE v.id = q.author_id)
      AND (q.created_at, q.id) < (?, ?)
    ORDER BY q.created_at DESC, q.id DESC LIMIT \(most)
    """
  }
}
