import Accounts
import Core
import Database
import Foundation
import Web

/// Reads and stores a user's settings, for pages and the API.
struct CheckInSettingsService {
  /// The number of pauses that a user may begin or change a day.
  static let pauses = RateLimit("checkin-pauses", maximum: 20, window: .days(1))

  /// A user's data for showing and saving settings.
  struct StoredSettings {
    let card: UserSummary
    let personZone: PersonTimeZone
    let settings: CheckInSettings

    var zone: TimeZone { personZone.zone }

    /// The last day of the current or coming pause.
    func pause(on today: LocalDay) -> LocalDay? {
      settings.pausedUntil.flatMap { $0 >= today ? $0 : nil }
    }
  }

  let services: CheckInEnvironment

  func known(_ context: Context) throws -> StoredSettings {
    try services.site.database.read { try known(context, in: $0) }
  }

  func known(_ context: Context, in reader: ReadTransaction) throws -> StoredSettings {
    let viewer = try context.signedIn()
    guard let card = try services.people.card(viewer.id, in: reader) else {
      throw Problem.notFound
    }
    return StoredSettings(
      card: card, personZone: services.personZone(of: card),
      settings: try services.monitors.settings(of: viewer.id, in: reader)
        ?? CheckInSettings(contactLanguage: context.language))
  }

  /// Stores what was sent; returns the errors, in which case nothing was stored. Throws 429 after
  /// too many pauses.
  func save(
    _ sent: CheckInSettingsInput, _ known: StoredSettings, _ context: Context
  ) throws -> [String: FieldError] {
    let form = CheckInSettingsForm(sent, over: known.settings, before: known.zone, context)
    guard form.errors.isEmpty else { return form.errors }
    try services.site.database.write { try keep(form, known, context, in: $0) }
    return [:]
  }

  func endPause(_ known: StoredSettings, now: Instant) throws {
    let person = known.card.id
    try services.site.database.write { writer in
      let today = LocalDay(now, in: known.zone)
      try services.monitors.endPause(person, before: today, in: writer)
      if known.pause(on: today) != nil {
        try services.record.add(.resumed, of: person, now: now, in: writer)
      }
      try MonitorService(services: services).reschedule(person, now: now, in: writer)
    }
  }

  private func keep(
    _ form: CheckInSettingsForm, _ known: StoredSettings, _ context: Context,
    in writer: WriteTransaction
  ) throws {
    let person = known.card.id
    if let name = form.displayName { try services.people.rename(person, to: name, in: writer) }
    try services.monitors.begin(person, language: context.language, in: writer)
    try services.monitors.save(form.settings, of: person, in: writer)
    if let zone = form.timeZone {
      try services.timeZones.choose(zone, of: person, now: context.now, in: writer)
    }
    let zone = form.timeZone.flatMap(TimeZone.init(named:)) ?? known.zone
    let today = LocalDay(context.now, in: zone)
    if let last = form.pausedUntil {
      // An unchanged pause stays as it is, including its first day.
      if last != known.settings.pausedUntil || zone != known.zone {
        if let wait = try services.limits.add(
          Self.pauses, person.description, now: context.now, in: writer)
        {
          throw Problem.tooMany(retryAfter: wait)
        }
        try services.monitors.pause(person, from: today, until: last, in: writer)
        try services.record.add(.paused, day: last, of: person, now: context.now, in: writer)
      }
    } else {
      try services.monitors.endPause(person, before: today, in: writer)
      if known.pause(on: today) != nil {
        try services.record.add(.resumed, of: person, now: context.now, in: writer)
      }
    }
    try MonitorService(services: services).reschedule(person, now: context.now, in: writer)
  }
}
