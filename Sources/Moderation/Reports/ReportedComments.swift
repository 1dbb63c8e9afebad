import Core
import Database

/// A comment as reporters and moderators see it.
public struct ReportedCommentCard: Sendable {
  public let id: ID<ReportedComment>
  public let post: ID<ReportedPost>
  public let couple: ID<Couple>?
  /// Name of the author's couple; "" without a couple.
  public let coupleName: String
  public let author: ID<Person>
  public let authorName: String
  public let content: String
  /// Whether its post is visible to the couple only.
  public let isForTheTwo: Bool
  public let createdAt: Instant

  public init(
    id: ID<ReportedComment>, post: ID<ReportedPost>, couple: ID<Couple>?, coupleName: String,
    author: ID<Person>, authorName: String, content: String, isForTheTwo: Bool, createdAt: Instant
  ) {
    self.id = id
    self.post = post
    self.couple = couple
    self.coupleName = coupleName
    self.author = author
    self.authorName = authorName
    self.content = content
    self.isForTheTwo = isForTheTwo
    self.createdAt = createdAt
  }
}

/// Access to comments, implemented with Feed.
public protocol ReportableComments: Sendable {
  /// A comment visible to this viewer. Throws 404 for all others.
  func seen(_ id: ID<ReportedComment>, by viewer: Viewer) throws -> ReportedCommentCard
  /// A reported comment; nil if a user has deleted it, or its post is gone or visible to the couple
  /// only.
  func card(_ id: ID<ReportedComment>) throws -> ReportedCommentCard?
  /// Lets moderators see a comment from now on.
  func noteReport(of id: ID<ReportedComment>, now: Instant, in writer: WriteTransaction) throws
  /// Lets moderators see a comment no longer: its only report was withdrawn.
  func forgetReport(of id: ID<ReportedComment>, in writer: WriteTransaction) throws
  /// Changes the state of a comment, together with `change`, in one transaction.
  func set(
    _ state: ReportTargetState, of id: ID<ReportedComment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws
}
