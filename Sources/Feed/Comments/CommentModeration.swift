import Core
import Database
import Web

/// Access to comments for moderators (docs/developer/moderation.md). They never see comments on
/// posts that are visible to the couple only.
public struct CommentModeration: Sendable {
  private let services: FeedEnvironment

  private var database: Database { services.site.database }

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  /// A comment visible to this viewer, with its post, for reporting it. Throws 404 for all others.
  public func seen(_ id: ID<Comment>, by viewer: Viewer) throws -> (comment: Comment, post: Post) {
    let found = try database.read { try CommentStore().find(id, for: viewer, in: $0) }
    guard let found else { throw Problem.notFound }
    return (found, try PostService(services: services).seen(found.post, by: viewer))
  }

  /// A reported comment, hidden and removed ones included; nil if it or its post was deleted, or
  /// its post is visible to the couple only.
  public func card(_ id: ID<Comment>) throws -> Comment? {
    try database.read { try CommentStore().moderated(id, in: $0) }
  }

  /// Marks a comment as reported: moderators may see it from now on.
  public func noteReport(of id: ID<Comment>, now: Instant, in writer: WriteTransaction) throws {
    try CommentWriter().noteReport(of: id, now: now, in: writer)
  }

  /// Marks a comment as not reported: moderators may not see it any more.
  public func forgetReport(of id: ID<Comment>, in writer: WriteTransaction) throws {
    try CommentWriter().forgetReport(of: id, in: writer)
  }

  /// Changes the state of a comment, together with `change`, in one transaction.
  public func set(
    _ state: PostModeration.State, of id: ID<Comment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try database.write { writer in
      try change(writer)
      let changed = try CommentWriter().set(state, of: id, now: now, in: writer)
      if let changed, state != .shown { try services.retract(changed, in: writer) }
    }
  }
}
