import Accounts
import Core
import Foundation
import Templates
import Web

/// The values of the form: stored, or as typed.
struct CheckInSettingsFields {
  let alertTime: String
  let threshold: String
  let thresholdHours: String
  var reminderTime: String
  /// Whether the reminder is to be turned off, whatever its time.
  let endsReminder: Bool
  let contactLanguage: String
  let contactPause: String
  let note: String
  let sheet: String
  var pausedUntil: String

  init(_ settings: CheckInSettings, pause: LocalDay?) {
    alertTime = QuarterHour.text(settings.alertMinute)
    threshold = String(settings.threshold)
    thresholdHours = settings.thresholdHours.map(String.init) ?? ""
    reminderTime = settings.reminderMinute.map(QuarterHour.text) ?? ""
    endsReminder = false
    contactLanguage = settings.contactLanguage.rawValue
    contactPause = settings.contactPause.map(String.init) ?? ""
    note = settings.note
    sheet = settings.sheet
    pausedUntil = pause?.description ?? ""
  }

  init(_ entered: FormFields) {
    alertTime = entered["alert_time"]
    threshold = entered["threshold_days"]
    thresholdHours = entered["threshold_hours"]
    reminderTime = entered["reminder_time"]
    endsReminder = entered.has("no_reminder")
    contactLanguage = entered["contact_language"]
    contactPause = entered["contact_pause"]
    note = entered["note"]
    sheet = entered["sheet"]
    pausedUntil = entered["paused_until"]
  }
}

struct CheckInSettingsView: View {
  private static let order = [
    "threshold_days", "threshold_hours", "alert_time", "reminder_time", "paused_until",
    "contact_pause",
    "contact_language", "note", "sheet",
  ]

  let entered: CheckInSettingsFields
  let pause: String?
  let firstDay: String
  let lastDay: String
  let mayBeMailed: Bool
  /// Whether reminders reach the user as push notifications.
  let mayBePushed: Bool
  let errors: [String: String]
  let thresholds: [ChoiceView]
  let hourThresholds: [ChoiceView]
  let contactPauses: [ChoiceView]
  /// The name of the time in which days and hours are given.
  let zone: String

  init(
    entered: CheckInSettingsFields, pause: String?, today: LocalDay,
    mayBeMailed: Bool, mayBePushed: Bool,
    errors: [String: String], context: Context
  ) {
    self.entered = entered
    self.pause = pause
    firstDay = today.description
    lastDay = today.adding(days: CheckInSettings.maximumPauseDays).description
    self.mayBeMailed = mayBeMailed
    self.mayBePushed = mayBePushed
    self.errors = errors
    thresholds = CheckInSettings.thresholds.map { days in
      ChoiceView(
        value: String(days), name: context.text("checkin_settings.threshold_days", count: days),
        isChosen: entered.threshold == String(days))
    }
    hourThresholds = CheckInSettings.hourThresholds.map { hours in
      ChoiceView(
        value: String(hours), name: context.text("checkin_settings.threshold_hour", count: hours),
        isChosen: entered.thresholdHours == String(hours))
    }
    contactPauses = CheckInSettings.contactPauses.map { minutes in
      ChoiceView(
        value: String(minutes),
        name: minutes < 60
          ? context.text("checkin_settings.contact_pause_minutes", count: minutes)
          : context.text("checkin_settings.contact_pause_hours", count: minutes / 60),
        isChosen: entered.contactPause == String(minutes))
    }
    zone = context.timeZoneName
  }

  static let fields: [String: Field<CheckInSettingsView>] = [
    "action": .text { _ in CheckInLinks.settings },
    "signs_link": .text { _ in CheckInLinks.signs },
    "contacts_link": .text { _ in CheckInLinks.contacts },
    "member_link": .text { _ in AccountLinks.becomeMember },
    "pause": .optionalText { $0.pause },
    "thresholds": .list { $0.thresholds },
    "hour_thresholds": .list { $0.hourThresholds },
    "counts_days": .flag { $0.entered.thresholdHours.isEmpty },
    "alert_time": .text { $0.entered.alertTime },
    "reminder_time": .text { $0.entered.reminderTime },
    "has_reminder": .flag { !$0.entered.reminderTime.isEmpty },
    "ends_reminder": .flag { $0.entered.endsReminder },
    "paused_until": .text { $0.entered.pausedUntil },
    "first_day": .text { $0.firstDay },
    "last_day": .text { $0.lastDay },
    "contact_pauses": .list { $0.contactPauses },
    "at_once": .flag { $0.entered.contactPause.isEmpty },
    "english": .flag { $0.entered.contactLanguage == Language.english.rawValue },
    "traditional": .flag { $0.entered.contactLanguage == Language.traditionalChinese.rawValue },
    "simplified": .flag { $0.entered.contactLanguage == Language.simplifiedChinese.rawValue },
    "note": .text { $0.entered.note },
    "sheet": .text { $0.entered.sheet },
    "zone": .text { $0.zone },
    "zone_link": .text { _ in AccountLinks.languageSettings },
    "may_be_mailed": .flag { $0.mayBeMailed },
    "may_be_pushed": .flag { $0.mayBePushed },
    "notices_link": .text { _ in CheckInLinks.notifications },
    "threshold_days_error": .optionalText { $0.errors["threshold_days"] },
    "threshold_hours_error": .optionalText { $0.errors["threshold_hours"] },
    "alert_time_error": .optionalText { $0.errors["alert_time"] },
    "reminder_time_error": .optionalText { $0.errors["reminder_time"] },
    "paused_until_error": .optionalText { $0.errors["paused_until"] },
    "contact_language_error": .optionalText { $0.errors["contact_language"] },
    "contact_pause_error": .optionalText { $0.errors["contact_pause"] },
    "sheet_error": .optionalText { $0.errors["sheet"] },
    "note_error": .optionalText { $0.errors["note"] },
    "errors": .optional { ErrorsView($0.errors, order: order) },
  ]
}
