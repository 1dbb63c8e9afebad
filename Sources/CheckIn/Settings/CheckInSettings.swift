import Core

/// A user's monitoring settings.
struct CheckInSettings: Equatable, Sendable {
  static let thresholds = 2...7
  /// The hours to choose from.
  static let hourThresholds = [8, 12, 16, 24, 36]
  /// The maximum length of the note for contacts, in characters.
  static let noteLimits = FieldLimits(characters: 500)
  /// The maximum length of the sheet for contacts, in characters.
  static let sheetLimits = FieldLimits(characters: 3000)
  /// The times between contacts to choose from, in minutes.
  static let contactPauses = [15, 30, 60, 120, 240, 480, 720]
  /// How many days ahead a pause may end.
  static let maximumPauseDays = 60
  /// The lengths of a pause that the check-in page offers, in days after today.
  static let shortPauses = [1, 3]

  /// Missed days after which the contacts are notified.
  var threshold = 2
  /// Hours after the last check-in at which they are notified instead; nil if days are counted.
  var thresholdHours: Int?
  /// Minutes after midnight, a quarter hour.
  var alertMinute = 540
  /// Minutes after midnight, a quarter hour; nil for no daily reminder.
  var reminderMinute: Int?
  var contactLanguage: Language
  /// The time between one contact and the next, in minutes; nil if all are notified at once.
  var contactPause: Int?
  /// For the contacts; part of an alert only.
  var note = ""
  /// For the contacts, who read it on their pages while an alert is open.
  var sheet = ""
  /// The last day of a pause.
  var pausedUntil: LocalDay?
}

/// Converts between "09:15" and minutes after midnight.
enum QuarterHour {
  /// The pattern in the API document; `minutes` accepts these texts and no others.
  static let pattern = "^([01][0-9]|2[0-3]):(00|15|30|45)$"

  /// Minutes for a time of the day on a quarter hour; nil for anything else.
  static func minutes(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.count == 2 && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), 0...23 ~= hour, 0...59 ~= minute,
      minute % 15 == 0
    else { return nil }
    return hour * 60 + minute
  }

  static func text(_ minutes: Int) -> String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }
}
