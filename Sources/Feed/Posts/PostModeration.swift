import Accounts
import Core
import Database
import Web

/// What this module lets moderators see of posts and do to them (docs/developer/moderation.md). A
/// post for the two alone is never theirs to see.
public struct PostModeration: Sendable {
  /// How a post stands.
  public enum State: Sendable {
    case shown
    /// Seen by its couple alone.
    case hidden
    /// Gone for everybody, by a moderator.
    case removed
  }

  private let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  /// A post that this viewer sees, for reporting it. Throws 404 for all others.
  public func seen(_ id: ID<Post>, by viewer: Viewer) throws -> Post {
    try PostService(services: services).seen(id, by: viewer)
  }

  /// A post that was reported, hidden and removed ones included; nil for who deleted or narrowed
  /// it since.
  public func card(_ id: ID<Post>) throws -> (post: Post, state: State)? {
    try services.posts.moderated(id)
  }

  /// Where a picture of a post can be had, 800 px wide and as a small square.
  public func addresses(of picture: Picture, in post: Post) -> (medium: String, thumb: String) {
    (
      FeedLinks.picture(picture, .medium, of: post.id, couple: post.couple),
      FeedLinks.picture(picture, .thumb, of: post.id, couple: post.couple)
    )
  }

  /// Marks a post as reported: from now on moderators may look at it.
  public func noteReport(of id: ID<Post>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE posts SET reported_at = coalesce(reported_at, ?) WHERE id = ?", now, id)
  }

  /// Changes how a post stands, together with `change`, in one transaction. Hidden or removed, its
  /// pictures get new addresses (docs/developer/feed.md#pictures). What nobody but its couple sees
  /// by now is hidden at most: no moderator could look at what they remove.
  public func set(
    _ state: State, of id: ID<Post>, now: Instant, with change: (WriteTransaction) throws -> Void
  ) throws {
    guard let found = try services.posts.moderated(id, onlyReported: false) else {
      return try services.site.database.write { writer in
        try change(writer)
        try PostWriter().set(
          state == .removed ? .hidden : state, of: id, now: now, in: writer)
      }
    }
    let narrows = state != .shown && found.state != state
    try PostEditor(services: services, post: found.post).apply(
      renaming: narrows ? found.post.pictures : []
    ) { writer in
      try change(writer)
      try PostWriter().set(state, of: id, now: now, in: writer)
      if state == .removed { try services.observer.gone(id, in: writer) }
    }
  }
}

extension PostWriter {
  /// What a moderator removed comes back by another decision; what its author deleted doesn't.
  func set(
    _ state: PostModeration.State, of post: ID<Post>, now: Instant, in writer: WriteTransaction
  ) throws {
    switch state {
    case .shown, .hidden:
      try writer.execute(
        """
        UPDATE posts SET hidden_at = CASE WHEN ? THEN coalesce(hidden_at, ?) END,
          deleted_at = CASE WHEN removed_at IS NULL THEN deleted_at END, removed_at = NULL
        WHERE id = ?
        """, state == .hidden, now, post)
    case .removed:
      try writer.execute(
        """
        UPDATE posts SET removed_at = ?, deleted_at = ?, hidden_at = NULL
        WHERE id = ? AND deleted_at IS NULL
        """, now, now, post)
    }
    try SearchIndex().refresh(post, in: writer)
  }
}
