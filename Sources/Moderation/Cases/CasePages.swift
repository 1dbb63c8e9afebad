import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/admin/reports/{id}`: a case with all its reports, and the decision.
struct CasePages {
  private let services: ModerationEnvironment
  private let page: Page<CaseView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    page = try Page("staff/report", title: "admin.report.title", in: services.site)
  }

  private func found(_ context: Context) throws -> ReportCase {
    let id = try context.id("id", ReportCase.self)
    let found = try services.site.database.read { try services.cases.find(id, in: $0) }
    guard let found else { throw Problem.notFound }
    return found
  }

  @Sendable func show(_ context: Context) throws -> Response {
    answer(try view(found(context), FormFields(), [:], context), context)
  }

  @Sendable func decide(_ context: Context) throws -> Response {
    let found = try found(context)
    let service = DecisionService(services: services)
    let checked = try services.site.database.read {
      try service.check(context.form.entered, of: found, in: $0, now: context.now)
    }
    switch checked {
    case .failure(let wrong):
      let view = try view(found, context.form.entered, wrong.fields, context)
      return answer(view, context, .unprocessableContent)
    case .success(let verdict):
      do {
        try service.decide(verdict, of: found, by: context.signedIn(), now: context.now)
      } catch let taken as DecisionService.AlreadyDecided {
        let view = try view(taken.found, context.form.entered, [:], context, isTaken: true)
        return answer(view, context, .conflict)
      }
      context.flash("toast.decided")
      return .seeOther(ModerationLinks.queue)
    }
  }

  private func answer(
    _ view: CaseView, _ context: Context, _ status: HTTPResponse.Status = .ok
  ) -> Response {
    page.response(view, context, status: status)
  }

  private func view(
    _ found: ReportCase, _ entered: FormFields, _ errors: [String: FieldError], _ context: Context,
    isTaken: Bool = false
  ) throws -> CaseView {
    let model = try services.site.database.read {
      try CaseModel(found, services, viewer: context.signedIn().id, in: $0)
    }
    let queue = try services.site.database.read {
      try services.cases.queue(
        QueueFilter(state: found.state), after: nil, limit: QueuePages.pageSize, now: context.now,
        in: $0)
    }
    return try CaseView(
      found, model, ModeratedItem.find(found, services, now: context.now),
      queue: queue.map { try QueueItemView.make($0, services, context, current: found.id) },
      entered: entered, errors: errors, isTaken: isTaken, context)
  }
}

/// Facts about a case from other tables.
struct CaseModel {
  let reasons: [(reason: ReportReason, count: Int)]
  let notes: [String]
  let appeal: Appeal?
  /// Whether the viewer is concerned, so that another moderator must decide.
  let isOwn: Bool
  let own: [PastDecision]
  /// Decisions about other things of the same couple.
  let earlier: [PastDecision]
  let place: Int
  let count: Int
  let before: ID<ReportCase>?
  let next: ID<ReportCase>?

  init(
    _ found: ReportCase, _ services: ModerationEnvironment, viewer: ID<Person>,
    in reader: ReadTransaction
  ) throws {
    let cases = services.cases
    reasons = try cases.reasons(of: found, in: reader)
    isOwn = try services.isOwn(found, of: viewer, in: reader)
    // Notes of reporters may reveal their identity.
    notes = isOwn ? [] : try cases.notes(of: found, in: reader)
    appeal = try cases.appeal(of: found.id, in: reader)
    own = try cases.decisions(of: found.id, in: reader)
    earlier =
      try found.couple.map {
        try cases.decisions(of: $0, limit: 20, in: reader).filter { $0.caseID != found.id }
      } ?? []
    place = try cases.countBefore(found, in: reader) + 1
    count = try cases.count(found.state, in: reader)
    before = try cases.neighbour(found, isBefore: true, in: reader)
    next = try cases.neighbour(found, isBefore: false, in: reader)
  }
}
