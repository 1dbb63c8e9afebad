import Core
import Database
import Web

/// A post before it has a row.
struct NewPost {
  let id: ID<Post>
  let content: String
  let visibility: Visibility
}

/// The edit of one picture of a post, or of one that is added.
struct PictureEdit: Equatable {
  let id: ID<PostImage>
  let order: Int
  let description: String
  let isRemoved: Bool
}

/// Changes posts; each method runs in its caller's transaction.
struct PostWriter {
  func add(
    _ post: NewPost, couple: ID<Couple>, by viewer: Viewer, images: [(Draft, String)],
    now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO posts (id, couple_id, author_id, content, visibility, image_count, created_at)
      VALUES (\(post.id), \(couple), \(viewer.id), \(post.content), \(post.visibility.rawValue),
        \(images.count), \(now))
      """)
    for (position, (draft, description)) in images.enumerated() {
      try add(draft, description: description, to: post.id, at: position + 1, in: writer)
    }
    try SearchIndex().add(post.id, post.content, at: now, in: writer)
  }

  /// Adds a picture to a post at this position, from 1.
  func add(
    _ draft: Draft, description: String, to post: ID<Post>, at position: Int,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO post_images
        (id, post_id, position, extension, width, height, has_webp, bytes, description)
      VALUES (\(draft.id), \(post), \(position), \(draft.picture.fileExtension),
        \(draft.picture.width), \(draft.picture.height), \(draft.picture.hasWebP), \(draft.bytes),
        \(description))
      """)
  }

  /// Edits a post; false if the viewer is not the author. A visibility of nil leaves it as it is by
  /// now.
  func edit(
    _ post: ID<Post>, content: String, visibility: Visibility?, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    let edited = try writer.execute(
      """
      UPDATE posts SET content = \(content),
        visibility = coalesce(\(visibility?.rawValue), visibility), edited_at = \(now)
      WHERE id = \(post) AND author_id = \(viewer.id) AND deleted_at IS NULL
      """)
    guard edited == 1 else { return false }
    try SearchIndex().refresh(post, in: writer)
    return true
  }

  /// Applies the edits of the pictures: removes some, reorders the rest. Throws 409 if one of them
  /// has been renamed or removed meanwhile, or the post has more pictures than allowed then.
  func arrange(_ edits: [PictureEdit], of post: ID<Post>, in writer: WriteTransaction) throws {
    for removed in edits where removed.isRemoved {
      let count = try writer.execute(
        "DELETE FROM post_images WHERE id = \(removed.id) AND post_id = \(post)")
      guard count == 1 else { throw Problem(.conflict) }
    }
    let kept = edits.filter { !$0.isRemoved }
    let ordered = kept.enumerated().sorted {
      ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
    }
    for (position, edit) in ordered.map(\.element).enumerated() {
      let count = try writer.execute(
        """
        UPDATE post_images SET position = \(position + 1), description = \(edit.description)
        WHERE id = \(edit.id) AND post_id = \(post)
        """)
      guard count == 1 else { throw Problem(.conflict) }
    }
    let count = try writer.value(
      """
      UPDATE posts SET image_count = (SELECT count(*) FROM post_images WHERE post_id = posts.id)
      WHERE id = \(post) RETURNING image_count
      """, as: Int.self)
    if (count ?? 0) > PostRules.maximumImages { throw Problem(.conflict) }
  }

  /// Updates the id of a picture whose files were renamed.
  func rename(_ image: ID<PostImage>, to new: ID<PostImage>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE post_images SET id = \(new) WHERE id = \(image)")
  }

  /// Soft-deletes a post: files and row are removed after 30 days. False if it is neither the
  /// viewer's nor the partner's.
  func delete(_ post: ID<Post>, by viewer: Viewer, now: Instant, in writer: WriteTransaction) throws
    -> Bool
  {
    let deleted = try writer.execute(
      """
      UPDATE posts SET deleted_at = \(now)
      WHERE id = \(post) AND deleted_at IS NULL
        AND (author_id = \(viewer.id) OR couple_id = \(viewer.sharedCouple))
      """)
    guard deleted == 1 else { return false }
    try SearchIndex().remove(post, in: writer)
    return true
  }

  /// Lets only the couple see a post; false if it is neither the viewer's nor the partner's.
  func narrow(_ post: ID<Post>, by viewer: Viewer, in writer: WriteTransaction) throws -> Bool {
    let narrowed = try writer.execute(
      """
      UPDATE posts SET visibility = \(Visibility.couple.rawValue)
      WHERE id = \(post) AND deleted_at IS NULL
        AND (author_id = \(viewer.id) OR couple_id = \(viewer.sharedCouple))
      """)
    guard narrowed == 1 else { return false }
    try SearchIndex().refresh(post, in: writer)
    return true
  }

  /// Adds a like; idempotent. Returns whether it is new.
  @discardableResult
  func like(_ post: ID<Post>, by viewer: Viewer, now: Instant, in writer: WriteTransaction) throws
    -> Bool
  {
    let added = try writer.execute(
      """
      INSERT INTO likes (post_id, user_id, created_at) VALUES (\(post), \(viewer.id), \(now))
      ON CONFLICT (post_id, user_id) DO NOTHING
      """)
    if added == 1 {
      try writer.execute("UPDATE posts SET like_count = like_count + 1 WHERE id = \(post)")
    }
    return added == 1
  }

  func unlike(_ post: ID<Post>, by viewer: Viewer, in writer: WriteTransaction) throws {
    let removed = try writer.execute(
      "DELETE FROM likes WHERE post_id = \(post) AND user_id = \(viewer.id)")
    if removed == 1 {
      try writer.execute("UPDATE posts SET like_count = like_count - 1 WHERE id = \(post)")
    }
  }
}
