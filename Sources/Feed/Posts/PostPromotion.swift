import Accounts
import Core
import Database
import Images

/// Queries about posts that a user may want to promote.
public struct PostPromotion: Sendable {
  private let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  /// A post visible to this viewer, and whether it is visible to everyone now; nil for all others.
  public func find(
    _ id: ID<Post>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> (post: Post, isOpen: Bool)? {
    guard let post = try services.posts.visible(id, to: viewer, in: reader) else { return nil }
    return (post, try services.posts.isOpen(id, in: reader))
  }

  /// Those of these posts that are visible to this viewer, without their pictures, in one query per
  /// batch.
  public func find(
    _ ids: [ID<Post>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Post] {
    try services.posts.visible(ids, to: viewer, in: reader)
  }

  /// The newest posts of the viewer's couple that are visible to everyone.
  public func newestOpen(of viewer: Viewer, limit: Int, in reader: ReadTransaction) throws -> [Post]
  {
    guard let couple = viewer.couple?.id else { return [] }
    return try services.posts.newestOpen(of: couple, for: viewer, limit: limit, in: reader)
  }

  /// Number of these posts that are visible to everyone now.
  public func countOpen(_ ids: [ID<Post>], in reader: ReadTransaction) throws -> Int {
    try services.posts.countOpen(ids, in: reader)
  }

  /// URL of a post's first picture, as a small square.
  public func thumb(of post: Post) -> String? {
    post.pictures.first.map { FeedLinks.picture($0, .thumb, of: post.id, couple: post.couple) }
  }
}

extension PostStore {
  /// Whether a post is visible to everyone.
  func isOpen(_ id: ID<Post>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM posts p WHERE p.id = ? AND \(Self.open)", id)
  }

  /// A couple's newest posts that are visible to everyone.
  func newestOpen(
    of couple: ID<Couple>, for viewer: Viewer, limit: Int, in reader: ReadTransaction
  ) throws -> [Post] {
    let posts = try reader.rows(
      """
      SELECT \(Self.columns) FROM posts p \(Self.joins) WHERE p.couple_id = ? AND \(Self.open)
      ORDER BY p.created_at DESC, p.id DESC LIMIT ?
      """, viewer.id, couple, limit, make: Self.post)
    return try withPictures(posts, reader)
  }

  /// Number of these posts that are visible to everyone.
  func countOpen(_ ids: [ID<Post>], in reader: ReadTransaction) throws -> Int {
    var count = 0
    for start in stride(from: 0, to: ids.count, by: Self.countedAtOnce) {
      let some = ids[start..<min(start + Self.countedAtOnce, ids.count)]
      // One statement for any number of posts: unused parameters are NULL and match nothing.
      let padding = [ID<Post>?](repeating: nil, count: Self.countedAtOnce - some.count)
      count += try reader.rows(Self.countOfOpen, values: some.map { $0 as ID<Post>? } + padding) {
        $0.int(0)
      }.reduce(0, +)
    }
    return count
  }

  /// The post is public and not hidden; its couple is open; its author is not deleted.
  static let open = """
    p.visibility = 'public' AND p.deleted_at IS NULL AND p.hidden_at IS NULL
      AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
      AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
    """

  private static let countedAtOnce = 100

  private static let countOfOpen = {
    let places = [String](repeating: "?", count: countedAtOnce).joined(separator: ", ")
    return "SELECT count(*) FROM posts p WHERE p.id IN (\(places)) AND \(open)"
  }()
}
