import Accounts
import Core
import Database
import Foundation
import Images

/// This module's part of an account: posts, likes and drafts of a user.
struct FeedParticipant: AccountParticipant {
  let tables: Set<String> = ["posts", "likes", "draft_images", "answers"]

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let pictures = Dictionary(grouping: try self.pictures(of: person, reader), by: \.post)
    let posts = try reader.rows(
      """
      SELECT id, content, visibility, like_count, created_at, edited_at FROM posts
      WHERE author_id = ? AND deleted_at IS NULL ORDER BY created_at
      """, person
    ) { row in
      let id = try row.id(0, Post.self)
      return ExportedPost(
        id: id.description, content: row.text(1), visibility: row.text(2),
        likes: row.int(3), createdAt: row.instant(4).rfc3339,
        editedAt: row.optionalInstant(5)?.rfc3339,
        pictures: (pictures[id] ?? []).map {
          ExportedPicture(file: $0.name, description: $0.description)
        })
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
      ExportedFile(
        name: "follows.json", json: Array(try encoder.encode(follows(of: person, reader)))),
    ]
  }

  /// Couples followed by the user's couple.
  private func follows(of person: ID<Person>, _ reader: ReadTransaction) throws -> [ExportedFollow]
  {
    try reader.rows(
      """
      SELECT f.followed_id, c.name, f.created_at FROM couples_people m
      JOIN follows f ON f.follower_id = m.couple_id JOIN couples_seen c ON c.id = f.followed_id
      WHERE m.user_id = ? ORDER BY f.created_at
      """, person
    ) {
      ExportedFollow(
        couple: try $0.id(0, Couple.self).description, coupleName: $0.text(1),
        createdAt: $0.instant(2).rfc3339)
    }
  }

  /// Follows belong to a couple: the followed couples are copied to the new one, followers stay
  /// with the old one.
  func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction
  ) throws {
    try FollowStore.carry(from: old, to: new, in: writer)
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  {
    try pictures(of: person, reader).map { ExportedMedia(path: $0.path, name: $0.name) }
  }

  /// A picture of a post: its path on disk and its name in the export.
  private struct OwnPicture {
    let post: ID<Post>
    let path: String
    let name: String
    let description: String
  }

  private func pictures(of person: ID<Person>, _ reader: ReadTransaction) throws -> [OwnPicture] {
    try reader.rows(
      """
      SELECT p.id, p.couple_id, i.id, i.extension, i.position, i.description
      FROM posts p JOIN post_images i ON i.post_id = p.id
      WHERE p.author_id = ? AND p.deleted_at IS NULL ORDER BY p.created_at, i.position
      """, person
    ) { row in
      let (post, image) = (try row.id(0, Post.self), try row.id(2, PostImage.self))
      let folder = PictureFolders.post(post, of: try row.id(1))
      let file = PictureVariant.original.fileName(
        id: image.description, fileExtension: row.text(3))
      return OwnPicture(
        post: post, path: "\(folder)/\(file)",
        name: "photos/posts/\(post)/\(row.int(4))-\(image).\(row.text(3))",
        description: row.text(5))
    }
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try removeLikes(of: person, in: writer)
    try writer.execute("DELETE FROM draft_images WHERE user_id = ?", person)
    try writer.execute("DELETE FROM answers WHERE person_id = ?", person)
    let folders = try writer.rows(
      "DELETE FROM posts WHERE author_id = ? RETURNING id, couple_id", person
    ) { PictureFolders.post(try $0.id(0), of: try $0.id(1)) }
    try SearchIndex().sweep(in: writer)
    return folders + [PictureFolders.drafts(of: person)]
  }

  /// A guest cannot post or like, so there is nothing to move except drafts.
  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE draft_images SET user_id = ? WHERE user_id = ?", member, guest)
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The views used by every query hide the posts of deleted users.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The same views show the posts again.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Times are shown in the viewer's current time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Drafts belong to the user, not to the browser; they are kept for 24 h as before.
  }

  private func removeLikes(of person: ID<Person>, in writer: WriteTransaction) throws {
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
  let pictures: [ExportedPicture]
}

private struct ExportedPicture: Encodable {
  /// The file's name in the export.
  let file: String
  let description: String
}

private struct ExportedFollow: Encodable {
  let couple: String
  let coupleName: String
  let createdAt: String
}

private struct ExportedLike: Encodable {
  let post: String
  let createdAt: String
}
