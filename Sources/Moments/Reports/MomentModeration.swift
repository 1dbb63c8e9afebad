import Core
import Database
import Films
import Images
import Web

/// A moment that a member reports, or a moderator looks at.
public struct ReportedMomentContent: Sendable {
  public let id: ID<Moment>
  public let couple: ID<Couple>
  public let coupleName: String
  public let author: ID<Person>
  public let authorName: String
  /// "" for none.
  public let words: String
  let file: ID<MomentFile>
  let content: Moment.Content
  /// In px.
  public let width: Int
  public let height: Int
  public let createdAt: Instant

  /// The path of the picture, or of the still image of a film.
  public var medium: String { path(.medium) }
  /// The same as a small square, for pictures.
  public var thumb: String { path(.thumb) }

  /// The path of the film; nil for a picture.
  public var film: String? {
    guard case .film = content else { return nil }
    return MomentLinks.file(FilmFiles.film(file.description), of: id)
  }

  private func path(_ variant: PictureVariant) -> String {
    let name =
      switch content {
      case .picture(let fileExtension, _):
        variant.fileName(id: file.description, fileExtension: fileExtension)
      case .film: FilmFiles.poster(file.description)
      }
    return MomentLinks.file(name, of: id)
  }
}

/// The state of a moment that moderators decide.
public enum MomentState: Sendable {
  case shown
  case hidden
  case removed
}

/// Access to reported moments for moderators (docs/developer/moments.md#reports).
public struct MomentModeration: Sendable {
  let services: MomentsEnvironment

  private var store: MomentReportStore { MomentReportStore() }
  private var database: Database { services.site.database }

  /// A moment visible to this viewer, for reporting it. Throws 404 for all others.
  public func seen(
    _ id: ID<Moment>, by viewer: Viewer, now: Instant
  ) throws -> (content: ReportedMomentContent, moment: Moment) {
    let moment = try MomentService(services: services).moment(id, for: viewer, now: now)
    let name = try database.read { try services.moments.couple(moment.couple, in: $0)?.name }
    let content = ReportedMomentContent(
      id: id, couple: moment.couple, coupleName: name ?? "", author: moment.author,
      authorName: moment.avatar.name, words: moment.words, file: moment.file,
      content: moment.content, width: moment.width, height: moment.height,
      createdAt: moment.createdAt)
    return (content, moment)
  }

  /// A reported moment, also one that is over, deleted, hidden or removed; nil if it was not
  /// reported or is gone.
  public func card(_ id: ID<Moment>) throws -> ReportedMomentContent? {
    try database.read { try store.content(id, in: $0) }
  }

  /// Marks a moment as reported: moderators may see it from now on, until they have decided.
  public func noteReport(of id: ID<Moment>, now: Instant, in writer: WriteTransaction) throws {
    try store.noteReport(of: id, now: now, in: writer)
  }

  /// Marks a moment as not reported: moderators may not see it any more.
  public func forgetReport(of id: ID<Moment>, in writer: WriteTransaction) throws {
    try store.forgetReport(of: id, in: writer)
  }

  /// Marks a moment as decided then, after a later report was withdrawn: it is removed in time.
  public func noteDecision(
    of id: ID<Moment>, at decidedAt: Instant, in writer: WriteTransaction
  ) throws {
    try store.noteDecision(of: id, at: decidedAt, in: writer)
  }

  /// Changes the state of a moment, together with `change`, in one transaction. The change comes
  /// last: a report that hides the moment at once keeps it until moderators have decided.
  public func set(
    _ state: MomentState, of id: ID<Moment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try database.write { writer in
      try store.set(state, of: id, now: now, in: writer)
      try change(writer)
    }
  }
}
