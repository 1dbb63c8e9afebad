import Accounts
import Core
import Database
import Foundation
import Images

/// This module's part of an account: posts, likes, saved posts, comments and drafts of a user.
struct FeedParticipant: AccountParticipant {
  /// A guest cannot post, like, save or comment, so there is nothing to move except drafts.
  let tables = [
    PersonalTable("likes", purge: .custom), PersonalTable("saved_posts"),
    PersonalTable("draft_images", merge: .move),
    PersonalTable("answers", owner: "person_id"), PersonalTable("comments", owner: "author_id"),
    PersonalTable("comments", owner: "deleted_by", purge: .clear),
    PersonalTable("posts", owner: "author_id", purge: .custom),
  ]

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let pictures = Dictionary(grouping: try self.pictures(of: person, reader), by: \.post)
    let posts = try reader.rows(
      """
      SELECT id, content, visibility, like_count, created_at, edited_at FROM posts
      WHERE author_id = \(person) AND deleted_at IS NULL ORDER BY created_at
      """
    ) { row in
      let id = try row.next(ID<Post>.self)
      return ExportedPost(
        id: id.description, content: try row.next(), visibility: try row.next(),
        likes: try row.next(), createdAt: try row.next(Instant.self).rfc3339,
        editedAt: try row.next(Instant?.self)?.rfc3339,
        pictures: (pictures[id] ?? []).map {
          ExportedPicture(file: $0.name, description: $0.description)
        })
    }
    let likes = try reader.rows(
      "SELECT post_id, created_at FROM likes WHERE user_id = \(person) ORDER BY created_at"
    ) {
      ExportedLike(
        post: try $0.next(ID<Post>.self).description, createdAt: try $0.next(Instant.self).rfc3339)
    }
    let comments = try reader.rows(
      """
      SELECT post_id, content, created_at FROM comments
      WHERE author_id = \(person) AND deleted_at IS NULL ORDER BY id
      """
    ) {
      ExportedComment(
        post: try $0.next(ID<Post>.self).description, content: try $0.next(),
        createdAt: try $0.next(Instant.self).rfc3339)
    }
    let saved = try SavedPostStore().all(of: person, in: reader).map {
      ExportedSavedPost(post: $0.post.description, savedAt: $0.savedAt.rfc3339)
    }
    return [
      try ExportedFile(name: "posts.json", encoding: posts),
      try ExportedFile(name: "likes.json", encoding: likes),
      try ExportedFile(name: "saved-posts.json", encoding: saved),
      try ExportedFile(name: "comments.json", encoding: comments),
      try ExportedFile(name: "follows.json", encoding: follows(of: person, reader)),
    ]
  }

  /// Couples followed by the user's couple.
  private func follows(of person: ID<Person>, _ reader: ReadTransaction) throws -> [ExportedFollow]
  {
    try reader.rows(
      """
      SELECT f.followed_id, c.name, f.created_at FROM couples_people m
      JOIN follows f ON f.follower_id = m.couple_id JOIN couples_seen c ON c.id = f.followed_id
      WHERE m.user_id = \(person) ORDER BY f.created_at
      """
    ) {
      ExportedFollow(
        couple: try $0.next(ID<Couple>.self).description, coupleName: try $0.next(),
        createdAt: try $0.next(Instant.self).rfc3339)
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
      WHERE p.author_id = \(person) AND p.deleted_at IS NULL ORDER BY p.created_at, i.position
      """
    ) { row in
      let (post, couple) = (try row.next(ID<Post>.self), try row.next(ID<Couple>.self))
      let (image, fileExtension) = (try row.next(ID<PostImage>.self), try row.next(String.self))
      let file = PictureVariant.original.fileName(
        id: image.description, fileExtension: fileExtension)
      return OwnPicture(
        post: post, path: "\(PictureFolders.post(post, of: couple))/\(file)",
        name: "photos/posts/\(post)/\(try row.next(Int.self))-\(image).\(fileExtension)",
        description: try row.next())
    }
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try removeLikes(of: person, in: writer)
    try tables.purge(person, in: writer)
    let folders = try writer.rows(
      "DELETE FROM posts WHERE author_id = \(person) RETURNING id, couple_id"
    ) { PictureFolders.post(try $0.next(), of: try $0.next()) }
    try SearchIndex().sweep(in: writer)
    return folders + [PictureFolders.drafts(of: person)]
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
      WHERE id IN (SELECT post_id FROM likes WHERE user_id = \(person))
      """)
    try writer.execute("DELETE FROM likes WHERE user_id = \(person)")
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

private struct ExportedComment: Encodable {
  let post: String
  let content: String
  let createdAt: String
}

private struct ExportedSavedPost: Encodable {
  let post: String
  let savedAt: String
}

private struct ExportedLike: Encodable {
  let post: String
  let createdAt: String
}
