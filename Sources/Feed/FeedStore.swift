import Accounts
import Core
import Database

/// The feed and its two tabs.
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

  /// "Everyone": public posts of all couples, one's own, and what followed couples show to their
  /// followers (docs/developer/product.md#visibility).
  ///
  /// `alongside` asks more in the same view.
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

  /// "Following": what followed couples show, to all or to their followers.
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

  // Walks down indexes, merged: none looks at more rows than it may give back, and those of followed
  // couples not behind the last of a full page of public ones. Only what is on the page is joined.
  // Put together once, not for every page.
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

  /// Posts of those whom a couple follows, of which a page before a place can be made. It is made of
  /// the posts of no more couples than it has posts, those whose latest ones are the newest: so each of
  /// the others costs one look. Whether a couple may be followed is asked once it has something to show.
  /// Parameters: those of `which` and the place, the follower, the number; those of `which` and the
  /// place, the number.
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

  /// The latest posts before a place of those that one shows. Parameters: those of `which`, the place,
  /// and `most` if it is one.
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
