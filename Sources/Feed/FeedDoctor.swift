import Core
import Database

/// What must always hold of posts.
enum FeedDoctor {
  static let checks = [
    count("likes", in: "like_count", of: "likes"),
    count("pictures", in: "image_count", of: "post_images"),
  ]

  /// One of the numbers that a post keeps of rows elsewhere.
  private static func count(_ what: String, in column: String, of table: String) -> DoctorCheck {
    let wrong = """
      SELECT p.id, p.\(column), count(x.post_id) FROM posts p
      LEFT JOIN \(table) x ON x.post_id = p.id GROUP BY p.id HAVING p.\(column) <> count(x.post_id)
      """
    return DoctorCheck(
      "\(what) are counted right",
      find: {
        try $0.rows(wrong) {
          "post \(try $0.id(0, Post.self)) says \($0.int(1)) \(what) and has \($0.int(2))"
        }
      },
      repairInSteps: { database in
        // Looked for without a lock; counted anew with one, in case somebody has just liked it.
        let all = try database.read { try $0.rows(wrong) { try $0.id(0, Post.self) } }
        try database.writeInBatches(all) { post, writer in
          try writer.execute(
            """
            UPDATE posts SET \(column) = (
              SELECT count(*) FROM \(table) x WHERE x.post_id = posts.id) WHERE id = ?
            """, post)
        }
      })
  }
}
