import Accounts
import Core
import Database
import Web

/// Actions on comments, from pages and API.
struct CommentService {
  let services: FeedEnvironment

  private var database: Database { services.site.database }

  /// Adds a comment to a post that the viewer sees. Throws 403 if the viewer may not write, 422 for
  /// an invalid text, 429 above the limit.
  func add(
    _ content: String, to post: Post, by viewer: Viewer, now: Instant
  ) throws -> ID<Comment> {
    guard viewer.mayPost else { throw Problem.forbidden }
    if let error = CommentRules.error(content) { throw Problem.invalid(["content": error]) }
    try services.limits.count(CommentRules.perUser, viewer.id.description, now: now)
    return try database.write { writer in
      // Gives members without a partner a couple of one, which others can block.
      let couple = try services.couples.coupleForPosting(viewer, now: now, in: writer)
      let store = CommentStore()
      // No one would see the comments of a couple that moderators hid.
      guard try store.isOpen(couple, in: writer) else { throw Problem.forbidden }
      let since = now.adding(seconds: -CommentRules.repetition)
      if let same = try store.repeated(
        content, on: post.id, by: viewer, since: since, in: writer)
      {
        return same
      }
      let others = try store.participants(
        of: post.id, latest: CommentRules.notifiedComments, in: writer)
      let id = ID<Comment>(now: now)
      try CommentWriter().add(id, content, to: post.id, by: viewer, now: now, in: writer)
      try services.observer.commented(
        on: post, by: viewer.id, others: others, now: now, in: writer)
      return id
    }
  }

  /// Deletes an own comment, or one on a post of the viewer's couple; returns its post. Throws 404
  /// for others.
  func delete(_ id: ID<Comment>, by viewer: Viewer, now: Instant) throws -> ID<Post> {
    try database.write { writer in
      guard let changed = try CommentWriter().delete(id, by: viewer, now: now, in: writer) else {
        throw Problem.notFound
      }
      try services.retract(changed, in: writer)
      return changed.post
    }
  }

  /// Restores a comment that the viewer has deleted and that is still kept; returns its post. Throws
  /// 404 if there is none.
  func restore(_ id: ID<Comment>, by viewer: Viewer, now: Instant) throws -> ID<Post> {
    let oldest = DeletionPeriod.start(now: now)
    return try database.write { writer in
      guard let changed = try CommentWriter().restore(id, by: viewer, since: oldest, in: writer)
      else { throw Problem.notFound }
      return changed.post
    }
  }
}

extension FeedEnvironment {
  /// Takes back the notices about a user's comments on a post once others see none of them.
  func retract(_ changed: CommentWriter.Changed, in writer: WriteTransaction) throws {
    if try CommentStore().hasCommented(changed.author, on: changed.post, in: writer) { return }
    try observer.uncommented(changed.post, by: changed.author, in: writer)
  }
}
