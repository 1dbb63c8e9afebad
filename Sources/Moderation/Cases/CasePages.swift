import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/admin/reports/{id}`: a case with all its reports, and the decision.
struct CasePages {
  private let screen: ReportsScreen

  private var services: ModerationEnvironment { screen.services }
  private var service: DecisionService { DecisionService(services: services) }

  init(_ screen: ReportsScreen) { self.screen = screen }

  private func found(_ context: Context) throws -> ReportCase {
    let id = try context.id("id", ReportCase.self)
    let found = try services.site.database.read { try services.cases.find(id, in: $0) }
    guard let found else { throw Problem.notFound }
    return found
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let found = try found(context)
    return try screen.response(
      QueueQuery(context.request, state: found.state), opened: found, context)
  }

  @Sendable func decide(_ context: Context) throws -> Response {
    let found = try found(context)
    let query = QueueQuery(context.request, state: found.state)
    let (entered, formatter) = (context.form.entered, CaseFormatter(context: context))
    let checked = try services.site.database.read {
      try service.check(
        entered, note: formatter.note(entered), of: found, in: $0, now: context.now)
    }
    switch checked {
    case .failure(let wrong):
      return try screen.response(
        query, opened: found, entered: entered, errors: wrong.fields, context,
        status: .unprocessableContent)
    case .success(let verdict):
      let seen = try ModeratedItem.find(found, services, now: context.now)
      let stored: ID<PastDecision>?
      do {
        stored = try service.decide(verdict, of: found, by: context.signedIn(), now: context.now)
      } catch let taken as DecisionService.AlreadyDecided {
        return try screen.response(
          query, opened: taken.found, entered: entered, isTaken: true, context, status: .conflict)
      }
      let name = seen.author.isEmpty ? seen.name : seen.author
      let isTold = verdict.decision == .dismiss && service.notice(verdict, of: found) != nil
      let key = "toast.decided_\(verdict.decision.rawValue)\(isTold ? "_told" : "")"
      context.flash(
        name.isEmpty ? "toast.decided" : key, name: name,
        link: stored.map { (ModerationLinks.undo($0, of: found.id), "toast.undo") })
      return .seeOther(
        query.isPlain && found.state != .appealed ? ModerationLinks.queue : query.link())
    }
  }

  /// Takes back a decision, if it is the latest and the moderator's own.
  @Sendable func undo(_ context: Context) throws -> Response {
    let id = try context.id("id", ReportCase.self)
    try service.undo(
      context.id("decision_id", PastDecision.self), of: id, by: context.signedIn(),
      now: context.now)
    context.flash("toast.decision_undone")
    return .seeOther(ModerationLinks.one(id))
  }
}

/// Facts about a case from other tables.
struct CaseModel {
  let reasons: [(reason: ReportReason, count: Int)]
  let notes: [String]
  let reporters: [CaseReporter]
  let appeal: Appeal?
  /// Whether the viewer is concerned, so that another moderator must decide.
  let isOwn: Bool
  /// The latest decision, if the viewer may take it back.
  let undoable: ID<PastDecision>?
  let own: [PastDecision]
  /// Decisions about other things of the same couple.
  let earlier: [PastDecision]
  /// When the longest member among the people concerned joined; nil if all are deleted.
  let memberSince: Instant?
  let place: Int
  let count: Int
  let before: ID<ReportCase>?
  let next: ID<ReportCase>?

  init(
    _ found: ReportCase, _ services: ModerationEnvironment, viewer: ID<Person>, now: Instant,
    in reader: ReadTransaction
  ) throws {
    let cases = services.cases
    reasons = try cases.reasons(of: found, in: reader)
    isOwn = try services.isOwn(found, of: viewer, in: reader)
    undoable = try cases.undoable(found, by: viewer, now: now, in: reader)?.id
    // Notes and figures of reporters may reveal their identity.
    notes = isOwn ? [] : try cases.notes(of: found, in: reader)
    reporters =
      isOwn
      ? []
      : try cases.reporters(of: found, in: reader).compactMap { reporter in
        try services.moderationStatuses.person(reporter.id, now: now, in: reader).map {
          CaseReporter(
            joinedAt: $0.joinedAt, upheld: reporter.upheld, rejected: reporter.rejected)
        }
      }
    appeal = try cases.appeal(of: found.id, in: reader)
    own = try cases.decisions(of: found.id, in: reader)
    earlier =
      try found.couple.map {
        try cases.decisions(of: $0, limit: 20, in: reader).filter { $0.caseID != found.id }
      } ?? []
    memberSince = try services.people(concernedBy: found, now: now, in: reader).map(\.joinedAt)
      .min()
    place = try cases.countBefore(found, in: reader) + 1
    count = try cases.count(found.state, in: reader)
    before = try cases.neighbour(found, isBefore: true, in: reader)
    next = try cases.neighbour(found, isBefore: false, in: reader)
  }
}

/// A reporter as moderators see them: without a name.
struct CaseReporter {
  let joinedAt: Instant
  /// Earlier reports about other things, by their outcome.
  let upheld: Int
  let rejected: Int
}
