import Core

/// An anniversary (docs/developer/notifications.md): every 100th day, and every year.
struct Anniversary: Equatable {
  enum Kind: String {
    case days
    case years
  }

  let kind: Kind
  /// The 100th day, the 3rd year.
  let number: Int
  let day: LocalDay

  /// The longest duration considered, in years.
  private static let maximumYears = 120

  /// The `number`th day; the first is the start date itself
  /// (docs/developer/accounts.md#couple-profile).
  static func days(_ number: Int, since: LocalDay) -> Anniversary {
    Anniversary(kind: .days, number: number, day: since.adding(days: number - 1))
  }

  /// The yearly anniversary; for 29 February it is the 28th in other years.
  static func years(_ number: Int, since: LocalDay) -> Anniversary? {
    let (year, month, day) = since.components
    return
      (LocalDay(year: year + number, month: month, day: day)
      ?? LocalDay(year: year + number, month: month, day: day - 1))
      .map { Anniversary(kind: .years, number: number, day: $0) }
  }

  /// The anniversaries on a day.
  static func on(_ day: LocalDay, since: LocalDay) -> [Anniversary] {
    var found: [Anniversary] = []
    let count = day.number - since.number + 1
    if count > 0, count % 100 == 0 { found.append(.days(count, since: since)) }
    let years = day.components.year - since.components.year
    if years > 0, let yearly = Anniversary.years(years, since: since), yearly.day == day {
      found.append(yearly)
    }
    return found
  }

  /// All start dates with an anniversary on a day: a few hundred, so that only the matching couples
  /// are read.
  static func startDates(for day: LocalDay) -> [LocalDay] {
    let (year, month, date) = day.components
    let isForLeapDays =
      month == 2 && date == 28 && LocalDay(year: year, month: 2, day: 29) == nil
    var found = Set((1...(maximumYears * 366 / 100)).map { day.adding(days: 1 - $0 * 100) })
    for number in 1...maximumYears {
      if let same = LocalDay(year: year - number, month: month, day: date) { found.insert(same) }
      if isForLeapDays, let leap = LocalDay(year: year - number, month: 2, day: 29) {
        found.insert(leap)
      }
    }
    return found.sorted()
  }

  /// The next anniversaries from a day on: this number of each kind.
  static func upcoming(from day: LocalDay, since: LocalDay, perKind: Int) -> [Anniversary] {
    let count = max(0, day.number - since.number)
    let hundreds = (1...perKind).map { days((count / 100 + $0) * 100, since: since) }
    let first = max(1, day.components.year - since.components.year)
    let yearly = (first...(first + perKind)).compactMap { years($0, since: since) }
    return (hundreds + yearly.filter { $0.day >= day }.prefix(perKind))
      .filter { $0.day >= day }.sorted { $0.day < $1.day }
  }
}
