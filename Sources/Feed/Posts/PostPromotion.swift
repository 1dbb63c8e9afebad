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

  /// Those of these posts that are visible to this viewer, without their pictures, in one query.
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

  /// Whether a feed of the posts that are visible to everyone is long enough for promotions.
  public func isShown(in reader: ReadTransaction) throws -> Bool {
    try services.posts.hasOpen(services.minimumPromotedFeed, in: reader)
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
    try reader.exists("SELECT 1 FROM posts p WHERE p.id = \(id) AND \(PostVisibility.open)")
  }

  /// A couple's newest posts that are visible to everyone.
  func newestOpen(
    of couple: ID<Couple>, for viewer: Viewer, limit: Int, in reader: ReadTransaction
  ) throws -> [Post] {
    let posts = try reader.rows(
      """
      SELECT \(Self.columns(for: viewer)) FROM posts p \(Self.joins)
      WHERE p.couple_id = \(couple) AND \(PostVisibility.open)
      ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)
      """, make: Post.init)
    return try withPictures(posts, reader)
  }

  /// Whether at least this many posts are visible to everyone.
  func hasOpen(_ count: Int, in reader: ReadTransaction) throws -> Bool {
    try reader.count(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM posts p WHERE \(PostVisibility.open)
        ORDER BY p.created_at DESC, p.id DESC LIMIT \(count)) AS page
      """) >= count
  }

  /// Number of these posts that are visible to everyone.
  func countOpen(_ ids: [ID<Post>], in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM posts p WHERE p.id IN \(IDList(ids)) AND \(PostVisibility.open)
      """)
  }
}
