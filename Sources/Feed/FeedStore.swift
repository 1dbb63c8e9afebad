import Core
import Database

/// The feed with its two tabs.
extension PostStore {
  /// A page of the feed, newest first, of posts older than `cursor`.
  func feed(
    _ scope: FeedScope, for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int
  ) throws -> [PostSummary] {
    try database.read {
      try feed(scope, for: viewer, after: cursor, limit: limit, in: $0)
    }
  }

  /// The same in a transaction of the caller.
  func feed(
    _ scope: FeedScope, for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int,
    in reader: ReadTransaction
  ) throws -> [PostSummary] {
    switch scope {
    case .everyone: try everyone(for: viewer, after: cursor, limit: limit, in: reader)
    case .following: try following(for: viewer, after: cursor, limit: limit, in: reader)
    }
  }

  /// "Everyone": public posts of all couples, the viewer's own posts, and posts that followed
  /// couples share with their followers (docs/developer/product.md#visibility).
  ///
  /// Each kind is read by a statement that walks down an index. A single statement would merge them
  /// in temporary tables of SQLite, which cost more than the walks.
  func everyone(
    for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    let open = try reader.rows(
      """
      SELECT \(PostSummary.columns(for: viewer)) FROM posts p \(PostSummary.openJoins)
      WHERE \(PostVisibility.openInOpenCouple)
        AND \(PostVisibility.isNotBlocked(for: viewer.couple?.id))
        AND (p.created_at, p.id) < \(cursor)
      ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)
      """, make: PostSummary.init)
    guard let couple = viewer.couple?.id else { return open }
    // Older posts have no place on a page that is full.
    let oldest = open.count < limit ? nil : open.last?.createdAt
    let span = FeedSpan(
      since: oldest ?? Instant(milliseconds: 0), before: cursor, limit: limit)
    let others =
      try own(viewer, span, in: reader) + sharedWithFollowers(couple, viewer, span, in: reader)
    if others.isEmpty { return open }
    let known = Set(open.map(\.id))
    let all = open + others.filter { !known.contains($0.id) }
    return Array(all.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }.prefix(limit))
  }

  /// The posts of the viewer's couple, of any visibility.
  private func own(
    _ viewer: Viewer, _ span: FeedSpan, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    guard let couple = viewer.ownCouple else { return [] }
    return try reader.rows(
      """
      SELECT \(PostSummary.columns(for: viewer)) FROM posts p \(PostSummary.joins)
      WHERE p.couple_id = \(couple) AND p.deleted_at IS NULL
        AND p.created_at >= \(span.since) AND (p.created_at, p.id) < \(span.before)
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
      ORDER BY p.created_at DESC, p.id DESC LIMIT \(span.limit)
      """, make: PostSummary.init)
  }

  /// The posts that couples followed by this one share with their followers only. Whether there is
  /// one is looked up first: usually there is none.
  private func sharedWithFollowers(
    _ couple: ID<Couple>, _ viewer: Viewer, _ span: FeedSpan, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    let condition: Query = "q.visibility = 'followers' AND q.created_at >= \(span.since)"
    let isAny = try reader.exists(
      """
      SELECT 1 FROM follows f WHERE f.follower_id = \(couple) AND EXISTS (
        SELECT 1 FROM posts q WHERE q.couple_id = f.followed_id AND \(condition)
          AND q.deleted_at IS NULL AND q.hidden_at IS NULL
          AND (q.created_at, q.id) < \(span.before))
      LIMIT 1
      """)
    guard isAny else { return [] }
    let followed = FollowedPosts(
      condition: condition, couple: couple, cursor: span.before, limit: span.limit)
    return try posts(followed, for: viewer, in: reader)
  }

  /// "Following": posts that followed couples share, with everyone or with their followers.
  private func following(
    for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    let followed = FollowedPosts(
      condition: "q.visibility <> 'couple'", couple: viewer.couple?.id, cursor: cursor,
      limit: limit)
    return try posts(followed, for: viewer, in: reader)
  }

  private func posts(
    _ followed: FollowedPosts, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    try reader.rows(
      """
      SELECT \(PostSummary.columns(for: viewer)) FROM (
        SELECT id FROM (\(followed.query)) AS found
        ORDER BY created_at DESC, id DESC LIMIT \(followed.limit)
      ) AS page JOIN posts p ON p.id = page.id \(PostSummary.joins)
      ORDER BY p.created_at DESC, p.id DESC
      """, make: PostSummary.init)
  }
}

/// The place of a page in the feed: posts since a moment, before a place, at most a number of them.
private struct FeedSpan {
  let since: Instant
  let before: PageCursor<Post>
  let limit: Int
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
