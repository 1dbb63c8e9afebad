import Core

/// A calendar month.
struct Month: Hashable, Comparable, CustomStringConvertible, Sendable {
  /// Its first day.
  let first: LocalDay

  /// The month of a day.
  init(_ day: LocalDay) {
    first = day.adding(days: 1 - day.components.day)
  }

  /// Reads "2026-11"; nil for anything else.
  init?(_ text: String) {
    guard let day = LocalDay("\(text)-01") else { return nil }
    first = day
  }

  var year: Int { first.components.year }
  /// January is 1.
  var number: Int { first.components.month }
  var last: LocalDay { next.first.adding(days: -1) }
  var next: Month { Month(first.adding(days: 31)) }
  var previous: Month { Month(first.adding(days: -1)) }

  /// All days of the month's year.
  var daysOfYear: ClosedRange<LocalDay> { january.first...december.last }

  private var january: Month { number == 1 ? self : previous.january }
  private var december: Month { number == 12 ? self : next.december }

  /// "2026-11".
  var description: String { String(first.description.dropLast(3)) }

  static func < (left: Month, right: Month) -> Bool { left.first < right.first }
}
