import Accounts
import Core
import Database

/// Reads posts, always from the point of view of a viewer.
public struct PostStore: Sendable {
  let database: Database

  static func count(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM posts WHERE deleted_at IS NULL")
  }

  /// Removes the rows of posts that were deleted before a moment; returns their identifiers.
  static func purge(
    deletedBefore moment: Instant, in writer: WriteTransaction
  ) throws -> [(ID<Post>, ID<Couple>)] {
    try writer.rows("DELETE FROM posts WHERE deleted_at < \(moment) RETURNING id, couple_id") {
      (try $0.next(), try $0.next())
    }
  }

  public init(database: Database) {
    self.database = database
  }

  /// A post that this viewer may see; nil if absent or forbidden.
  public func visible(_ id: ID<Post>, to viewer: Viewer?) throws -> Post? {
    try database.read { try visible(id, to: viewer, in: $0) }
  }

  func visible(_ id: ID<Post>, to viewer: Viewer?, in reader: ReadTransaction) throws -> Post? {
    let post = try reader.first(
      """
      SELECT \(Self.columns(for: viewer)) FROM posts p \(Self.joins)
      WHERE p.id = \(id) AND \(PostVisibility.seen(by: viewer))
      """, make: Post.init)
    return try post.flatMap { try withPictures([$0], reader).first }
  }

  /// Those of these posts that this viewer may see.
  func visible(_ ids: [ID<Post>], to viewer: Viewer?) throws -> [Post] {
    try database.read { try withPictures(visible(ids, to: viewer, in: $0), $0) }
  }

  /// Those of these posts that this viewer may see, without their pictures.
  func visible(_ ids: [ID<Post>], to viewer: Viewer?, in reader: ReadTransaction) throws -> [Post] {
    try reader.rows(
      """
      SELECT \(Self.columns(for: viewer)) FROM posts p \(Self.joins)
      WHERE p.id IN \(IDList(ids)) AND \(PostVisibility.seen(by: viewer))
      """, make: Post.init)
  }

  /// A reported post, for moderators: never one visible to the couple only, nor one deleted by its
  /// author.
  func moderated(
    _ id: ID<Post>, onlyReported: Bool = true
  ) throws -> (post: Post, state: PostModeration.State)? {
    try database.read { reader in
      let found = try reader.first(
        """
        SELECT \(Self.columns(for: nil)), p.hidden_at IS NOT NULL, p.removed_at IS NOT NULL
        FROM posts p \(Self.joins)
        WHERE p.id = \(id) AND \(PostVisibility.moderated(onlyReported: onlyReported))
        """
      ) { row -> (post: Post, state: PostModeration.State) in
        let post = try Post(&row)
        let (isHidden, isRemoved) = (try row.next(Bool.self), try row.next(Bool.self))
        return (post, isRemoved ? .removed : isHidden ? .hidden : .shown)
      }
      return try found.map { (try withPictures([$0.post], reader)[0], $0.state) }
    }
  }

  /// A couple's posts that this viewer may see, newest first.
  func of(
    _ couple: ID<Couple>, for viewer: Viewer?, after cursor: PageCursor<Post>, limit: Int
  ) throws -> [PostSummary] {
    try database.read { reader in
      let isOwn = try reader.exists(
        """
        SELECT 1 FROM couples_own WHERE couple_id = \(couple) AND user_id = \(viewer?.id) LIMIT 1
        """)
      return try reader.rows(
        """
        SELECT \(PostSummary.columns(for: viewer)) FROM posts p \(PostSummary.joins)
        WHERE p.couple_id = \(couple) AND p.deleted_at IS NULL
          AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
          AND (p.created_at, p.id) < \(cursor)
          AND (\(isOwn) = 1
            OR (p.hidden_at IS NULL AND \(PostVisibility.shown(to: viewer?.couple?.id))))
        ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)
        """, make: PostSummary.init)
    }
  }

  /// Adds the pictures to posts, with one query.
  func withPictures(_ posts: [Post], _ reader: ReadTransaction) throws -> [Post] {
    let wanted = posts.filter { $0.imageCount > 0 }.map(\.id)
    guard !wanted.isEmpty else { return posts }
    let rows = try reader.rows(
      """
      SELECT post_id, \(Picture.columns) FROM post_images
      WHERE post_id IN \(IDList(wanted)) ORDER BY post_id, position
      """
    ) { (post: try $0.next(ID<Post>.self), picture: try Picture(&$0)) }
    let pictures = Dictionary(grouping: rows, by: \.post)
    return posts.map { post in
      var post = post
      post.pictures = pictures[post.id, default: []].map(\.picture)
      return post
    }
  }

  /// One picture of a post that was found visible before.
  func picture(_ id: ID<PostImage>, of post: Post) throws -> Picture? {
    try database.read { reader in
      try reader.first(
        "SELECT \(Picture.columns) FROM post_images WHERE id = \(id) AND post_id = \(post.id)",
        make: Picture.init)
    }
  }

  // MARK: Columns

  static func columns(for viewer: Viewer?) -> Query {
    """
    p.id, p.couple_id, c.name, c.avatar, c.anniversary, c.first_name, c.first_avatar,
    c.second_name, c.second_avatar, p.author_id, w.name, w.avatar, p.content, p.visibility,
    p.like_count,
    EXISTS (SELECT 1 FROM likes l WHERE l.post_id = p.id AND l.user_id = \(viewer?.id)),
    EXISTS (SELECT 1 FROM saved_posts b WHERE b.post_id = p.id AND b.user_id = \(viewer?.id)),
    p.comment_count, p.created_at, p.edited_at, p.image_count, p.version, k.version
    """
  }

  static let joins: Query = """
    JOIN couples_seen c ON c.id = p.couple_id JOIN people_seen w ON w.id = p.author_id
    \(PostSummary.joins)
    """
}

extension Post {
  /// Reads `PostStore.columns`.
  init(_ row: inout RowReader) throws {
    self.init(
      id: try row.next(), couple: try row.next(), coupleName: try row.next(),
      coupleAvatar: try row.next(String?.self).map(AccountLinks.media),
      anniversary: try row.next(), people: try CoupleAvatars.read(&row),
      author: try row.next(), authorName: try row.next(),
      authorAvatar: try row.next(String?.self).map(AccountLinks.media), content: try row.next(),
      visibility: Visibility(rawValue: try row.next()) ?? .couple, likeCount: try row.next(),
      isLiked: try row.next(), isSaved: try row.next(), commentCount: try row.next(),
      createdAt: try row.next(),
      editedAt: try row.next(), imageCount: try row.next(),
      version: PostVersion(post: try row.next(), couple: try row.next()))
  }
}

extension Picture {
  static let columns: Query = "id, extension, width, height, has_webp, description"

  init(_ row: inout RowReader) throws {
    self.init(
      id: try row.next(), fileExtension: try row.next(), width: try row.next(),
      height: try row.next(), hasWebP: try row.next(), description: try row.next())
  }
}
