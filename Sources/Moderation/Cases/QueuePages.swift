import Core
import Templates
import Web

/// `/admin/reports`: cases waiting for a moderator, oldest and most reported first.
struct QueuePages {
  static let pageSize = 20
  /// Choices of the filter "older than", in s.
  static let ages: [(key: String, seconds: Int64)] = [
    ("any", 0), ("day", .days(1)), ("week", .days(7)),
  ]

  private let services: ModerationEnvironment
  private let page: Page<QueueView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    page = try Page("staff/reports", title: "admin.reports.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let query = QueueQuery(context.request)
    let (cases, counts, couple) = try services.site.database.read { reader in
      (
        try services.cases.queue(
          query.filter, after: query.place, limit: Self.pageSize + 1, now: context.now, in: reader),
        try CaseState.allCases.map { ($0, try services.cases.count($0, in: reader)) },
        try query.filter.couple.flatMap { try services.moderationStatuses.couple($0, in: reader) }
      )
    }
    let shown = Array(cases.prefix(Self.pageSize))
    let items = try shown.map { try QueueItemView.make($0, services, context) }
    let view = QueueView(
      waiting: counts.filter { $0.0.waits }.reduce(0) { $0 + $1.1 },
      states: counts.map { state, count in
        FilterView(
          link: query.link(state: state), name: context.text("admin.state.\(state.rawValue)"),
          count: count, isChosen: query.filter.couple == nil && state == query.filter.state)
      },
      reasons: [
        ChoiceView(
          value: "", name: context.text("admin.reports.any_reason"), hint: "",
          isChosen: query.filter.reason == nil)
      ]
        + ReportReason.allCases.map {
          ChoiceView(
            value: $0.rawValue, name: context.text($0.textKey), hint: "",
            isChosen: query.filter.reason == $0)
        },
      ages: Self.ages.map { age in
        ChoiceView(
          value: age.key, name: context.text("admin.reports.age_\(age.key)"), hint: "",
          isChosen: (query.filter.age ?? 0) == age.seconds)
      },
      state: query.filter.state.rawValue, couple: couple?.name,
      coupleID: query.filter.couple?.description ?? "", items: items,
      more: cases.count > shown.count
        ? shown.last.map { query.link(after: ($0.rank, $0.id)) } : nil)
    return page.response(view, context)
  }
}

/// Query parameters of the queue.
struct QueueQuery {
  var filter = QueueFilter()
  var place: (rank: Int64, id: ID<ReportCase>)?

  init(_ request: Request) {
    filter.state = CaseState(rawValue: request.queryValue("state") ?? "") ?? .open
    filter.reason = ReportReason(rawValue: request.queryValue("reason") ?? "")
    filter.age = QueuePages.ages.first { $0.key == request.queryValue("age") }?.seconds
    filter.couple = request.queryValue("couple").flatMap { ID<Couple>($0) }
    let parts = (request.queryValue("after") ?? "").split(separator: "_")
    if parts.count == 2, let rank = Int64(parts[0]), let id = ID<ReportCase>(parts[1]) {
      place = (rank, id)
    }
  }

  func link(
    state: CaseState? = nil, after place: (rank: Int64, id: ID<ReportCase>)? = nil
  ) -> String {
    var parts = ["state=\((state ?? filter.state).rawValue)"]
    if let reason = filter.reason { parts.append("reason=\(reason.rawValue)") }
    if let age = QueuePages.ages.first(where: { $0.seconds == filter.age && $0.seconds > 0 }) {
      parts.append("age=\(age.key)")
    }
    if state == nil, let couple = filter.couple { parts.append("couple=\(couple)") }
    if let place { parts.append("after=\(place.rank)_\(place.id)") }
    return "\(ModerationLinks.queue)?\(parts.joined(separator: "&"))"
  }
}

struct QueueView: View {
  let waiting: Int
  let states: [FilterView]
  let reasons: [ChoiceView]
  let ages: [ChoiceView]
  let state: String
  /// Name of the couple of the filter.
  let couple: String?
  let coupleID: String
  let items: [QueueItemView]
  let more: String?

  static let fields: [String: Field<QueueView>] = [
    "count": .integer { $0.waiting },
    "states": .list { $0.states },
    "reasons": .list { $0.reasons },
    "ages": .list { $0.ages },
    "state": .text { $0.state },
    "couple_name": .optionalText { $0.couple },
    "couple_id": .text { $0.coupleID },
    "all_link": .text { _ in ModerationLinks.queue },
    "items": .list { $0.items },
    "empty": .flag { $0.items.isEmpty },
    "more": .optionalText { $0.more },
  ]
}

/// A choice of a filter, as a link.
struct FilterView: View {
  let link: String
  let name: String
  let count: Int
  let isChosen: Bool

  static let fields: [String: Field<FilterView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
    "count": .integer { $0.count },
    "chosen": .flag { $0.isChosen },
  ]
}

/// A case in the queue.
struct QueueItemView: View {
  let found: ReportCase
  let name: String
  let text: String
  let thumb: String?
  let reasons: [String]
  let age: String
  let state: String
  let isCurrent: Bool

  static func make(
    _ found: ReportCase, _ services: ModerationEnvironment, _ context: Context,
    current: ID<ReportCase>? = nil
  ) throws -> QueueItemView {
    let text = CaseFormatter(context: context)
    let seen = try ModeratedItem.find(found, services, now: context.now)
    let reasons = try services.site.database.read {
      try services.cases.reasons(of: found, in: $0)
    }
    return QueueItemView(
      found: found, name: seen.name.isEmpty ? context.text("admin.report.former_user") : seen.name,
      text: seen.text.isEmpty
        ? context.text("admin.report.kind_\(found.target.kind.rawValue)")
        : FieldLimits(characters: 100).beginning(of: seen.text),
      thumb: seen.pictures.first?.thumb,
      reasons: reasons.map { text.reason($0.reason, $0.count) },
      age: text.when.age(found.waitingSince),
      state: found.decision.map { text.decision($0, days: found.suspendedDays) } ?? "",
      isCurrent: found.id == current)
  }

  static let fields: [String: Field<QueueItemView>] = [
    "id": .text { $0.found.id.description },
    "link": .text { ModerationLinks.one($0.found.id) },
    "name": .text { $0.name },
    "words": .text { $0.text },
    "thumb": .optionalText { $0.thumb },
    "reasons": .list { $0.reasons.map(TextItemView.init) },
    "count": .integer { $0.found.reporters },
    "age": .text { $0.age },
    "hidden_by_reports": .flag { $0.found.isHiddenByReports },
    "decided": .optionalText { $0.found.state == .open ? nil : $0.state },
    "current": .flag { $0.isCurrent },
  ]
}

/// A text in a list.
struct TextItemView: View {
  let text: String

  init(_ text: String) { self.text = text }

  static let fields: [String: Field<TextItemView>] = ["words": .text { $0.text }]
}
