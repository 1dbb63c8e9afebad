import Core
import Foundation
import Web

/// The settings that were sent by the form or the API; nil for what stays unchanged.
struct CheckInSettingsInput {
  var displayName: String?
  var alertTime: String?
  var threshold: String?
  /// "" for none.
  var thresholdHours: String?
  /// "" for none.
  var reminderTime: String?
  var contactLanguage: String?
  /// In minutes; "" for none.
  var contactPause: String?
  var note: String?
  var sheet: String?
  /// "" for none.
  var pausedUntil: String?
  var timeZone: String?

  init() {}

  /// The form sends all but name and time zone, which have their own pages.
  init(_ form: Form) {
    alertTime = form["alert_time"]
    threshold = form["threshold_days"]
    thresholdHours = form["threshold_hours"]
    reminderTime = form.has("no_reminder") ? "" : form["reminder_time"]
    contactLanguage = form["contact_language"]
    contactPause = form["contact_pause"]
    note = form["note"]
    sheet = form["sheet"]
    pausedUntil = form["paused_until"]
  }
}

/// The settings that were sent, validated.
struct CheckInSettingsForm {
  let settings: CheckInSettings
  /// Nil for no change.
  let displayName: String?
  /// Nil for no change.
  let timeZone: String?
  /// The last day of a pause; nil for none.
  let pausedUntil: LocalDay?
  let errors: [String: FieldError]

  /// Applies what was sent to the settings `before`, which are kept where the input is invalid.
  init(
    _ sent: CheckInSettingsInput, over before: CheckInSettings, before zone: TimeZone,
    _ context: Context
  ) {
    var errors: [String: FieldError] = [:]
    var settings = before
    func choose<Value>(
      _ field: String, _ entered: String?, _ read: (String) -> Value?,
      error: String = "error.from_list", _ keep: (Value) -> Void
    ) {
      guard let entered else { return }
      guard let value = read(entered) else {
        errors[field] = FieldError(error)
        return
      }
      keep(value)
    }
    choose("alert_time", sent.alertTime, QuarterHour.minutes, error: "error.quarter_hour") {
      settings.alertMinute = $0
    }
    choose("threshold_days", sent.threshold, Self.threshold) { settings.threshold = $0 }
    choose("contact_language", sent.contactLanguage, Language.init(rawValue:)) {
      settings.contactLanguage = $0
    }
    if sent.reminderTime?.isEmpty == true {
      settings.reminderMinute = nil
    } else {
      choose("reminder_time", sent.reminderTime, QuarterHour.minutes, error: "error.quarter_hour") {
        settings.reminderMinute = $0
      }
    }
    if sent.thresholdHours?.isEmpty == true {
      settings.thresholdHours = nil
    } else {
      choose("threshold_hours", sent.thresholdHours, Self.hours) { settings.thresholdHours = $0 }
    }
    if sent.contactPause?.isEmpty == true {
      settings.contactPause = nil
    } else {
      choose("contact_pause", sent.contactPause, Self.contactPause) { settings.contactPause = $0 }
    }
    if let note = sent.note?.asParagraphs {
      settings.note = note
      let limits = CheckInSettings.noteLimits
      let excess = limits.excess(of: note)
      if excess > 0 {
        errors["note"] = FieldError(
          "error.note_long", ["count": String(limits.characters + excess)])
      }
    }
    if let sheet = sent.sheet?.asParagraphs {
      settings.sheet = sheet
      let limits = CheckInSettings.sheetLimits
      let excess = limits.excess(of: sheet)
      if excess > 0 {
        errors["sheet"] = FieldError(
          "error.sheet_long",
          ["most": String(limits.characters), "count": String(limits.characters + excess)])
      }
    }
    displayName = sent.displayName.map { CheckInForm.name($0, &errors) }
    timeZone = sent.timeZone
    let chosen = sent.timeZone.flatMap(TimeZone.init(named:))
    if sent.timeZone != nil, chosen == nil {
      errors["time_zone"] = FieldError("error.time_zone_choice")
    }
    let today = LocalDay(context.now, in: chosen ?? zone)
    if let entered = sent.pausedUntil {
      pausedUntil = Self.pause(entered, today: today, DateFormatting(context), &errors)
    } else {
      pausedUntil = before.pausedUntil.flatMap { $0 >= today ? $0 : nil }
    }
    self.settings = settings
    self.errors = errors
  }

  private static func threshold(_ text: String) -> Int? {
    guard text.utf8.count == 1, let days = Int(text), CheckInSettings.thresholds.contains(days)
    else { return nil }
    return days
  }

  private static func hours(_ text: String) -> Int? {
    CheckInSettings.hourThresholds.first { String($0) == text }
  }

  private static func contactPause(_ text: String) -> Int? {
    CheckInSettings.contactPauses.first { String($0) == text }
  }

  /// A day from today to the last one allowed; an empty text means no pause.
  static func pause(
    _ entered: String, today: LocalDay, _ when: DateFormatting, _ errors: inout [String: FieldError]
  ) -> LocalDay? {
    let text = entered.asOneLine
    guard !text.isEmpty else { return nil }
    let latestEnd = today.adding(days: CheckInSettings.maximumPauseDays)
    guard let day = LocalDay(text) else {
      errors["paused_until"] = FieldError("error.paused_until_invalid")
      return nil
    }
    if day < today {
      errors["paused_until"] = FieldError("error.paused_until_past")
    } else if day > latestEnd {
      errors["paused_until"] = FieldError("error.paused_until_far", ["day": when.day(latestEnd)])
    }
    return day
  }
}
