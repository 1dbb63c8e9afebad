import Core
import Database

/// A moment as reporters and moderators see it.
public struct ReportedMomentCard: Sendable {
  public let couple: ID<Couple>
  public let coupleName: String
  public let author: ID<Person>
  public let authorName: String
  public let content: String
  /// The picture, or the still image of a film.
  public let picture: ReportedPicture
  /// The path of the film; nil for a picture.
  public let film: String?
  public let createdAt: Instant
  /// Whether the viewer can't report it: the viewer's own.
  public let isOwn: Bool
  /// Whether it is of a couple that the viewer is or was in.
  public let isOfOwnCouple: Bool
  /// Whether only its couple sees it.
  public let isForTheTwo: Bool

  public init(
    couple: ID<Couple>, coupleName: String, author: ID<Person>, authorName: String,
    content: String, picture: ReportedPicture, film: String?, createdAt: Instant, isOwn: Bool,
    isOfOwnCouple: Bool, isForTheTwo: Bool
  ) {
    self.couple = couple
    self.coupleName = coupleName
    self.author = author
    self.authorName = authorName
    self.content = content
    self.picture = picture
    self.film = film
    self.createdAt = createdAt
    self.isOwn = isOwn
    self.isOfOwnCouple = isOfOwnCouple
    self.isForTheTwo = isForTheTwo
  }
}

/// Access to moments, implemented with Moments.
public protocol ReportableMoments: Sendable {
  /// A moment that this viewer sees now. Throws 404 for all others.
  func seen(
    _ id: ID<ReportedMoment>, by viewer: Viewer, now: Instant
  ) throws -> ReportedMomentCard
  /// A reported moment, also one that is over; nil if it is gone.
  func card(_ id: ID<ReportedMoment>) throws -> ReportedMomentCard?
  /// Lets moderators see a moment from now on, until they have decided.
  func noteReport(of id: ID<ReportedMoment>, now: Instant, in writer: WriteTransaction) throws
  /// Lets moderators see a moment no longer: its only report was withdrawn.
  func forgetReport(of id: ID<ReportedMoment>, in writer: WriteTransaction) throws
  /// Removes a moment in time again: no report waits any more, and that decision holds.
  func noteDecision(
    of id: ID<ReportedMoment>, at decidedAt: Instant, in writer: WriteTransaction
  ) throws
  /// Changes the state of a moment, together with `change`, in one transaction.
  func set(
    _ state: ReportTargetState, of id: ID<ReportedMoment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws
}
