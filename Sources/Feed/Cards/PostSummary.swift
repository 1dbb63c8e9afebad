import Core
import Database

/// A post in a list, as one viewer sees it: enough to find its ready card.
struct PostSummary: Sendable {
  let id: ID<Post>
  let couple: ID<Couple>
  let author: ID<Person>
  let visibility: Visibility
  let createdAt: Instant
  let anniversary: LocalDay?
  let isLiked: Bool
  let isSaved: Bool
  let version: PostVersion
  /// End of the promotion, if it runs and was queried.
  var promotedUntil: Instant?
}

/// A number that changes with everything that a post's card shows of the post, and one that changes
/// with what it shows of its couple and author (docs/developer/database.md#versions-of-cards).
struct PostVersion: Hashable, Sendable {
  let post: Int
  let couple: Int
}

extension PostSummary {
  static func columns(for viewer: Viewer?) -> Query {
    """
    p.id, p.couple_id, p.author_id, p.visibility, p.created_at, k.anniversary,
    EXISTS (SELECT 1 FROM likes l WHERE l.post_id = p.id AND l.user_id = \(viewer?.id)),
    CASE WHEN \(hasSaved(viewer)) THEN EXISTS (
      SELECT 1 FROM saved_posts b WHERE b.post_id = p.id AND b.user_id = \(viewer?.id))
      ELSE FALSE END,
    p.version, k.version
    """
  }

  /// SQLite evaluates this once a statement, and most viewers have saved nothing.
  private static func hasSaved(_ viewer: Viewer?) -> Query {
    "EXISTS (SELECT 1 FROM saved_posts o WHERE o.user_id = \(viewer?.id))"
  }

  /// Unlike `PostStore.joins`, it does not leave out posts of deleted accounts.
  static let joins: Query = "JOIN couples_versions k ON k.id = p.couple_id"

  /// Leaves out posts of couples that are not open. One lookup does both.
  static let openJoins: Query = "JOIN couples_open_versions k ON k.id = p.couple_id"

  init(_ row: inout RowReader) throws {
    self.init(
      id: try row.next(), couple: try row.next(), author: try row.next(),
      visibility: Visibility(rawValue: try row.next()) ?? .couple, createdAt: try row.next(),
      anniversary: try row.next(), isLiked: try row.next(), isSaved: try row.next(),
      version: PostVersion(post: try row.next(), couple: try row.next()))
  }

  init(_ post: Post) {
    self.init(
      id: post.id, couple: post.couple, author: post.author, visibility: post.visibility,
      createdAt: post.createdAt, anniversary: post.anniversary, isLiked: post.isLiked,
      isSaved: post.isSaved, version: post.version, promotedUntil: post.promotedUntil)
  }
}

extension PageCursor<Post> {
  init(_ post: PostSummary) {
    self.init(at: post.createdAt, id: post.id)
  }
}
