import Core
import Database

/// Consistency checks of posts.
enum FeedDoctor {
  static let checks = [
    count("likes", in: "like_count", of: "likes"),
    count("pictures", in: "image_count", of: "post_images"),
    count(
      "comments", in: "comment_count", of: "comments",
      where: "x.deleted_at IS NULL AND x.hidden_at IS NULL"),
  ]

  /// Checks a counter column of posts against the rows it counts.
  private static func count(
    _ what: String, in column: Query, of table: Query, where condition: Query = "true"
  ) -> DoctorCheck {
    let wrong: Query = """
      SELECT p.id, p.\(column), count(x.post_id) FROM posts p
      LEFT JOIN \(table) x ON x.post_id = p.id AND \(condition) GROUP BY p.id HAVING p.\(column) <> count(x.post_id)
      """
    return DoctorCheck(
      "counts of \(what) are correct",
      find: {
        try $0.rows(wrong) {
          "post \(try $0.next(ID<Post>.self)) has the count \(try $0.next(Int.self)) but \(try $0.next(Int.self)) \(what)"
        }
      },
      repairInSteps: { database in
        // Wrong rows are found without a lock. They are counted again under the lock, because a
        // like may have been added in between.
        let all = try database.read {
          try $0.values("SELECT id FROM (\(wrong)) AS wrong", as: ID<Post>.self)
        }
        try database.writeInBatches(all) { post, writer in
          try writer.execute(
            """
            UPDATE posts SET \(column) = (
              SELECT count(*) FROM \(table) x WHERE x.post_id = posts.id AND \(condition))
            WHERE id = \(post)
            """)
        }
      })
  }
}
