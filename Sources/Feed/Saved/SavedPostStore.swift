import Core
import Database

/// A post that the viewer saved.
struct SavedPost {
  let post: PostSummary
  let savedAt: Instant
}

/// The SQL of saved posts; every query is for one user.
struct SavedPostStore {
  /// Saves a post; one that is saved keeps its place.
  func save(_ post: ID<Post>, by viewer: Viewer, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO saved_posts (user_id, post_id, saved_at) VALUES (\(viewer.id), \(post), \(now))
      ON CONFLICT (user_id, post_id) DO NOTHING
      """)
  }

  func remove(_ post: ID<Post>, by viewer: Viewer, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM saved_posts WHERE user_id = \(viewer.id) AND post_id = \(post)")
  }

  /// Posts that the viewer saved and may still see, the last saved first.
  func page(
    of viewer: Viewer, after cursor: PageCursor<Post>, limit: Int, in reader: ReadTransaction
  ) throws -> [SavedPost] {
    try reader.rows(
      """
      SELECT \(PostSummary.columns(for: viewer)), s.saved_at
      FROM saved_posts s JOIN posts p ON p.id = s.post_id \(PostSummary.joins)
      WHERE s.user_id = \(viewer.id) AND (s.saved_at, s.post_id) < \(cursor)
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
        AND \(PostVisibility.seen(by: viewer))
      ORDER BY s.saved_at DESC, s.post_id DESC LIMIT \(limit)
      """
    ) { SavedPost(post: try PostSummary(&$0), savedAt: try $0.next()) }
  }

  /// All that a user saved, for their export.
  func all(
    of person: ID<Person>, in reader: ReadTransaction
  ) throws -> [(post: ID<Post>, savedAt: Instant)] {
    try reader.rows(
      """
      SELECT post_id, saved_at FROM saved_posts WHERE user_id = \(person)
      ORDER BY saved_at DESC, post_id DESC
      """
    ) { (try $0.next(), try $0.next()) }
  }
}
