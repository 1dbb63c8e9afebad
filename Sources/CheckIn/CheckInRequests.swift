import Accounts
import Core
import Web

/// A tap.
struct CheckInRequest: JSONRequest {
  var offlineAt: Instant?
  var day: LocalDay?
  var timeZone: String?

  static let jsonName = "TapInput"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "at", note: "Time of a check-in made offline, at most 72 hours old; otherwise omitted."
    ) { $0.offlineAt = $1 },
    .optional("date", note: "If it is not the day of the check-in, the error is `not_today`.") {
      $0.day = $1
    },
    .optional(
      "time_zone",
      note: "The app's IANA time zone name. Saved if none is known yet, otherwise ignored.",
      example: "Asia/Taipei"
    ) { $0.timeZone = $1 },
  ]
}

/// The settings to change; absent fields stay unchanged.
struct CheckInSettingsRequest: JSONRequest {
  var sent = CheckInSettingsInput()

  static let jsonName = "CheckInSettingsInput"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "display_name", note: "1 to \(AccountRules.displayNameLimits.characters) characters.",
      bounds: TextFieldLimits.filled, example: "Mei"
    ) { $0.sent.displayName = $1 },
    .optional(
      "alert_time", note: "On a quarter hour.", bounds: QuarterHour.bounds, example: "09:00"
    ) {
      $0.sent.alertTime = $1
    },
    .optional(
      "threshold_days", in: CheckInSettings.thresholds,
      note: "Number of missed days before an alert."
    ) {
      $0.sent.threshold = String($1)
    },
    .clearable(
      "threshold_hours",
      note: """
        Hours after the last check-in at which contacts are alerted, instead of `threshold_days` and \
        `alert_time`; null counts days.
        """,
      bounds: ["enum": .list(CheckInSettings.hourThresholds.map { .integer(Int64($0)) })],
      example: 12
    ) { (input: inout Self, hours: OptionalField<Int>) in
      input.sent.thresholdHours = hours.text(\.description)
    },
    .clearable(
      "paused_until", note: "At most 60 days ahead; null ends the pause.", example: "2026-03-09"
    ) { (input: inout Self, day: OptionalField<LocalDay>) in
      input.sent.pausedUntil = day.text(\.description)
    },
    .clearable(
      "reminder_time", note: "On a quarter hour; null turns the reminder off.",
      bounds: QuarterHour.bounds,
      example: "20:00"
    ) {
      (input: inout Self, time: OptionalField<String>) in input.sent.reminderTime = time.text { $0 }
    },
    .optional("contact_language") { (input: inout Self, language: Language) in
      input.sent.contactLanguage = language.rawValue
    },
    .clearable(
      "contact_pause_minutes",
      note: "Minutes between one contact and the next; null alerts all at once.",
      bounds: ["enum": .list(CheckInSettings.contactPauses.map { .integer(Int64($0)) })],
      example: 60
    ) { (input: inout Self, pause: OptionalField<Int>) in
      input.sent.contactPause = pause.text(\.description)
    },
    .optional(
      "note", note: "Up to \(CheckInSettings.noteLimits.characters) characters.",
      example: "Keys: next door"
    ) {
      $0.sent.note = $1
    },
    .optional(
      "sheet",
      note: """
        Up to \(CheckInSettings.sheetLimits.characters) characters. Contacts read it on their pages \
        while an alert is open.
        """,
      example: "Medicine: blue box in the kitchen"
    ) {
      $0.sent.sheet = $1
    },
    .optional(
      "time_zone", note: "An IANA time zone name.", bounds: TextFieldLimits.filled,
      example: "Asia/Taipei"
    ) {
      $0.sent.timeZone = $1
    },
  ]
}

extension QuarterHour {
  fileprivate static let bounds: JSON = ["pattern": .text(pattern)]
}

extension OptionalField {
  /// The value as a form sends it: nil if absent, "" for null.
  fileprivate func text(_ text: (Value) -> String) -> String? {
    switch self {
    case .absent: nil
    case .null: ""
    case .value(let value): text(value)
    }
  }
}

/// A new contact.
struct ContactRequest: JSONRequest {
  var name = ""
  var email = ""

  static let jsonName = "ContactInput"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "name", note: "Up to \(ContactService.nameLimits.characters) characters.", example: "Ming"
    ) {
      $0.name = $1
    },
    .required("email", bounds: TextFieldLimits.email, example: "ming@example.test") {
      $0.email = $1
    },
  ]
}

/// A change of a contact's name or address.
struct ContactChange: JSONRequest {
  var name: String?
  var email: String?
  var seesNote: Bool?

  static let jsonFields: [InputField<Self>] = [
    .optional(
      "name", note: "Up to \(ContactService.nameLimits.characters) characters.", example: "Ming"
    ) {
      $0.name = $1
    },
    .optional(
      "email", note: "A different address creates a new contact, who is introduced again.",
      bounds: TextFieldLimits.email, example: "ming@example.test"
    ) { $0.email = $1 },
    .optional("sees_note", note: "`true` confirms a former partner as a contact.") {
      $0.seesNote = $1
    },
  ]
}

/// The requested range and format of check-ins.
struct HistoryQuery: JSONRequest {
  enum Format: String, JSONEnum {
    case json
    case csv
  }

  var month: Month?
  var format = Format.json

  static let jsonFields: [InputField<Self>] = [
    .optional("month", note: "The current month if omitted.") { $0.month = $1 },
    .optional("format", note: "`csv` returns all check-ins and ignores `month`.") {
      $0.format = $1
    },
  ]
}

extension Month: JSONDecodable {
  static var jsonSchema: JSONSchema { .type("string", ["pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"]) }
  static var jsonExample: JSON { "2026-03" }

  static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Month? {
    if case .text(let text) = json, let month = Month(text) { return month }
    errors[path()] = FieldError("api.field_month")
    return nil
  }
}
