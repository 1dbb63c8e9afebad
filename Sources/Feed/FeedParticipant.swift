import Accounts
import Basics
import Database
import Foundation

/// This room's part in a person's account: their posts, likes and drafts.
struct FeedParticipant: AccountParticipant {
  let tables: Set<String> = ["posts", "likes", "draft_images", "answers"]

  func export(_ person: ID<Person>, from reader: Reader) throws -> [ExportedFile] {
    let posts = try reader.rows(
      """
      SELECT id, content, visibility, like_count, created_at, edited_at FROM posts
      WHERE author_id = ? AND deleted_at IS NULL ORDER BY created_at
      """, person
    ) { row in
      ExportedPost(
        id: try row.id(0, Post.self).description, content: row.text(1), visibility: row.text(2),
        likes: row.int(3), createdAt: row.instant(4).rfc3339,
        editedAt: row.optionalInstant(5)?.rfc3339)
    }
    let likes = try reader.rows(
      "SELECT post_id, created_at FROM likes WHERE user_id = ? ORDER BY created_at", person
    ) {
      ExportedLike(
        post: try $0.id(0, Post.self).description, createdAt: $0.instant(1).rfc3339)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return [
      ExportedFile(name: "posts.json", json: Array(try encoder.encode(posts))),
      ExportedFile(name: "likes.json", json: Array(try encoder.encode(likes))),
    ]
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: Writer) throws -> [String] {
    try removeLikes(of: person, in: writer)
    try writer.execute("DELETE FROM draft_images WHERE user_id = ?", person)
    try writer.execute("DELETE FROM answers WHERE person_id = ?", person)
    let folders = try writer.rows(
      "DELETE FROM posts WHERE author_id = ? RETURNING id, couple_id", person
    ) { PictureFolders.post(try $0.id(0), of: try $0.id(1)) }
    return folders + [PictureFolders.drafts(of: person)]
  }

  /// A guest can't post or like, so there is nothing to move; a draft would be the member's.
  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: Writer
  ) throws {
    try writer.execute("UPDATE draft_images SET user_id = ? WHERE user_id = ?", member, guest)
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: Writer) throws {
    // Drafts belong to the person, not to the browser: they wait for 24 h as before.
  }

  private func removeLikes(of person: ID<Person>, in writer: Writer) throws {
    try writer.execute(
      """
      UPDATE posts SET like_count = like_count - 1
      WHERE id IN (SELECT post_id FROM likes WHERE user_id = ?)
      """, person)
    try writer.execute("DELETE FROM likes WHERE user_id = ?", person)
  }
}

private struct ExportedPost: Encodable {
  let id: String
  let content: String
  let visibility: String
  let likes: Int
  let createdAt: String
  let editedAt: String?
}

private struct ExportedLike: Encodable {
  let post: String
  let createdAt: String
}
