import Foundation

/// A day of the Gregorian calendar without a time zone.
public struct LocalDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01, negative before.
  public let number: Int

  public init(number: Int) {
    self.number = number
  }

  /// The local date in `zone` at `instant`.
  public init(_ instant: Instant, in zone: TimeZone) {
    let local = instant.adding(seconds: zone.offset(at: instant))
    number = Int((Double(local.milliseconds) / 86_400_000).rounded(.down))
  }

  /// Parses "2023-08-05"; nil for anything else and for invalid dates.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Nil for invalid dates, such as 30 February.
  public init?(year: Int, month: Int, day: Int) {
    guard 1...12 ~= month, 1...31 ~= day, 0...9999 ~= year else { return nil }
    number = Self.number(year: year, month: month, day: day)
    guard components == (year, month, day) else { return nil }
  }

  /// Year, month and day of the month.
  public var components: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The date as "2023-08-05".
  public var description: String {
    let (year, month, day) = components
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  public func adding(days: Int) -> LocalDay { LocalDay(number: number + days) }

  public static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }

  /// The day's number, computed in eras of 400 years that begin on 1 March ("days from civil").
  private static func number(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
