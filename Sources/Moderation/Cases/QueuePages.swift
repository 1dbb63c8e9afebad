import Core
import HTTPTypes
import Templates
import Web

/// `/admin/reports`: cases waiting for a moderator, oldest and most reported first. On wide screens,
/// the first one is open beside the list.
struct QueuePages {
  private let screen: ReportsScreen

  init(_ screen: ReportsScreen) { self.screen = screen }

  @Sendable func show(_ context: Context) throws -> Response {
    try screen.response(QueueQuery(context.request), opened: nil, context)
  }
}

/// The queue and one case in two columns: both pages of reports.
struct ReportsScreen {
  static let pageSize = 20
  /// Choices of the filter "older than", in s.
  static let ages: [(key: String, seconds: Int64)] = [
    ("any", 0), ("day", .days(1)), ("week", .days(7)),
  ]

  let services: ModerationEnvironment
  private let page: Page<ReportsView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    page = try Page("staff/reports", in: services.site)
  }

  /// - Parameter opened: The case of the address; nil for the first one of the queue.
  func response(
    _ query: QueueQuery, opened: ReportCase?, entered: FormFields = FormFields(),
    errors: [String: FieldError] = [:], isTaken: Bool = false, _ context: Context,
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let viewer = try context.signedIn().id
    let (cases, counts, couple) = try services.site.database.read { reader in
      (
        try services.cases.queue(
          query.filter, after: query.place, limit: Self.pageSize + 1, now: context.now, in: reader),
        try CaseState.allCases.map { ($0, try services.cases.count($0, in: reader)) },
        try query.filter.couple.flatMap { try services.moderationStatuses.couple($0, in: reader) }
      )
    }
    let shown = Array(cases.prefix(Self.pageSize))
    let current = opened ?? shown.first
    let items = try shown.map {
      try QueueItemView.make($0, services, query, context, current: current?.id)
    }
    let one = try current.map { found in
      let model = try services.site.database.read {
        try CaseModel(found, services, viewer: viewer, now: context.now, in: $0)
      }
      return try CaseView(
        found, model, ModeratedItem.find(found, services, now: context.now),
        query, neighbours: query.isPlain ? nil : shown.map(\.id), entered: entered,
        errors: errors, isTaken: isTaken, context)
    }
    let list = QueueView(
      query, counts, couple: couple?.name, items: items,
      more: cases.count > shown.count ? shown.last : nil, context)
    return page.response(
      ReportsView(list: list, one: one, isOpened: opened != nil), context,
      title: .key(opened == nil ? "admin.reports.title" : "admin.report.title"), status: status)
  }
}

/// Query parameters of the queue.
struct QueueQuery {
  var filter = QueueFilter()
  var place: (rank: Int64, id: ID<ReportCase>)?

  init(_ request: Request, state: CaseState = .open) {
    filter.state = CaseState(rawValue: request.queryValue("state") ?? "") ?? state
    filter.reason = ReportReason(rawValue: request.queryValue("reason") ?? "")
    filter.age = ReportsScreen.ages.first { $0.key == request.queryValue("age") }?.seconds
    filter.couple = request.queryValue("couple").flatMap { ID<Couple>($0) }
    let parts = (request.queryValue("after") ?? "").split(separator: "_")
    if parts.count == 2, let rank = Int64(parts[0]), let id = ID<ReportCase>(parts[1]) {
      place = (rank, id)
    }
  }

  /// Whether only the state is filtered.
  var isPlain: Bool { parts(withCouple: true).isEmpty }

  private func parts(withCouple: Bool) -> [String] {
    var parts: [String] = []
    if let reason = filter.reason { parts.append("reason=\(reason.rawValue)") }
    if let age = ReportsScreen.ages.first(where: { $0.seconds == filter.age && $0.seconds > 0 }) {
      parts.append("age=\(age.key)")
    }
    if withCouple, let couple = filter.couple { parts.append("couple=\(couple)") }
    return parts
  }

  func link(
    state: CaseState? = nil, after place: (rank: Int64, id: ID<ReportCase>)? = nil
  ) -> String {
    let all =
      ["state=\((state ?? filter.state).rawValue)"] + parts(withCouple: state == nil)
      + after(place)
    return "\(ModerationLinks.queue)?\(all.joined(separator: "&"))"
  }

  /// The page of a case, which keeps the filter and the place in the queue.
  func link(to one: ID<ReportCase>) -> String {
    let all = parts(withCouple: true) + after(place)
    return ModerationLinks.one(one) + (all.isEmpty ? "" : "?\(all.joined(separator: "&"))")
  }

  private func after(_ place: (rank: Int64, id: ID<ReportCase>)?) -> [String] {
    place.map { ["after=\($0.rank)_\($0.id)"] } ?? []
  }
}
