import Core
import Database
import Templates
import Web

/// `/settings/reports`: the user's reports with outcomes; `/settings/decisions`: moderators'
/// decisions about the user's content, and appeals.
struct OwnReportPages {
  /// Maximum number shown of each; the latest.
  private static let listed = 100

  private let services: ModerationEnvironment
  private let reports: Page<OwnReportsView>
  private let decisions: Page<OwnDecisionsView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    reports = try Page("moderation/own-reports", title: "own_reports.title", in: services.site)
    decisions = try Page(
      "moderation/own-decisions", title: "own_decisions.title", in: services.site)
  }

  @Sendable func showReports(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let when = DateFormatting(context)
    let found = try services.site.database.read {
      try services.cases.reports(of: viewer.id, limit: Self.listed, in: $0)
    }
    let view = OwnReportsView(
      reports: found.map { report, target in
        OwnReportView(
          kind: context.text("admin.report.kind_\(target.target.kind.rawValue)"),
          reason: context.text(report.reason.textKey), state: report.state,
          outcome: context.text("own_reports.\(report.state.rawValue)"),
          age: when.age(report.createdAt),
          withdrawal: report.canBeWithdrawn(target, now: context.now)
            ? ModerationLinks.withdraw(report.id) : nil)
      })
    return reports.response(view, context)
  }

  @Sendable func withdraw(_ context: Context) throws -> Response {
    try ReportService(services: services).withdraw(
      context.id("id", Report.self), by: context.signedIn(), now: context.now)
    context.flash("toast.report_withdrawn")
    return .seeOther(context.next(ModerationLinks.ownReports))
  }

  @Sendable func showDecisions(_ context: Context) throws -> Response {
    decisions.response(try view(context), context)
  }

  @Sendable func appeal(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id = try context.id("id", ReportCase.self)
    let text = context.form["words"].asParagraphs
    let error =
      text.isEmpty
      ? FieldError("own_decisions.appeal_missing")
      : FieldError.tooLong(text, ReportRules.appealLimits)
    if let error {
      let view = try view(context, entered: text, for: id, error: error)
      return decisions.response(view, context, status: .unprocessableContent)
    }
    try DecisionService(services: services).appeal(id, text: text, by: viewer, now: context.now)
    context.flash("toast.appealed")
    return .seeOther(ModerationLinks.ownDecisions)
  }

  private func view(
    _ context: Context, entered: String = "", for id: ID<ReportCase>? = nil,
    error: FieldError? = nil
  ) throws -> OwnDecisionsView {
    let viewer = try context.signedIn()
    let formatter = CaseFormatter(context: context)
    let items = try services.site.database.read { reader in
      try services.cases.concerning(
        viewer.id, couple: viewer.couple?.id, limit: Self.listed, in: reader
      ).map { found in
        (
          found, try services.cases.appeal(of: found.id, in: reader),
          try services.reason(of: found, in: reader)
        )
      }
    }
    let shown = try items.map { found, appeal, reason in
      OwnDecisionView(
        found: found, title: formatter.ownTitle(found),
        reason: reason.map { context.text($0.textKey) },
        excerpt: try services.text(of: found.target).excerpt(140),
        moment: formatter.when.moment(found.decidedAt ?? found.waitingSince), appeal: appeal,
        appealText: appeal.map { formatter.appeal($0) },
        entered: found.id == id ? entered : "", error: found.id == id ? error?.text(context) : nil)
    }
    return OwnDecisionsView(
      suspended: viewer.suspension.map { formatter.suspension($0) }, decisions: shown,
      errors: error.map { ["words": $0.text(context)] } ?? [:])
  }
}

struct OwnReportsView: View {
  let reports: [OwnReportView]

  static let fields: [String: Field<OwnReportsView>] = [
    "reports": .list { $0.reports },
    "empty": .flag { $0.reports.isEmpty },
  ]
}

struct OwnReportView: View {
  let kind: String
  let reason: String
  let state: Report.State
  let outcome: String
  let age: String
  let withdrawal: String?

  static let fields: [String: Field<OwnReportView>] = [
    "kind": .text { $0.kind },
    "reason": .text { $0.reason },
    "state": .text { $0.state.rawValue },
    "outcome": .text { $0.outcome },
    "age": .text { $0.age },
    "undo_action": .optionalText { $0.withdrawal },
  ]
}

struct OwnDecisionsView: FormContent {
  let suspended: String?
  let decisions: [OwnDecisionView]
  let errors: [String: String]

  static let fields: [String: Field<OwnDecisionsView>] = formFields(
    errors: ["words"],
    [
      "suspended": .optionalText { $0.suspended },
      "decisions": .list { $0.decisions },
      "empty": .flag { $0.decisions.isEmpty && $0.suspended == nil },
    ])
}

struct OwnDecisionView: View {
  let found: ReportCase
  let title: String
  let reason: String?
  let excerpt: String
  let moment: String
  let appeal: Appeal?
  let appealText: String?
  let entered: String
  let error: String?

  static let fields: [String: Field<OwnDecisionView>] = [
    "id": .text { $0.found.id.description },
    "title": .text { $0.title },
    "reason": .optionalText { $0.reason },
    "note": .text { $0.found.note },
    "excerpt": .text { $0.excerpt },
    "moment": .text { $0.moment },
    "appeal_words": .optionalText { $0.appeal?.text },
    "appeal": .optionalText { $0.appealText },
    "may_appeal": .flag { $0.appeal == nil && $0.found.canBeAppealed },
    "appeal_link": .text { ModerationLinks.appeal($0.found.id) },
    "typed": .text { $0.entered },
    "error": .optionalText { $0.error },
  ]
}
