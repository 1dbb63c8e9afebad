import Core
import Database

/// A post that its author has deleted and can still restore.
struct DeletedPost {
  let id: ID<Post>
  let content: String
  let imageCount: Int
  let deletedAt: Instant
}

extension PostStore {
  /// The posts of the viewer and of the viewer's couple that the viewer has deleted since a moment,
  /// the last deleted first. Those removed by moderators are not among them.
  func deleted(
    by viewer: Viewer, since moment: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [DeletedPost] {
    try reader.rows(
      """
      SELECT id, content, image_count, deleted_at FROM posts
      WHERE author_id = \(viewer.id) AND couple_id = \(viewer.ownCouple)
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
  /// Restores a post that the viewer has deleted since a moment; false if there is none.
  func restore(
    _ post: ID<Post>, of couple: ID<Couple>, by viewer: Viewer, since moment: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    let restored = try writer.execute(
      """
      UPDATE posts SET deleted_at = NULL
      WHERE id = \(post) AND author_id = \(viewer.id) AND couple_id = \(couple)
        AND deleted_at > \(moment) AND removed_at IS NULL
      """)
    guard restored == 1 else { return false }
    try SearchIndex().refresh(post, in: writer)
    return true
  }
}
