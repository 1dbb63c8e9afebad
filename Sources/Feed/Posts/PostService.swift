import Core
import Database
import Web

/// Actions on existing posts, from pages and API.
struct PostService {
  /// More likes in this window than a user taps by hand.
  private static let likesLimit = RateLimit("likes", maximum: 300, window: .minutes(10))

  /// The new state of a post as its author wants it.
  struct Change {
    let content: String
    /// Nil to leave it as it is, even if the partner narrows the post meanwhile.
    let visibility: Visibility?
    /// One entry for each picture of the post.
    let pictures: [PictureEdit]
    /// Drafts of the author that become pictures of the post.
    var added: [AddedPicture] = []

    /// Validation errors by field.
    var errors: [String: FieldError] {
      let left = pictures.filter { !$0.isRemoved }.count + added.count
      let problem = PostRules.problem(content: content, images: left)
      return problem?.error.map { ["content": $0] } ?? [:]
    }

    fileprivate func changes(_ post: Post) -> Bool {
      let kept = pictures.filter { !$0.isRemoved }.sorted { $0.order < $1.order }
      return content != post.content || !added.isEmpty
        || visibility.map { $0 != post.visibility } ?? false
        || !kept.elementsEqual(post.pictures) {
          $0.id == $1.id && $0.description == $1.description
        }
    }
  }

  let services: FeedEnvironment

  /// A post visible to this viewer. Throws 404 if it is not.
  func seen(_ id: ID<Post>, by viewer: Viewer?) throws -> Post {
    guard let post = try services.posts.visible(id, to: viewer) else { throw Problem.notFound }
    return post
  }

  /// The post, if the viewer is its author. Throws 403 for other viewers who see it, else 404.
  func own(_ id: ID<Post>, of viewer: Viewer?) throws -> Post {
    let post = try seen(id, by: viewer)
    guard post.author == viewer?.id else { throw Problem.forbidden }
    return post
  }

  /// The post, if it is the viewer's or the partner's. Throws 403 for other viewers who see
  /// it, else 404.
  func ofCouple(_ id: ID<Post>, of viewer: Viewer?) throws -> Post {
    let post = try seen(id, by: viewer)
    guard let viewer, post.author == viewer.id || post.couple == viewer.sharedCouple else {
      throw Problem.forbidden
    }
    return post
  }

  /// Lets only the couple see a post of either of the two.
  func narrow(_ post: Post, by viewer: Viewer, now: Instant) throws {
    guard post.visibility != .couple else { return }
    try PostEditor(services: services, post: post).apply(renaming: post.pictures) { writer, _ in
      guard try PostWriter().narrow(post.id, by: viewer, in: writer) else {
        throw Problem.notFound
      }
    }
  }

  /// Saves a valid change. A change without differences does not mark the post as edited.
  /// `remembering`: runs in the same transaction. Throws 409 if the pictures have been changed
  /// meanwhile.
  func save(
    _ change: Change, of post: Post, by viewer: Viewer, now: Instant,
    remembering: (WriteTransaction) throws -> Void = { _ in }
  ) throws {
    guard viewer.suspension == nil else { throw Problem.forbidden }
    guard change.changes(post) else { return }
    let narrows = change.visibility?.isNarrower(than: post.visibility) ?? false
    try PostEditor(services: services, post: post).apply(
      renaming: narrows ? post.pictures : [], removing: change.pictures, adding: change.added
    ) { writer, edits in
      guard
        try PostWriter().edit(
          post.id, content: change.content, visibility: change.visibility, by: viewer, now: now,
          in: writer)
      else { throw Problem.forbidden }
      try PostWriter().arrange(edits, of: post.id, in: writer)
      try services.drafts.remove(change.added.map(\.draft.id), of: viewer, in: writer)
      try remembering(writer)
    }
  }

  func delete(_ post: Post, by viewer: Viewer, now: Instant) throws {
    try PostEditor(services: services, post: post).apply(renaming: post.pictures) { writer, _ in
      guard try PostWriter().delete(post.id, by: viewer, now: now, in: writer) else {
        throw Problem.notFound
      }
      try services.observer.postDeleted(post.id, in: writer)
    }
  }

  /// Restores a post of the viewer's couple that was deleted and is still kept. Throws 404 if there
  /// is none, 403 if the viewer may not post.
  func restore(_ id: ID<Post>, by viewer: Viewer, now: Instant) throws {
    let oldest = DeletionPeriod.start(now: now)
    try services.site.database.write { writer in
      let couple = try services.couples.coupleForPosting(viewer, now: now, in: writer)
      guard
        try PostWriter().restore(id, of: couple, by: viewer, since: oldest, in: writer)
      else { throw Problem.notFound }
    }
  }

  /// Sets or removes the viewer's like of a visible post; returns the post afterwards.
  func setLike(
    _ likes: Bool, of id: ID<Post>, by viewer: Viewer, now: Instant
  ) throws -> Post {
    if likes, viewer.suspension != nil { throw Problem.forbidden }
    let post = try seen(id, by: viewer)
    // Each like sends a push.
    if likes { try services.limits.count(Self.likesLimit, viewer.id.description, now: now) }
    try services.site.database.write { writer in
      if likes {
        guard try PostWriter().like(post.id, by: viewer, now: now, in: writer) else { return }
        try services.observer.liked(
          post.id, of: post.author, by: viewer.id, now: now, in: writer)
      } else {
        try PostWriter().unlike(post.id, by: viewer, in: writer)
        try services.observer.unliked(post.id, by: viewer.id, in: writer)
      }
    }
    return try services.posts.visible(post.id, to: viewer) ?? post
  }
}
