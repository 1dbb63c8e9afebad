import Accounts
import Basics
import Database
import Images

/// What this room tells of posts that somebody may want to promote.
public struct PostPromotion: Sendable {
  private let services: FeedServices

  init(_ services: FeedServices) {
    self.services = services
  }

  /// A post that this viewer sees, and whether everybody sees it as things stand; nil for all
  /// others.
  public func find(
    _ id: ID<Post>, for viewer: Viewer, in reader: Reader
  ) throws -> (post: Post, isOpen: Bool)? {
    guard let post = try services.posts.visible(id, to: viewer, in: reader) else { return nil }
    return (post, try services.posts.isOpen(id, in: reader))
  }

  /// The address of a post's first picture, as a small square.
  public func thumb(of post: Post) -> String? {
    post.pictures.first.map { FeedLinks.picture($0, .thumb, of: post.id, couple: post.couple) }
  }
}

extension PostStore {
  /// Whether everybody may see a post: public, shown, of a couple whose posts are open.
  func isOpen(_ id: ID<Post>, in reader: Reader) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM posts p WHERE p.id = ? AND p.visibility = 'public' AND p.deleted_at IS NULL
        AND p.hidden_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
      """, id)
  }
}
