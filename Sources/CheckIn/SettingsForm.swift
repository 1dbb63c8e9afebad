import Accounts
import Basics
import Foundation
import Web

/// What the form of `/checkin/settings` sent, checked.
struct SettingsForm {
  let settings: CheckInSettings
  let timeZone: String
  /// The last day of a pause; nil for none.
  let pausedUntil: LocalDay?
  let errors: [String: FieldError]

  /// Reads a form over what was set before, which stands where something typed is wrong.
  init(_ form: Form, over before: CheckInSettings, before zone: TimeZone, _ context: Context) {
    var errors: [String: FieldError] = [:]
    var settings = before
    func choose<Value>(_ field: String, _ value: Value?, _ keep: (Value) -> Void) {
      guard let value else {
        errors[field] = FieldError("error.from_list")
        return
      }
      keep(value)
    }
    choose("alert_time", QuarterHour.minutes(form["alert_time"])) { settings.alertMinute = $0 }
    choose("threshold_days", Self.threshold(form["threshold_days"])) { settings.threshold = $0 }
    choose("contact_language", Language(rawValue: form["contact_language"])) {
      settings.contactLanguage = $0
    }
    if form["reminder_time"].isEmpty {
      settings.reminderMinute = nil
    } else {
      choose("reminder_time", QuarterHour.minutes(form["reminder_time"])) {
        settings.reminderMinute = $0
      }
    }
    settings.note = form["note"].asParagraphs
    if settings.note.count > CheckInSettings.longestNote {
      errors["note"] = FieldError("error.note_long", ["count": String(settings.note.count)])
    }
    let typedZone = form["time_zone"]
    let isKnown = TimeZoneChoices.accepts(typedZone, context)
    if !isKnown { errors["time_zone"] = FieldError("error.time_zone_choice") }
    let zoneOfDays = (isKnown ? TimeZone(identifier: typedZone) : nil) ?? zone
    pausedUntil = Self.pause(
      form["paused_until"], today: LocalDay(context.now, in: zoneOfDays), When(context), &errors)
    self.settings = settings
    timeZone = typedZone
    self.errors = errors
  }

  private static func threshold(_ text: String) -> Int? {
    guard text.utf8.count == 1, let days = Int(text), CheckInSettings.thresholds.contains(days)
    else { return nil }
    return days
  }

  /// A day from today to the farthest there may be; nothing typed is no pause.
  static func pause(
    _ typed: String, today: LocalDay, _ when: When, _ errors: inout [String: FieldError]
  ) -> LocalDay? {
    let text = typed.asOneLine
    guard !text.isEmpty else { return nil }
    let farthest = today.adding(days: CheckInSettings.longestPause)
    guard let day = LocalDay(text) else {
      errors["paused_until"] = FieldError("error.paused_until_invalid")
      return nil
    }
    if day < today {
      errors["paused_until"] = FieldError("error.paused_until_past")
    } else if day > farthest {
      errors["paused_until"] = FieldError("error.paused_until_far", ["day": when.day(farthest)])
    }
    return day
  }
}
