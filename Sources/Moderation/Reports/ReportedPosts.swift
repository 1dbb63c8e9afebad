import Core
import Database

/// A picture of a reported post: URLs and alternative text.
public struct ReportedPicture: Sendable {
  public let medium: String
  public let thumb: String
  public let description: String
  public let width: Int
  public let height: Int

  public init(medium: String, thumb: String, description: String, width: Int, height: Int) {
    self.medium = medium
    self.thumb = thumb
    self.description = description
    self.width = width
    self.height = height
  }
}

/// A post as moderators see it.
public struct ReportedPostCard: Sendable {
  public let id: ID<ReportedPost>
  public let couple: ID<Couple>
  public let coupleName: String
  public let people: [Viewer.Avatar]
  public let author: ID<Person>
  public let authorName: String
  public let content: String
  public let isForTheTwo: Bool
  public let isEdited: Bool
  public let createdAt: Instant
  public let pictures: [ReportedPicture]
  public let state: ReportTargetState

  public init(
    id: ID<ReportedPost>, couple: ID<Couple>, coupleName: String, people: [Viewer.Avatar],
    author: ID<Person>, authorName: String, content: String, isForTheTwo: Bool, isEdited: Bool,
    createdAt: Instant, pictures: [ReportedPicture], state: ReportTargetState
  ) {
    self.id = id
    self.couple = couple
    self.coupleName = coupleName
    self.people = people
    self.author = author
    self.authorName = authorName
    self.content = content
    self.isForTheTwo = isForTheTwo
    self.isEdited = isEdited
    self.createdAt = createdAt
    self.pictures = pictures
    self.state = state
  }
}

/// Access to posts, implemented with Feed.
public protocol ReportablePosts: Sendable {
  /// A post visible to this viewer. Throws 404 for all others.
  func seen(_ id: ID<ReportedPost>, by viewer: Viewer) throws -> ReportedPostCard
  /// A reported post; nil if its author has deleted it or made it visible to the couple only.
  func card(_ id: ID<ReportedPost>) throws -> ReportedPostCard?
  /// Lets moderators see a post from now on.
  func noteReport(of id: ID<ReportedPost>, now: Instant, in writer: WriteTransaction) throws
  /// Lets moderators see a post no longer: its only report was withdrawn.
  func forgetReport(of id: ID<ReportedPost>, in writer: WriteTransaction) throws
  /// Changes the state of a post, together with `change`, in one transaction.
  func set(
    _ state: ReportTargetState, of id: ID<ReportedPost>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws
}
