import Core
import Templates
import Web

/// `/checkin/settings`: alert time, reminders, pauses, the note, and the time zone.
struct SettingsPages {
  private let services: CheckInEnvironment
  private let page: Page<CheckInSettingsView>

  private var service: CheckInSettingsService { CheckInSettingsService(services: services) }

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/settings", title: "checkin_settings.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, try service.known(context), errors: [:], status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let known = try service.known(context)
    if context.form.has("end_pause") {
      try service.endPause(known, now: context.now)
      context.flash("toast.pause_ended")
      return .seeOther(
        context.form["next"] == CheckInLinks.page ? CheckInLinks.page : CheckInLinks.settings)
    }
    if context.form.has("remind") {
      return try remind(known, context)
    }
    if context.form.has("pause") {
      return try pause(known, context)
    }
    let errors = try service.save(CheckInSettingsInput(context.form), known, context)
    guard errors.isEmpty else {
      return try response(context, known, errors: errors, status: 422)
    }
    context.flash("toast.saved")
    return .seeOther(CheckInLinks.settings)
  }

  /// Sets the daily reminder that the check-in page offers.
  private func remind(
    _ known: CheckInSettingsService.StoredSettings, _ context: Context
  ) throws -> Response {
    var sent = CheckInSettingsInput()
    sent.reminderTime = context.form["reminder_time"]
    let errors = try service.save(sent, known, context)
    guard errors.isEmpty else {
      return try response(context, known, errors: errors, status: 422)
    }
    context.flash("toast.saved")
    return .seeOther(CheckInLinks.page)
  }

  /// Pauses by the form of the check-in page: for some days, or up to a date.
  private func pause(
    _ known: CheckInSettingsService.StoredSettings, _ context: Context
  ) throws -> Response {
    let days = CheckInSettings.shortPauses.first { String($0) == context.form["pause"] }
    let today = LocalDay(context.now, in: known.zone)
    let last = days.map { today.adding(days: $0).description } ?? context.form["paused_until"]
    var sent = CheckInSettingsInput()
    sent.pausedUntil = last
    // An empty date would end a pause.
    let errors =
      last.asOneLine.isEmpty
      ? ["paused_until": FieldError("error.paused_until_invalid")]
      : try service.save(sent, known, context)
    guard errors.isEmpty else {
      return try response(context, known, errors: errors, status: 422)
    }
    context.flash("toast.paused")
    return .seeOther(CheckInLinks.page)
  }

  private func response(
    _ context: Context, _ known: CheckInSettingsService.StoredSettings,
    errors: [String: FieldError], status: Int
  ) throws -> Response {
    let today = LocalDay(context.now, in: known.zone)
    let pause = known.pause(on: today)
    let stored = CheckInSettingsFields(known.settings, pause: pause)
    let entered = status == 200 ? stored : Self.entered(context.form, over: stored)
    let mayBePushed = try services.site.database.read {
      try services.observer.reaches(known.card.id, in: $0)
    }
    let view = CheckInSettingsView(
      entered: entered,
      pause: pause.map { DateFormatting(context).day($0) }, today: today,
      mayBeMailed: known.card.address != nil, mayBePushed: mayBePushed,
      errors: errors.texts(context), context: context)
    return page.response(view, context, status: .init(code: status))
  }

  /// The values as typed; a form of the check-in page has only one of them.
  private static func entered(
    _ form: Form, over stored: CheckInSettingsFields
  ) -> CheckInSettingsFields {
    var fields = stored
    if form.has("pause") {
      fields.pausedUntil = form["paused_until"]
    } else if form.has("remind") {
      fields.reminderTime = form["reminder_time"]
    } else {
      fields = CheckInSettingsFields(form.entered)
    }
    return fields
  }
}
