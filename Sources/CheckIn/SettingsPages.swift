import Accounts
import Basics
import Database
import Foundation
import Templates
import Web

/// `/checkin/settings`: when contacts are told, reminders, pauses, the note, and the zone.
struct SettingsPages {
  /// What is known of somebody, for showing and for saving.
  private struct Known {
    let card: PersonCard
    let zone: TimeZone
    let settings: CheckInSettings
  }

  private let services: CheckInServices
  private let page: Template<CheckInSettingsView>

  init(_ services: CheckInServices) throws {
    self.services = services
    page = try services.site.templates.template("checkin/settings")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    try response(context, try known(context), errors: [:], status: 200)
  }

  @Sendable func save(_ request: Request, _ context: Context) throws -> Response {
    let known = try known(context)
    if context.form.has("end_pause") {
      try services.site.database.write { writer in
        try endPause(of: known.card, today: today(known.zone, context), in: writer)
        try WatchKeeper(services: services).reschedule(
          known.card.id, now: context.now, in: writer)
      }
      context.say("toast.pause_ended")
      return .seeOther(CheckInLinks.settings)
    }
    let form = SettingsForm(context.form, over: known.settings, before: known.zone, context)
    guard form.errors.isEmpty else {
      return try response(context, known, errors: form.errors, status: 422)
    }
    try services.site.database.write { try keep(form, known, context, in: $0) }
    context.say("toast.saved")
    return .seeOther(CheckInLinks.settings)
  }

  // MARK: Saving

  private func keep(
    _ form: SettingsForm, _ known: Known, _ context: Context, in writer: Writer
  ) throws {
    let person = known.card.id
    try services.watches.begin(person, language: context.language, in: writer)
    try services.watches.save(form.settings, of: person, in: writer)
    if form.timeZone != known.card.timeZone {
      try services.people.setTimeZone(form.timeZone, of: person, in: writer)
    }
    let zone = TimeZone(identifier: form.timeZone) ?? known.zone
    let today = today(zone, context)
    if let last = form.pausedUntil {
      // What was not touched stays as it is, its first day too.
      if last != known.settings.pausedUntil || zone != known.zone {
        try services.watches.pause(person, from: today, until: last, in: writer)
      }
    } else {
      try endPause(of: known.card, today: today, in: writer)
    }
    try WatchKeeper(services: services).reschedule(person, now: context.now, in: writer)
  }

  private func endPause(of card: PersonCard, today: LocalDay, in writer: Writer) throws {
    try services.watches.endPause(card.id, before: today, in: writer)
  }

  // MARK: Showing

  private func known(_ context: Context) throws -> Known {
    let viewer = try context.signedIn()
    return try services.site.database.read { reader in
      guard let card = try services.people.card(viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return Known(
        card: card, zone: services.zone(of: card),
        settings: try services.watches.settings(of: viewer.id, in: reader)
          ?? CheckInSettings(contactLanguage: context.language))
    }
  }

  private func today(_ zone: TimeZone, _ context: Context) -> LocalDay {
    LocalDay(context.now, in: zone)
  }

  private func response(
    _ context: Context, _ known: Known, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let today = today(known.zone, context)
    let pause = known.settings.pausedUntil.flatMap { $0 >= today ? $0 : nil }
    let typed =
      status == 200
      ? TypedSettings(known.settings, pause: pause, zone: known.zone)
      : TypedSettings(context.form.typed)
    let view = CheckInSettingsView(
      page: PageView(context, title: "checkin_settings.title"), typed: typed,
      pause: pause.map { When(context).day($0) }, today: today,
      mayBeMailed: known.card.address != nil, errors: errors.texts(context), context: context)
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }
}
