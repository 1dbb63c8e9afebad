import Accounts
import Core
import Database

/// Reads posts, always from the point of view of a viewer.
public struct PostStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// A post that this viewer may see; nil if absent or forbidden.
  public func visible(_ id: ID<Post>, to viewer: Viewer?) throws -> Post? {
    try database.read { try visible(id, to: viewer, in: $0) }
  }

  func visible(_ id: ID<Post>, to viewer: Viewer?, in reader: ReadTransaction) throws -> Post? {
    let post = try reader.first(
      "SELECT \(Self.columns) FROM posts p \(Self.joins) WHERE p.id = ? AND \(Self.seen)",
      viewer?.id, id, viewer?.couple?.id, viewer?.couple?.id, viewer?.id, make: Self.post)
    return try post.flatMap { try withPictures([$0], reader).first }
  }

  /// Those of these posts that this viewer may see, without their pictures.
  func visible(_ ids: [ID<Post>], to viewer: Viewer, in reader: ReadTransaction) throws -> [Post] {
    var found: [Post] = []
    for start in stride(from: 0, to: ids.count, by: PostRules.pageSize) {
      let some = ids[start..<min(start + PostRules.pageSize, ids.count)]
      // One statement for any number of posts: unused parameters are NULL and match nothing.
      let padding = [ID<Post>?](repeating: nil, count: PostRules.pageSize - some.count)
      let values: [any Bindable] =
        [viewer.id as ID<Person>?] + some.map { $0 as ID<Post>? } + padding
        + [viewer.couple?.id, viewer.couple?.id] + [viewer.id as ID<Person>?]
      found += try reader.rows(Self.visibleOnes, values: values, make: Self.post)
    }
    return found
  }

  private static let visibleOnes = {
    let places = [String](repeating: "?", count: PostRules.pageSize).joined(separator: ", ")
    return "SELECT \(columns) FROM posts p \(joins) WHERE p.id IN (\(places)) AND \(seen)"
  }()

  /// Whether the viewer sees a post. Parameters: the couple twice, then the user.
  private static let seen = """
    p.deleted_at IS NULL AND (
      (p.hidden_at IS NULL AND \(shownToOthers))
      OR EXISTS (SELECT 1 FROM couples_own o WHERE o.couple_id = p.couple_id AND o.user_id = ?))
    """

  /// A reported post, for moderators: never one visible to the couple only, nor one deleted by its
  /// author.
  func moderated(
    _ id: ID<Post>, onlyReported: Bool = true
  ) throws -> (post: Post, state: PostModeration.State)? {
    try database.read { reader in
      let found = try reader.first(
        """
        SELECT \(Self.columns), p.hidden_at, p.removed_at FROM posts p \(Self.joins)
        WHERE p.id = ? AND p.visibility <> 'couple' AND (p.reported_at IS NOT NULL OR NOT ?)
          AND (p.deleted_at IS NULL OR p.removed_at IS NOT NULL)
        """, ID<Person>?.none, id, onlyReported
      ) { row -> (post: Post, state: PostModeration.State) in
        let state: PostModeration.State =
          !row.isNull(20) ? .removed : !row.isNull(19) ? .hidden : .shown
        return (try Self.post(row), state)
      }
      return try found.map { (try withPictures([$0.post], reader)[0], $0.state) }
    }
  }

  /// A couple's posts that this viewer may see, newest first.
  public func of(
    _ couple: ID<Couple>, for viewer: Viewer?, after cursor: PostCursor, limit: Int
  ) throws -> [Post] {
    try database.read { reader in
      let isOwn = try reader.exists(
        "SELECT 1 FROM couples_own WHERE couple_id = ? AND user_id = ? LIMIT 1", couple, viewer?.id)
      let posts = try reader.rows(
        """
        SELECT \(Self.columns) FROM posts p \(Self.joins)
        WHERE p.couple_id = ? AND p.deleted_at IS NULL AND (p.created_at, p.id) < (?, ?)
          AND (? OR (p.hidden_at IS NULL AND \(Self.shownToOthers)))
        ORDER BY p.created_at DESC, p.id DESC LIMIT ?
        """, viewer?.id, couple, cursor.createdAt, cursor.id, isOwn, viewer?.couple?.id,
        viewer?.couple?.id, limit, make: Self.post)
      return try withPictures(posts, reader)
    }
  }

  /// Adds the pictures to posts, with one query per batch.
  func withPictures(_ posts: [Post], _ reader: ReadTransaction) throws -> [Post] {
    let wanted = posts.filter { $0.imageCount > 0 }.map { $0.id }
    guard !wanted.isEmpty else { return posts }
    var found: [ID<Post>: [Picture]] = [:]
    // One statement for any number of posts: unused parameters are NULL and match nothing.
    let size = PostRules.pageSize + 1
    for start in stride(from: 0, to: wanted.count, by: size) {
      let some = wanted[start..<min(start + size, wanted.count)]
      let padding = [ID<Post>?](repeating: nil, count: size - some.count)
      let rows = try reader.rows(
        Self.picturesOfPosts, values: some.map { $0 as ID<Post>? } + padding
      ) {
        (try $0.id(0, Post.self), try Self.picture($0, from: 1))
      }
      for (post, picture) in rows { found[post, default: []].append(picture) }
    }
    var posts = posts
    for place in posts.indices {
      posts[place].pictures = found[posts[place].id] ?? []
    }
    return posts
  }

  private static let picturesOfPosts = {
    let places = [String](repeating: "?", count: PostRules.pageSize + 1).joined(separator: ", ")
    return """
      SELECT post_id, \(pictureColumns) FROM post_images
      WHERE post_id IN (\(places)) ORDER BY post_id, position
      """
  }()

  /// One picture of a post that was found visible before.
  func picture(_ id: ID<PostImage>, of post: Post) throws -> Picture? {
    try database.read { reader in
      try reader.first(
        "SELECT \(Self.pictureColumns) FROM post_images WHERE id = ? AND post_id = ?", id, post.id
      ) { try Self.picture($0, from: 0) }
    }
  }

  /// Whether a post is visible beyond its couple and to the viewer's couple, which is the next two
  /// parameters. Followers of an open couple are never separated from it by a block.
  static let shownToOthers = """
    ((p.visibility = 'public'
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = ?))
      OR (p.visibility = 'followers' AND EXISTS (
          SELECT 1 FROM follows_open f WHERE f.followed_id = p.couple_id AND f.follower_id = ?)))
    """

  // MARK: Columns

  private static let pictureColumns = "id, extension, width, height, has_webp, description"

  static func picture(_ row: Row, from column: Int32) throws -> Picture {
    Picture(
      id: try row.id(column), fileExtension: row.text(column + 1), width: row.int(column + 2),
      height: row.int(column + 3), hasWebP: row.flag(column + 4),
      description: row.text(column + 5))
  }

  /// The first parameter is the viewer's id, for whether the viewer likes the post.
  static let columns = """
    p.id, p.couple_id, c.name, c.anniversary, c.first_name, c.first_avatar, c.second_name,
    c.second_avatar, p.author_id, w.name, p.content, p.visibility, p.like_count,
    EXISTS (SELECT 1 FROM likes l WHERE l.post_id = p.id AND l.user_id = ?),
    p.created_at, p.edited_at, p.image_count, c.avatar, w.avatar
    """

  static let joins = """
    JOIN couples_seen c ON c.id = p.couple_id JOIN people_seen w ON w.id = p.author_id
    """

  static func post(_ row: Row) throws -> Post {
    Post(
      id: try row.id(0), couple: try row.id(1), coupleName: row.text(2),
      coupleAvatar: row.optionalText(17).map(AccountLinks.media), anniversary: row.optionalDay(3),
      people: CoupleAvatars.read(row, from: 4),
      author: try row.id(8), authorName: row.text(9),
      authorAvatar: row.optionalText(18).map(AccountLinks.media), content: row.text(10),
      visibility: Visibility(rawValue: row.text(11)) ?? .couple, likeCount: row.int(12),
      isLiked: row.flag(13), createdAt: row.instant(14), editedAt: row.optionalInstant(15),
      imageCount: row.int(16))
  }
}
