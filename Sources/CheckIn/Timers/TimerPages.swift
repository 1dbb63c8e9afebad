import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/checkin/timer`: a time by which the user wants to be back.
struct TimerPages {
  private enum Button: String {
    case start
    case extend
    case end
  }

  private let services: CheckInEnvironment
  private let page: Page<TimerView>

  private var service: TimerService { TimerService(services: services) }

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/timer", title: "timer.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, errors: [:], status: .ok)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    guard let button = Button(rawValue: context.form["button"]) else { throw Problem.badRequest }
    switch button {
    case .start: return try start(context)
    case .extend:
      let isLater = try services.site.database.write {
        try service.extend(context.signedIn().id, now: context.now, in: $0)
      }
      context.flash(isLater ? "toast.timer_extended" : "toast.timer_over")
    case .end:
      let ended = try services.site.database.write {
        // Sent later by a phone without a network, when another timer may run.
        try service.end(
          services.card(context, in: $0), only: ID<CheckInTimer>(context.form["timer"]),
          now: context.now,
          in: $0)
      }
      context.flash(
        ended.map { $0.isHelp ? "toast.help_ended" : "toast.timer_ended" } ?? "toast.timer_over")
    }
    return .seeOther(context.form["next"] == CheckInLinks.page ? CheckInLinks.page : context.path)
  }

  private func start(_ context: Context) throws -> Response {
    let form = TimerForm(context.form)
    guard let minutes = form.minutes, let grace = form.grace, form.errors.isEmpty else {
      return try response(context, errors: form.errors, status: .unprocessableContent)
    }
    do {
      try services.site.database.write { writer in
        try service.start(
          minutes: minutes, graceMinutes: grace, note: form.note,
          sharesPlace: form.sharesPlace, of: services.card(context, in: writer), now: context.now,
          in: writer
        )
      }
    } catch TimerService.Rejection.running {
      context.flash("toast.timer_running")
      return .seeOther(context.path)
    } catch TimerService.Rejection.noContact {
      // The page says so, in place of the form.
      return try response(context, errors: [:], status: .unprocessableContent)
    }
    context.flash("toast.timer_started")
    return .seeOther(context.path)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: HTTPResponse.Status
  ) throws -> Response {
    let person = try context.signedIn().id
    let (timer, hasContact) = try services.site.database.read { reader in
      (
        try services.timers.find(of: person, in: reader),
        try services.contacts.all(of: person, in: reader).contains(where: \.counts)
      )
    }
    let view = TimerView(
      timer: timer, hasContact: hasContact, entered: context.form.entered,
      errors: errors.texts(context), context)
    return page.response(view, context, status: status)
  }
}

/// The entered values of a new timer.
struct TimerForm {
  /// Nil unless one of the list.
  let minutes: Int?
  let grace: Int?
  let note: String
  let sharesPlace: Bool
  let errors: [String: FieldError]

  init(_ form: Form) {
    self.init(
      minutes: form["minutes"], grace: form["grace"], note: form["note"],
      sharesPlace: form["share_place"] == "1")
  }

  init(minutes: String, grace: String, note entered: String, sharesPlace: Bool) {
    var errors: [String: FieldError] = [:]
    func choice(_ name: String, _ entered: String, _ choices: [Int]) -> Int? {
      let chosen = choices.first { String($0) == entered }
      if chosen == nil { errors[name] = FieldError("error.from_list") }
      return chosen
    }
    self.minutes = choice("minutes", minutes, CheckInTimer.lengths)
    self.grace = choice("grace", grace, CheckInTimer.graces)
    self.sharesPlace = sharesPlace
    note = entered.asParagraphs
    let excess = CheckInTimer.noteLimits.excess(of: note)
    if excess > 0 {
      errors["note"] = FieldError(
        "error.sheet_long",
        [
          "most": String(CheckInTimer.noteLimits.characters),
          "count": String(CheckInTimer.noteLimits.characters + excess),
        ])
    }
    self.errors = errors
  }
}
