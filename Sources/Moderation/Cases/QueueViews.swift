import Core
import Templates
import Web

/// The queue, and a case beside it.
struct ReportsView: View {
  let list: QueueView
  let one: CaseView?
  /// Whether the address names the case; else it is the first one, for wide screens.
  let isOpened: Bool

  static let fields: [String: Field<ReportsView>] = [
    "list": .child { $0.list },
    "one": .optional { $0.one },
    "opened": .flag { $0.isOpened },
    "queue_link": .text { _ in ModerationLinks.queue },
  ]
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

  /// - Parameter more: The last case of the page, if there are others after it.
  init(
    _ query: QueueQuery, _ counts: [(CaseState, Int)], couple: String?, items: [QueueItemView],
    more: ReportCase?, _ context: Context
  ) {
    let filter = query.filter
    waiting = counts.filter { $0.0.waits }.reduce(0) { $0 + $1.1 }
    states = counts.map { state, count in
      FilterView(
        link: query.link(state: state), name: context.text("admin.state.\(state.rawValue)"),
        count: count, isChosen: filter.couple == nil && state == filter.state)
    }
    reasons =
      [
        ChoiceView(
          value: "", name: context.text("admin.reports.any_reason"),
          isChosen: filter.reason == nil)
      ]
      + ReportReason.allCases.map {
        ChoiceView(
          value: $0.rawValue, name: context.text($0.textKey), isChosen: filter.reason == $0)
      }
    ages = ReportsScreen.ages.map { age in
      ChoiceView(
        value: age.key, name: context.text("admin.reports.age_\(age.key)"),
        isChosen: (filter.age ?? 0) == age.seconds)
    }
    state = filter.state.rawValue
    self.couple = couple
    coupleID = filter.couple?.description ?? ""
    self.items = items
    self.more = more.map { query.link(after: ($0.rank, $0.id)) }
  }

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
  /// Nil if nothing is counted.
  let count: Int?
  let isChosen: Bool

  static let fields: [String: Field<FilterView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
    "count": .optionalText { $0.count.map { $0.grouped } },
    "chosen": .flag { $0.isChosen },
  ]
}

/// A case in the queue.
struct QueueItemView: View {
  let found: ReportCase
  let link: String
  let name: String
  let text: String
  let thumb: String?
  let reasons: [String]
  let age: String
  let state: String
  let isCurrent: Bool

  static func make(
    _ found: ReportCase, _ services: ModerationEnvironment, _ query: QueueQuery,
    _ context: Context, current: ID<ReportCase>? = nil
  ) throws -> QueueItemView {
    let text = CaseFormatter(context: context)
    let seen = try ModeratedItem.find(found, services, now: context.now)
    let reasons = try services.site.database.read {
      try services.cases.reasons(of: found, in: $0)
    }
    return QueueItemView(
      found: found, link: query.link(to: found.id),
      name: seen.name.isEmpty ? context.text("admin.report.former_user") : seen.name,
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
    "link": .text { $0.link },
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
