import Core

/// A day to celebrate (docs/developer/notifications.md): every 100th, and every year.
struct Anniversary: Equatable {
  enum Kind: String {
    case days
    case years
  }

  let kind: Kind
  /// The 100th day, the 3rd year.
  let number: Int
  let day: LocalDay

  /// The longest that two are together, in years.
  private static let longest = 120

  /// The `number`th day, of which the first is the day itself
  /// (docs/developer/accounts.md#couple-profile).
  static func days(_ number: Int, since: LocalDay) -> Anniversary {
    Anniversary(kind: .days, number: number, day: since.adding(days: number - 1))
  }

  /// Who began on a 29 February celebrates on the 28th in the years between.
  static func years(_ number: Int, since: LocalDay) -> Anniversary? {
    let (year, month, day) = since.components
    return
      (LocalDay(year: year + number, month: month, day: day)
      ?? LocalDay(year: year + number, month: month, day: day - 1))
      .map { Anniversary(kind: .years, number: number, day: $0) }
  }

  /// What there is to celebrate on a day.
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

  /// Since when one has to be together to have something to celebrate on a day: a few hundred days,
  /// so that nobody else's couple is ever looked at.
  static func beginnings(for day: LocalDay) -> [LocalDay] {
    let (year, month, date) = day.components
    var found = Set((1...(longest * 366 / 100)).map { day.adding(days: 1 - $0 * 100) })
    for number in 1...longest {
      if let same = LocalDay(year: year - number, month: month, day: date) { found.insert(same) }
      if month == 2, date == 28, let leap = LocalDay(year: year - number, month: 2, day: 29) {
        found.insert(leap)
      }
    }
    return found.filter { !on(day, since: $0).isEmpty }.sorted()
  }

  /// The next ones from a day on: of each kind so many.
  static func coming(from day: LocalDay, since: LocalDay, each: Int) -> [Anniversary] {
    let count = max(0, day.number - since.number)
    let hundreds = (1...each).map { days((count / 100 + $0) * 100, since: since) }
    let first = max(1, day.components.year - since.components.year)
    let yearly = (first...(first + each)).compactMap { years($0, since: since) }
    return (hundreds + yearly.filter { $0.day >= day }.prefix(each))
      .filter { $0.day >= day }.sorted { $0.day < $1.day }
  }
}
