import Core

/// A map of the days of a year: one column per week, Monday on top.
struct YearMap {
  struct Cell: Equatable {
    let column: Int
    /// 0 for Monday.
    let row: Int
  }

  /// The sums of a month for the table behind the map.
  struct MonthSum: Equatable {
    let month: Month
    var checkedIn = 0
    var missed = 0
    var paused = 0
  }

  /// With fewer columns the cells would become as large as buttons.
  static let minimumColumns = 26

  let year: Int
  let columns: Int
  private(set) var done: [Cell] = []
  private(set) var missed: [Cell] = []
  private(set) var paused: [Cell] = []
  private(set) var months: [MonthSum] = []
  /// The days from the first check-in or New Year's Day to today or the end of the year.
  private(set) var daysInAll = 0
  private(set) var daysDone = 0
  private let monday: LocalDay

  /// The year of a month, up to today.
  init(around month: Month, of days: HistoryDays) {
    year = month.year
    let first = month.daysOfYear.lowerBound
    let last = min(month.daysOfYear.upperBound, days.today)
    monday = first.adding(days: 1 - first.weekday)
    columns = max(Self.minimumColumns, last.days(since: monday) / 7 + 1)
    guard first <= last else { return }
    for number in first.number...last.number { add(LocalDay(number: number), days) }
  }

  /// The column of a day.
  func column(of day: LocalDay) -> Int { day.days(since: monday) / 7 }

  private mutating func add(_ day: LocalDay, _ days: HistoryDays) {
    let cell = Cell(column: column(of: day), row: day.weekday - 1)
    let state = days.state(of: day)
    if state == .before || state == .future { return }
    if months.last?.month != Month(day) { months.append(MonthSum(month: Month(day))) }
    let current = months.count - 1
    daysInAll += 1
    switch state {
    case .checkedIn, .sentLater:
      done.append(cell)
      daysDone += 1
      months[current].checkedIn += 1
    case .missed:
      missed.append(cell)
      months[current].missed += 1
    case .paused:
      paused.append(cell)
      months[current].paused += 1
    case .open, .future, .before: break
    }
  }
}
