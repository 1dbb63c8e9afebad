import Core
import Database
import Feed
import Moderation

/// Posts as moderators see and change them: the feed's implementation of the moderation module's
/// protocol.
struct FeedReportAdapter: ReportablePosts {
  let moderation: PostModeration

  func seen(_ id: ID<ReportedPost>, by viewer: Viewer) throws -> ReportedPostCard {
    card(try moderation.seen(id.cast(to: Post.self), by: viewer), .shown)
  }

  func card(_ id: ID<ReportedPost>) throws -> ReportedPostCard? {
    try moderation.card(id.cast(to: Post.self)).map { card($0.post, $0.state) }
  }

  func noteReport(of id: ID<ReportedPost>, now: Instant, in writer: WriteTransaction) throws {
    try moderation.noteReport(of: id.cast(to: Post.self), now: now, in: writer)
  }

  func forgetReport(of id: ID<ReportedPost>, in writer: WriteTransaction) throws {
    try moderation.forgetReport(of: id.cast(to: Post.self), in: writer)
  }

  func set(
    _ state: ReportTargetState, of id: ID<ReportedPost>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try moderation.set(
      PostModeration.State(state), of: id.cast(to: Post.self), now: now, with: change)
  }

  private func card(_ post: Post, _ state: PostModeration.State) -> ReportedPostCard {
    let targetState: ReportTargetState =
      switch state {
      case .shown: .shown
      case .hidden: .hidden
      case .removed: .removed
      }
    return ReportedPostCard(
      id: post.id.cast(to: ReportedPost.self), couple: post.couple, coupleName: post.coupleName,
      people: post.people, author: post.author, authorName: post.authorName,
      content: post.content, isForTheTwo: post.visibility == .couple,
      isEdited: post.editedAt != nil, createdAt: post.createdAt,
      pictures: post.pictures.map { picture in
        let addresses = moderation.addresses(of: picture, in: post)
        return ReportedPicture(
          medium: addresses.medium, thumb: addresses.thumb, description: picture.description,
          width: picture.width, height: picture.height)
      }, state: targetState)
  }
}

/// Members' own reports of posts for the feed, from the moderation module.
enum OwnReportAdapter {
  static func open(
    _ viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> [OwnPostReport] {
    try ModerationModule.openReports(of: viewer.id, now: now, in: reader)
      .map { OwnPostReport(post: $0.post.cast(to: Post.self), withdrawal: $0.withdrawal) }
  }
}
