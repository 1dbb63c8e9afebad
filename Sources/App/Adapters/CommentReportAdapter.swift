import Core
import Database
import Feed
import Moderation

/// Comments as moderators see and change them: the feed's implementation of the moderation module's
/// protocol.
struct CommentReportAdapter: ReportableComments {
  let moderation: CommentModeration

  func seen(_ id: ID<ReportedComment>, by viewer: Viewer) throws -> ReportedCommentCard {
    let (comment, post) = try moderation.seen(id.cast(to: Comment.self), by: viewer)
    return card(comment, isForTheTwo: post.visibility == .couple)
  }

  func card(_ id: ID<ReportedComment>) throws -> ReportedCommentCard? {
    try moderation.card(id.cast(to: Comment.self)).map { card($0, isForTheTwo: false) }
  }

  func noteReport(of id: ID<ReportedComment>, now: Instant, in writer: WriteTransaction) throws {
    try moderation.noteReport(of: id.cast(to: Comment.self), now: now, in: writer)
  }

  func forgetReport(of id: ID<ReportedComment>, in writer: WriteTransaction) throws {
    try moderation.forgetReport(of: id.cast(to: Comment.self), in: writer)
  }

  func set(
    _ state: ReportTargetState, of id: ID<ReportedComment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try moderation.set(
      PostModeration.State(state), of: id.cast(to: Comment.self), now: now, with: change)
  }

  private func card(_ comment: Comment, isForTheTwo: Bool) -> ReportedCommentCard {
    ReportedCommentCard(
      id: comment.id.cast(to: ReportedComment.self),
      post: comment.post.cast(to: ReportedPost.self), couple: comment.couple?.id,
      coupleName: comment.couple?.name ?? "", author: comment.author,
      authorName: comment.avatar.name, content: comment.content, isForTheTwo: isForTheTwo,
      createdAt: comment.createdAt)
  }
}

extension PostModeration.State {
  init(_ state: ReportTargetState) {
    self =
      switch state {
      case .shown: .shown
      case .hidden: .hidden
      case .removed: .removed
      }
  }
}
