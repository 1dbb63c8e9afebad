import Core
import Web

/// The state of the user's check-in in the API.
struct CheckInStateResponse: JSONResponse {
  let model: CheckInModel
  let settings: CheckInSettingsResponse
  let contacts: [ContactResponse]

  /// The moment at which missed days are counted.
  let now: Instant

  static let jsonName = "CheckIn"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("checked_in_today") { $0.model.week[$0.model.today] != nil },
    JSONField("today", note: "In your time zone.") { $0.model.today },
    JSONField("time_zone", example: "Asia/Taipei") { $0.settings.timeZone },
    JSONField("missed_days", note: "Full days without a check-in, up to yesterday.", example: 0) {
      $0.model.monitor.missedDays($0.now)
    },
    JSONField("current_streak", example: 12) { $0.model.streaks.current },
    JSONField("longest_streak", example: 40) { $0.model.streaks.longest },
    JSONField("total", example: 52) { $0.model.streaks.total },
    JSONField("settings") { $0.settings },
    JSONField("contacts", note: "In order.") { $0.contacts },
  ]
}

/// The user's monitoring settings in the API.
struct CheckInSettingsResponse: JSONResponse {
  let displayName: String
  let settings: CheckInSettings
  let pausedUntil: LocalDay?
  let timeZone: String

  init(_ known: CheckInSettingsService.StoredSettings, now: Instant) {
    displayName = known.card.name
    settings = known.settings
    pausedUntil = known.pause(on: LocalDay(now, in: known.zone))
    timeZone = known.personZone.name
  }

  static let jsonName = "CheckInSettings"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("display_name", example: "Mei") { $0.displayName },
    JSONField("alert_time", note: "Time at which contacts are alerted.", example: "09:00") {
      QuarterHour.text($0.settings.alertMinute)
    },
    JSONField("threshold_days", note: "Number of missed days before an alert.", example: 2) {
      $0.settings.threshold
    },
    JSONField(
      "threshold_hours",
      note: "Hours after the last check-in, instead of days; null if days are counted.", example: 12
    ) { $0.settings.thresholdHours },
    JSONField("paused_until", note: "The last day of the pause; null if not paused.") {
      $0.pausedUntil
    },
    JSONField("reminder_time", note: "Null if there is no daily reminder.", example: "20:00") {
      $0.settings.reminderMinute.map(QuarterHour.text)
    },
    JSONField("contact_language") { $0.settings.contactLanguage },
    JSONField(
      "contact_pause_minutes",
      note: "Minutes between one contact and the next; null if all are alerted at once.",
      example: 60
    ) { $0.settings.contactPause },
    JSONField("note", note: "For the contacts; sent only in an alert.") { $0.settings.note },
    JSONField("sheet", note: "For the contacts, on their pages while an alert is open.") {
      $0.settings.sheet
    },
    JSONField("time_zone", example: "Asia/Taipei") { $0.timeZone },
  ]
}

/// The result of a tap.
struct CheckInResponse: JSONResponse {
  let checkIn: CheckIn
  let streak: Int
  let timer: CheckInTimer?

  static let jsonName = "Tap"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("check_in_date", note: "The day that the check-in counts for.") { $0.checkIn.day },
    JSONField("check_in_time", note: "Time of that day's first check-in.") { $0.checkIn.tappedAt },
    JSONField("current_streak", example: 12) { $0.streak },
    JSONField(
      "timer", note: "Your timer, which a check-in does not end while it runs; null if none runs."
    ) { $0.timer },
  ]
}

/// A contact as shown to the user who has them.
struct ContactResponse: JSONResponse {
  let contact: Contact
  let mails: [ContactMail]

  static let jsonName = "Contact"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.contact.id },
    JSONField("name", note: "Empty if not set.", example: "Ming") { $0.contact.name },
    JSONField(
      "email", note: "Null for a partner; mail goes to their account's address.",
      example: "ming@example.test"
    ) { $0.contact.shownEmail },
    JSONField("state", note: "Contacts in state `refused` or `bouncing` are not alerted.") {
      $0.contact.state
    },
    JSONField(
      "sees_note", note: "False after a separation until you confirm the former partner."
    ) { !$0.contact.isAsked },
    JSONField("mails", note: "From the last year, newest first.") { $0.mails },
  ]
}

/// The user's removed contacts in the API.
struct RemovedContactsResponse: JSONResponse {
  let contacts: [RemovedContactResponse]

  static let jsonName = "RemovedContacts"
  static let jsonFields: [JSONField<Self>] = [JSONField("contacts") { $0.contacts }]
}

/// A contact who can be restored.
struct RemovedContactResponse: JSONResponse {
  let removed: RemovedContact

  static let jsonName = "RemovedContact"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.removed.contact.id },
    JSONField("name", note: "Empty if not set.", example: "Ming") { $0.removed.contact.name },
    JSONField("email", note: "Null for a partner.", example: "ming@example.test") {
      $0.removed.contact.shownEmail
    },
    JSONField("restore_until") { DeletionPeriod.end(of: $0.removed.removedAt) },
  ]
}

extension Contact.State: JSONEnum {}
extension ContactMailKind: JSONEnum {}
extension ContactMailState: JSONEnum {}

extension ContactMail: JSONResponse {
  static let jsonName = "ContactMail"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("kind") { $0.kind },
    JSONField("channel", note: "The channel's offer; null for mail.", example: "sms") { $0.offer },
    JSONField("state") { $0.state },
    JSONField("at", note: "Time of that state.") { $0.at },
  ]
}

/// A user's contacts.
struct ContactsResponse: JSONResponse {
  let contacts: [ContactResponse]

  static let jsonName = "Contacts"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("contacts", note: "In order.") { $0.contacts }
  ]
}

/// A month of check-ins.
struct HistoryResponse: JSONResponse {
  let days: [CheckIn]

  static let jsonName = "CheckInHistory"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("days", note: "Days with a check-in, in order.") { $0.days }
  ]
}

extension CheckIn: JSONResponse {
  static let jsonName = "CheckInDay"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("date") { $0.day },
    JSONField("time") { $0.tappedAt },
    JSONField("offline", note: "Whether it was made offline.", example: false) { $0.isOffline },
  ]
}
