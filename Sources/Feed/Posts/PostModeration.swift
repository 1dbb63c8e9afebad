import Core
import Database
import Web

/// Access to posts for moderators (docs/developer/moderation.md). They never see posts that are
/// visible to the couple only.
public struct PostModeration: Sendable {
  /// Moderation state of a post.
  public enum State: Sendable {
    case shown
    /// Visible to its couple only.
    case hidden
    /// Removed for all users by a moderator.
    case removed
  }

  private let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  /// A post visible to this viewer, for reporting it. Throws 404 for all others.
  public func seen(_ id: ID<Post>, by viewer: Viewer) throws -> Post {
    try PostService(services: services).seen(id, by: viewer)
  }

  /// A reported post, hidden and removed ones included; nil if its author has deleted it or made it
  /// visible to the couple only.
  public func card(_ id: ID<Post>) throws -> (post: Post, state: State)? {
    try services.posts.moderated(id)
  }

  /// URLs of a picture of a post, 800 px wide and as a small square.
  public func addresses(of picture: Picture, in post: Post) -> (medium: String, thumb: String) {
    (
      FeedLinks.picture(picture, .medium, of: post.id, couple: post.couple),
      FeedLinks.picture(picture, .thumb, of: post.id, couple: post.couple)
    )
  }

  /// Marks a post as reported: moderators may see it from now on.
  public func noteReport(of id: ID<Post>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE posts SET reported_at = coalesce(reported_at, \(now)) WHERE id = \(id)")
  }

  /// Marks a post as not reported: moderators may not see it any more.
  public func forgetReport(of id: ID<Post>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE posts SET reported_at = NULL WHERE id = \(id)")
  }

  /// Changes the state of a post, together with `change`, in one transaction. The pictures of a
  /// hidden or removed post get new URLs (docs/developer/feed.md#pictures). A post visible to its
  /// couple only is hidden at most: a moderator could not see what would be removed.
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
    ) { writer, _ in
      try change(writer)
      try PostWriter().set(state, of: id, now: now, in: writer)
      if state == .removed { try services.observer.postDeleted(id, in: writer) }
    }
  }
}

extension PostWriter {
  /// Restores posts removed by a moderator, but not those deleted by their author.
  func set(
    _ state: PostModeration.State, of post: ID<Post>, now: Instant, in writer: WriteTransaction
  ) throws {
    switch state {
    case .shown, .hidden:
      try writer.execute(
        """
        UPDATE posts
        SET hidden_at = CASE WHEN \(state == .hidden) = 1 THEN coalesce(hidden_at, \(now)) END,
          deleted_at = CASE WHEN removed_at IS NULL THEN deleted_at END, removed_at = NULL
        WHERE id = \(post)
        """)
    case .removed:
      try writer.execute(
        """
        UPDATE posts SET removed_at = \(now), deleted_at = \(now), hidden_at = NULL
        WHERE id = \(post) AND deleted_at IS NULL
        """)
    }
    try SearchIndex().refresh(post, in: writer)
  }
}
