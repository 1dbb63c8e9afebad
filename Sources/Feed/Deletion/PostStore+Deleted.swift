import Core
import Database

/// A post that one of its couple has deleted, and that either can still restore.
struct DeletedPost {
  let id: ID<Post>
  let content: String
  let imageCount: Int
  let deletedAt: Instant
}

extension PostStore {
  /// The posts of the viewer and, while the two are together, of the partner that were deleted since a
  /// moment, the last deleted first. Those removed by moderators are not among them.
  func deleted(
    of viewer: Viewer, since moment: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [DeletedPost] {
    try reader.rows(
      """
      SELECT id, content, image_count, deleted_at FROM posts
      WHERE couple_id = \(viewer.ownCouple)
        AND (author_id = \(viewer.id) OR (couple_id = \(viewer.sharedCouple)
          AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = author_id)))
        AND deleted_at > \(moment) AND removed_at IS NULL
      ORDER BY deleted_at DESC, id DESC LIMIT \(limit)
      """
    ) {
      DeletedPost(
        id: try $0.next(), content: try $0.next(), imageCount: try $0.next(),
        deletedAt: try $0.next())
    }
  }
}

extension PostWriter {
  /// Restores a post of a couple that was deleted since a moment; false if there is none.
  func restore(
    _ post: ID<Post>, of couple: ID<Couple>, by viewer: Viewer, since moment: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    let restored = try writer.execute(
      """
      UPDATE posts SET deleted_at = NULL
      WHERE id = \(post) AND couple_id = \(couple)
        AND (author_id = \(viewer.id)
          OR EXISTS (SELECT 1 FROM people_seen w WHERE w.id = author_id))
        AND deleted_at > \(moment) AND removed_at IS NULL
      """)
    guard restored == 1 else { return false }
    try SearchIndex().refresh(post, in: writer)
    return true
  }
}
