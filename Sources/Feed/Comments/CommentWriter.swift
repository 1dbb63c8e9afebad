import Core
import Database

/// Changes comments; each method runs in its caller's transaction.
struct CommentWriter {
  /// A comment after a change: what is needed to notify or no longer notify others.
  struct Changed {
    let post: ID<Post>
    let author: ID<Person>
  }

  func add(
    _ id: ID<Comment>, _ content: String, to post: ID<Post>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    // The comment is never shown to more people than its post is now.
    try writer.execute(
      """
      INSERT INTO comments (id, post_id, author_id, content, visibility, created_at)
      SELECT \(id), id, \(viewer.id), \(content), visibility, \(now) FROM posts WHERE id = \(post)
      """)
  }

  /// Deletes a comment of the viewer, or one on a post of the viewer's couple; nil if there is none.
  /// Its row is removed after 30 days.
  func delete(
    _ id: ID<Comment>, by viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> Changed? {
    try writer.first(
      """
      UPDATE comments SET deleted_at = \(now), deleted_by = \(viewer.id)
      WHERE id = \(id) AND deleted_at IS NULL AND (author_id = \(viewer.id) OR EXISTS (
        SELECT 1 FROM posts p WHERE p.id = comments.post_id AND p.deleted_at IS NULL
          AND (p.author_id = \(viewer.id) OR p.couple_id = \(viewer.sharedCouple))))
      RETURNING post_id, author_id
      """, make: Changed.init)
  }

  /// Restores a comment that the viewer has deleted since a moment; nil if there is none.
  func restore(
    _ id: ID<Comment>, by viewer: Viewer, since moment: Instant, in writer: WriteTransaction
  ) throws -> Changed? {
    try writer.first(
      """
      UPDATE comments SET deleted_at = NULL, deleted_by = NULL
      WHERE id = \(id) AND deleted_by = \(viewer.id) AND deleted_at > \(moment)
        AND removed_at IS NULL
      RETURNING post_id, author_id
      """, make: Changed.init)
  }

  /// Marks a comment as reported: moderators may see it from now on.
  func noteReport(of id: ID<Comment>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE comments SET reported_at = coalesce(reported_at, \(now)) WHERE id = \(id)")
  }

  /// Marks a comment as not reported: moderators may not see it any more.
  func forgetReport(of id: ID<Comment>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE comments SET reported_at = NULL WHERE id = \(id)")
  }

  /// Changes what moderators decide. Restores comments removed by a moderator, but not those that
  /// a user deleted.
  func set(
    _ state: PostModeration.State, of id: ID<Comment>, now: Instant, in writer: WriteTransaction
  ) throws -> Changed? {
    switch state {
    case .shown, .hidden:
      try writer.first(
        """
        UPDATE comments
        SET hidden_at = CASE WHEN \(state == .hidden) = 1 THEN coalesce(hidden_at, \(now)) END,
          deleted_at = CASE WHEN removed_at IS NULL OR deleted_by IS NOT NULL THEN deleted_at END,
          removed_at = NULL
        WHERE id = \(id) RETURNING post_id, author_id
        """, make: Changed.init)
    case .removed:
      try writer.first(
        """
        UPDATE comments
        SET removed_at = \(now), deleted_at = coalesce(deleted_at, \(now)), hidden_at = NULL
        WHERE id = \(id) RETURNING post_id, author_id
        """, make: Changed.init)
    }
  }

  /// Removes comments that were deleted before a moment, at most `limit`; returns whether there may
  /// be more.
  func purge(
    deletedBefore moment: Instant, limit: Int, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM comments WHERE id IN (
        SELECT id FROM comments WHERE deleted_at < \(moment) LIMIT \(limit))
      """) == limit
  }
}

extension CommentWriter.Changed {
  init(_ row: inout RowReader) throws {
    self.init(post: try row.next(), author: try row.next())
  }
}
