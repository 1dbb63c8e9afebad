import Core
import Database
import Media
import Web

/// Actions on moments, for pages and API.
struct MomentService {
  let services: MomentsEnvironment

  private var database: Database { services.site.database }
  private var store: MomentStore { services.moments }

  // MARK: Reading

  /// One moment. Throws 404 if the viewer does not see it, or it is over.
  func moment(_ id: ID<Moment>, for viewer: Viewer, now: Instant) throws -> Moment {
    try database.read { try moment(id, for: viewer, now: now, in: $0) }
  }

  private func moment(
    _ id: ID<Moment>, for viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> Moment {
    guard let moment = try store.find(id, for: viewer, now: now, in: reader) else {
      throw Problem.notFound
    }
    return moment
  }

  /// The moments of a couple that the viewer sees, the oldest first.
  func moments(
    of couple: ID<Couple>, for viewer: Viewer, now: Instant
  ) throws -> [Moment] {
    try database.read { try store.moments(of: couple, for: viewer, now: now, in: $0) }
  }

  /// The moments of a couple with its name and members. Throws 404 if the viewer sees none.
  func shown(
    of couple: ID<Couple>, for viewer: Viewer, now: Instant
  ) throws -> CoupleMoments {
    try database.read { reader in
      let moments = try store.moments(of: couple, for: viewer, now: now, in: reader)
      guard !moments.isEmpty, let found = try store.couple(couple, in: reader) else {
        throw Problem.notFound
      }
      return CoupleMoments(
        couple: couple, name: found.name, people: found.people, moments: moments)
    }
  }

  func circles(for viewer: Viewer, now: Instant) throws -> [MomentCircle] {
    try database.read { try store.circles(for: viewer, now: now, in: $0) }
  }

  /// The members who have seen a moment, the latest first. Throws 404 for others than its couple.
  func viewers(
    of id: ID<Moment>, after cursor: PageCursor<Person>?, limit: Int, by viewer: Viewer,
    now: Instant
  ) throws -> (moment: Moment, page: ListPage<MomentViewer, Person>) {
    try database.read { reader in
      let moment = try moment(id, for: viewer, now: now, in: reader)
      guard moment.maySeeViewers(viewer) else { throw Problem.notFound }
      let page = try ListPage(
        limit: limit,
        cursor: { (viewer: MomentViewer) in PageCursor(at: viewer.at, id: viewer.person) }
      ) {
        try store.viewers(of: moment, after: cursor ?? .start, limit: $0, in: reader)
      }
      return (moment, page)
    }
  }

  /// The number of members who have seen a moment; nil if the viewer may not know.
  func viewerCount(of moment: Moment, for viewer: Viewer) throws -> Int? {
    guard moment.maySeeViewers(viewer) else { return nil }
    return try database.read { try store.viewerCount(of: moment, in: $0) }
  }

  // MARK: Changing

  /// Notes that the viewer has seen a moment. Nothing happens the second time, nor for its author.
  func markSeen(_ moment: Moment, by viewer: Viewer, now: Instant) throws {
    guard !moment.isSeen else { return }
    try database.write { writer in
      // It may have been deleted in between.
      guard try store.find(moment.id, for: viewer, now: now, in: writer) != nil else { return }
      try store.noteView(of: moment.id, by: viewer, now: now, in: writer)
    }
  }

  /// Deletes a moment, with its files unless moderators still need them. Throws 404 if the viewer
  /// does not see it, 403 for others than its author and the partner.
  func delete(_ id: ID<Moment>, by viewer: Viewer, now: Instant) throws {
    try database.write { writer in
      let moment = try moment(id, for: viewer, now: now, in: writer)
      guard moment.mayDelete(viewer) else { throw Problem.forbidden }
      try store.delete(id, now: now, in: writer)
    }
    try MomentPurge(services: services).purge([id], now: now)
  }

  /// Answers a moment of others, or of the partner, by a message. Throws 404 if the viewer does not
  /// see it, 403 for its author; else like a message.
  func answer(
    _ id: ID<Moment>, _ text: String, clientID: String, by viewer: Viewer, now: Instant
  ) throws -> SentMomentAnswer {
    let moment = try moment(id, for: viewer, now: now)
    guard moment.author != viewer.id else { throw Problem.forbidden }
    return try services.answers.send(
      MomentAnswer(couple: moment.couple, clientID: clientID, text: text), by: viewer, now: now)
  }

  /// Copies the picture of an own moment into the viewer's album. Throws 404 for others than its
  /// couple, 422 for a film, which an album can't hold, and a `MomentAlbumError`.
  func keep(_ id: ID<Moment>, by viewer: Viewer, now: Instant) throws -> KeptPicture {
    let moment = try moment(id, for: viewer, now: now)
    guard moment.maySeeViewers(viewer) else { throw Problem.notFound }
    guard let name = MomentFiles.names(moment.file, moment.content).first, !moment.isFilm else {
      throw Problem.invalid(["moment": FieldError("moments.keep_no_film")])
    }
    let kept = try services.files.media.read("\(MomentFiles.folder(id))/\(name)") {
      try services.album.keep($0, name: "moment \(id)", by: viewer, now: now)
    }
    guard let kept else { throw Problem.notFound }
    return kept
  }
}

/// The moments of a couple that a viewer sees; at least one.
struct CoupleMoments: Sendable {
  let couple: ID<Couple>
  let name: String
  let people: [Viewer.Avatar]
  let moments: [Moment]
}
