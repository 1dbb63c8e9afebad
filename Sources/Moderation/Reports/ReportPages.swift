import Core
import Templates
import Web

/// `/posts/{id}/report`, `/comments/{id}/report` and `/couples/{id}/report`.
struct ReportPages {
  private let services: ModerationEnvironment
  private let page: Page<ReportView>

  private var service: ReportService { ReportService(services: services) }

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    page = try Page("moderation/report", title: "report.title", in: services.site)
  }

  @Sendable func showPost(_ context: Context) throws -> Response {
    try show(service.target(context.id("id", ReportedPost.self), for: context.signedIn()), context)
  }

  @Sendable func showComment(_ context: Context) throws -> Response {
    try show(
      service.target(context.id("id", ReportedComment.self), for: context.signedIn()), context)
  }

  @Sendable func showCouple(_ context: Context) throws -> Response {
    try show(service.target(context.id("id", Couple.self), for: context.signedIn()), context)
  }

  @Sendable func sendPost(_ context: Context) throws -> Response {
    try send(service.target(context.id("id", ReportedPost.self), for: context.signedIn()), context)
  }

  @Sendable func sendComment(_ context: Context) throws -> Response {
    try send(
      service.target(context.id("id", ReportedComment.self), for: context.signedIn()), context)
  }

  @Sendable func sendCouple(_ context: Context) throws -> Response {
    try send(service.target(context.id("id", Couple.self), for: context.signedIn()), context)
  }

  private func show(_ target: ReportService.ReportableItem, _ context: Context) throws -> Response {
    let waits = try service.waits(target, for: context.signedIn())
    let view = ReportView(target, FormFields(), waits: waits, errors: [:], context)
    return page.response(
      view, context,
      status: target.rejection == nil ? .ok : .unprocessableContent)
  }

  private func send(_ target: ReportService.ReportableItem, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    switch ReportRules.report(reason: context.form["reason"], note: context.form["note"]) {
    case .failure(let wrong): errors = wrong.fields
    case .success(let report):
      do {
        try service.report(target, report, by: viewer, now: context.now)
        context.flash("toast.reported")
        // The item may be hidden from its reporter now.
        return .seeOther(ModerationLinks.ownReports)
      } catch let problem as Problem where problem.code == "conflict" {
        let view = ReportView(target, context.form.entered, waits: true, errors: [:], context)
        return page.response(view, context, status: .conflict)
      } catch let problem as Problem where !problem.fields.isEmpty {
        errors = problem.fields
      }
    }
    let view = ReportView(target, context.form.entered, waits: false, errors: errors, context)
    return page.response(view, context, status: .unprocessableContent)
  }
}

struct ReportView: FormContent {
  let target: ReportService.ReportableItem
  let note: String
  let reasons: [ChoiceView]
  let waits: Bool
  let rejection: String?
  let errors: [String: String]

  init(
    _ target: ReportService.ReportableItem, _ entered: FormFields, waits: Bool,
    errors: [String: FieldError],
    _ context: Context
  ) {
    self.target = target
    note = entered["note"]
    reasons = ReportReason.allCases.map {
      ChoiceView(
        value: $0.rawValue, name: context.text($0.textKey), hint: "",
        isChosen: entered["reason"] == $0.rawValue)
    }
    self.waits = waits
    rejection = target.rejection?.text(context)
    self.errors = errors.texts(context)
  }

  static let fields: [String: Field<ReportView>] = formFields(
    errors: ["reason", "note"],
    [
      "couple_name": .text { $0.target.coupleName },
      "words": .text { $0.target.text },
      "couple": .flag { $0.target.target.kind == .couple },
      "reasons": .list { $0.reasons },
      "note": .text { $0.note },
      "action": .text { ModerationLinks.report($0.target.target) },
      "back_link": .text { $0.target.page },
      "own_link": .text { _ in ModerationLinks.ownReports },
      "waits": .flag { $0.waits },
      "refusal": .optionalText { $0.rejection },
      "may": .flag { !$0.waits && $0.rejection == nil },
    ])
}
