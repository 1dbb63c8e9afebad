import Core

/// The date of a message (RFC 5322, section 3.3), always in UTC.
enum MailDate {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let secondsOfDay: Int64 = 86_400

  /// "Tue, 13 Jan 2026 01:05:00 +0000".
  static func text(_ instant: Instant) -> String {
    let seconds = Int64((Double(instant.milliseconds) / 1000).rounded(.down))
    let ofDay = ((seconds % secondsOfDay) + secondsOfDay) % secondsOfDay
    let day = LocalDay(number: Int((seconds - ofDay) / secondsOfDay))
    let (year, month, date) = day.components
    // 1970-01-01 was a Thursday.
    let weekday = weekdays[((day.number % 7) + 7) % 7]
    let time = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(date) \(months[month - 1]) \(year) \(time) +0000"
  }

  private static func twoDigits(_ value: Int64) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
