import Core

/// Publishes posts without a form, for the demo data.
public struct PostPublisher: Sendable {
  let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  /// Posts a text and picture files as this user at this moment; returns the post's id. Throws the
  /// errors that a form would show.
  @discardableResult
  public func post(
    _ content: String, pictures: [(path: String, description: String)],
    visibility: Visibility = .everyone, by viewer: Viewer, at now: Instant
  ) throws -> ID<Post>? {
    let making = PostCreator(services: services)
    let drafts = try pictures.map {
      (draft: try making.draft($0.path, of: viewer, now: now), description: $0.description)
    }
    let sent = NewPostForm(content: content, visibility: visibility, pictures: drafts)
    return FeedLinks.post(
      at: try making.make(sent, hash: [], by: viewer, isCounted: false, now: now))
  }

  /// Comments on a post as this user at this moment, without notices.
  public func comment(
    _ content: String, on post: ID<Post>, by viewer: Viewer, at now: Instant
  ) throws {
    try services.site.database.write { writer in
      try CommentWriter().add(
        ID<Comment>(now: now), content, to: post, by: viewer, now: now, in: writer)
    }
  }
}
