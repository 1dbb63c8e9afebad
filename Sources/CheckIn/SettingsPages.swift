import Basics
import Templates
import Web

/// `/checkin/settings`: when contacts are told, reminders, pauses, the note, and the zone.
struct SettingsPages {
  private let services: CheckInServices
  private let page: Template<CheckInSettingsView>

  private var desk: SettingsDesk { SettingsDesk(services: services) }

  init(_ services: CheckInServices) throws {
    self.services = services
    page = try services.site.templates.template("checkin/settings")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    try response(context, try desk.known(context), errors: [:], status: 200)
  }

  @Sendable func save(_ request: Request, _ context: Context) throws -> Response {
    let known = try desk.known(context)
    if context.form.has("end_pause") {
      try desk.endPause(known, now: context.now)
      context.say("toast.pause_ended")
      return .seeOther(CheckInLinks.settings)
    }
    let errors = try desk.save(SentSettings(context.form), known, context)
    guard errors.isEmpty else {
      return try response(context, known, errors: errors, status: 422)
    }
    context.say("toast.saved")
    return .seeOther(CheckInLinks.settings)
  }

  private func response(
    _ context: Context, _ known: SettingsDesk.Known, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let today = LocalDay(context.now, in: known.zone)
    let pause = known.pause(on: today)
    let typed =
      status == 200
      ? TypedSettings(known.settings, pause: pause)
      : TypedSettings(context.form.typed)
    let view = CheckInSettingsView(
      page: PageView(context, title: "checkin_settings.title"), typed: typed,
      pause: pause.map { When(context).day($0) }, today: today,
      mayBeMailed: known.card.address != nil, errors: errors.texts(context), context: context)
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }
}
