import Core
import Templates
import Web

/// `/posts/{id}/report`, `/comments/{id}/report`, `/messages/{id}/{message}/report`,
/// `/moments/{id}/{moment}/report` and `/couples/{id}/report`.
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

  @Sendable func showMessage(_ context: Context) throws -> Response {
    try show(message(context), context)
  }

  @Sendable func showMoment(_ context: Context) throws -> Response {
    try show(moment(context), context)
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

  @Sendable func sendMessage(_ context: Context) throws -> Response {
    try send(message(context), context)
  }

  @Sendable func sendMoment(_ context: Context) throws -> Response {
    try send(moment(context), context)
  }

  private func moment(_ context: Context) throws -> ReportService.ReportableItem {
    try service.target(
      context.id("moment", ReportedMoment.self), of: context.id("id", Couple.self),
      for: context.signedIn(), now: context.now)
  }

  private func message(_ context: Context) throws -> ReportService.ReportableItem {
    try service.target(
      context.id("message", ReportedMessage.self), in: context.id("id", ReportedConversation.self),
      for: context.signedIn())
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
        let isBlocking = context.form.has("block") && target.blockable != nil
        let stored = try service.report(
          target, report, isBlocking: isBlocking, by: viewer, now: context.now)
        // A button to undo would take back the report, but not the block.
        context.flash(
          isBlocking ? "toast.reported_and_blocked" : "toast.reported",
          link: stored.hides || isBlocking
            ? nil : (ModerationLinks.withdraw(stored.id), "toast.undo"))
        return .seeOther(next(target, isGone: stored.hides || isBlocking, context))
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

extension ReportPages {
  /// The page that the reporter came from, unless the item is hidden from them now and the page is
  /// about it.
  private func next(
    _ target: ReportService.ReportableItem, isGone: Bool, _ context: Context
  ) -> String {
    let next = context.next(target.page)
    let pages = [target.page] + (target.couple.map { [ModerationLinks.target(.couple($0))] } ?? [])
    return isGone && pages.contains { next.hasPrefix($0) } ? "/" : next
  }
}

extension Context {
  /// The page of this site whose link or form led here; "" if unknown.
  fileprivate var cameFrom: String {
    guard let page = request.headers[.referer], page.hasPrefix("\(site.baseURL)/") else {
      return ""
    }
    return String(page.dropFirst(site.baseURL.count))
  }
}

struct ReportView: FormContent {
  let target: ReportService.ReportableItem
  let note: String
  let next: String
  let isBlocking: Bool
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
    next = entered.has("next") ? entered["next"] : context.cameFrom
    isBlocking = entered.has("block")
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
      "may_block": .flag { $0.target.blockable != nil },
      "partner": .flag { $0.target.isOfTheTwo },
      "couple": .flag { $0.target.target.kind == .couple },
      "reasons": .list { $0.reasons },
      "note": .text { $0.note },
      "next": .text { $0.next },
      "blocking": .flag { $0.isBlocking },
      "action": .text { $0.target.form ?? ModerationLinks.report($0.target.target) },
      "back_link": .text { Context.safePath($0.next) ?? $0.target.page },
      "own_link": .text { _ in ModerationLinks.ownReports },
      "waits": .flag { $0.waits },
      "refusal": .optionalText { $0.rejection },
      "may": .flag { !$0.waits && $0.rejection == nil },
    ])
}
