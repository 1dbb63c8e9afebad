import Accounts
import Core
import Database

/// Reads comments of posts that the viewer was found to see.
struct CommentStore: Sendable {
  /// The latest comments of a post before one of them, the oldest first.
  func page(
    of post: ID<Post>, for viewer: Viewer?, before first: ID<Comment>?, limit: Int,
    in reader: ReadTransaction
  ) throws -> [Comment] {
    try reader.rows(
      """
      SELECT \(Comment.columns) FROM comments m \(Comment.joins)
      WHERE m.post_id = \(post) AND m.id < \(first?.bytes ?? [UInt8](repeating: 0xFF, count: 16))
        AND \(Self.seen(by: viewer))
      ORDER BY m.id DESC LIMIT \(limit)
      """, make: Comment.init
    ).reversed()
  }

  func find(
    _ id: ID<Comment>, for viewer: Viewer?, in reader: ReadTransaction
  ) throws -> Comment? {
    try reader.first(
      """
      SELECT \(Comment.columns) FROM comments m \(Comment.joins)
      WHERE m.id = \(id) AND \(Self.seen(by: viewer))
      """, make: Comment.init)
  }

  /// Whether the viewer has deleted a comment of this post since a moment and can restore it.
  func isDeleted(
    _ id: ID<Comment>, of post: ID<Post>, by viewer: Viewer, since moment: Instant,
    in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM comments WHERE id = \(id) AND post_id = \(post) AND deleted_by = \(viewer.id)
        AND deleted_at > \(moment) AND removed_at IS NULL
      """)
  }

  /// The viewer's comment with this text on this post since a moment, if any.
  func repeated(
    _ content: String, on post: ID<Post>, by viewer: Viewer, since moment: Instant,
    in reader: ReadTransaction
  ) throws -> ID<Comment>? {
    try reader.value(
      """
      SELECT id FROM comments WHERE post_id = \(post) AND author_id = \(viewer.id)
        AND created_at > \(moment) AND content = \(content) AND deleted_at IS NULL
      ORDER BY id DESC LIMIT 1
      """)
  }

  /// Whether a couple's comments are shown to others.
  func isOpen(_ couple: ID<Couple>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM couples_open WHERE id = \(couple)")
  }

  /// Whether a user has a comment on a post that others see.
  func hasCommented(
    _ person: ID<Person>, on post: ID<Post>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM comments WHERE author_id = \(person) AND post_id = \(post)
        AND deleted_at IS NULL AND hidden_at IS NULL LIMIT 1
      """)
  }

  /// The authors of a post's latest comments who still see the post.
  func participants(
    of post: ID<Post>, latest limit: Int, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT DISTINCT u.id FROM (
        SELECT author_id FROM comments
        WHERE post_id = \(post) AND deleted_at IS NULL AND hidden_at IS NULL
        ORDER BY id DESC LIMIT \(limit)) AS x
      JOIN users u ON u.id = x.author_id JOIN posts p ON p.id = \(post)
      WHERE \(PostVisibility.seen(byUser: "u.id", ofCouple: "u.couple_id"))
      """)
  }

  /// A reported comment, for moderators: never one on a post that is or was visible to its couple
  /// only, nor one that was deleted by a user.
  func moderated(
    _ id: ID<Comment>, in reader: ReadTransaction
  ) throws -> Comment? {
    try reader.first(
      """
      SELECT \(Comment.columns) FROM comments m \(Comment.joins)
      WHERE m.id = \(id) AND m.reported_at IS NOT NULL AND p.visibility <> 'couple'
        AND m.visibility <> 'couple'
        AND p.deleted_at IS NULL AND (m.deleted_at IS NULL OR m.removed_at IS NOT NULL)
      """, make: Comment.init)
  }

  /// The comment is seen by this viewer, who sees its post. Others see no comments of couples that
  /// are hidden, frozen, removed, or blocked by or from the viewer's couple or the post's, and none
  /// that were written for fewer people.
  private static func seen(by viewer: Viewer?) -> Query {
    """
    m.deleted_at IS NULL AND (m.author_id = \(viewer?.id) OR (
      m.hidden_at IS NULL
      AND (u.couple_id IS NULL OR u.couple_id = \(viewer?.couple?.id)
        OR EXISTS (SELECT 1 FROM couples_open k WHERE k.id = u.couple_id))
      AND NOT EXISTS (
        SELECT 1 FROM couples_apart x
        WHERE x.one_id = u.couple_id AND x.other_id IN (\(viewer?.couple?.id), p.couple_id))
      AND (m.visibility = 'public'
        OR EXISTS (
          SELECT 1 FROM couples_own o
          WHERE o.couple_id = p.couple_id AND o.user_id = \(viewer?.id))
        OR (m.visibility = 'followers' AND EXISTS (
          SELECT 1 FROM follows_open f
          WHERE f.followed_id = p.couple_id AND f.follower_id = \(viewer?.couple?.id))))))
    """
  }
}

extension Comment {
  static let columns: Query = """
    m.id, m.post_id, m.author_id, w.name, w.avatar, u.couple_id,
    (SELECT c.name FROM couples_seen c WHERE c.id = u.couple_id), m.content, m.created_at,
    m.hidden_at IS NOT NULL
    """

  /// Leaves out comments of deleted accounts.
  static let joins: Query = """
    JOIN people_seen w ON w.id = m.author_id JOIN users u ON u.id = m.author_id
    JOIN posts p ON p.id = m.post_id
    """

  init(_ row: inout RowReader) throws {
    id = try row.next()
    post = try row.next()
    author = try row.next()
    avatar = Viewer.Avatar(
      name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media))
    let (couple, name) = (try row.next(ID<Couple>?.self), try row.next(String?.self))
    self.couple = couple.flatMap { couple in name.map { (couple, $0) } }
    content = try row.next()
    createdAt = try row.next()
    isHidden = try row.next()
  }
}
