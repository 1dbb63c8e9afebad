import Core

/// The totals of a day, a week or a month.
struct WorkoutSpan: Equatable {
  /// The first day.
  let first: LocalDay
  let totals: WorkoutTotals
}

/// Combines the totals of days to those of longer periods, up to a last day.
struct WorkoutSpans {
  /// The number of periods shown of each kind.
  static let days = 7
  static let weeks = 12
  static let months = 12

  private let today: LocalDay
  private let sums: [WorkoutHistoryStore.DaySum]

  init(_ sums: [WorkoutHistoryStore.DaySum], today: LocalDay) {
    self.sums = sums
    self.today = today
  }

  /// The first day that any of the periods needs.
  static func first(today: LocalDay) -> LocalDay {
    var month = monthStart(today)
    for _ in 1..<months { month = monthStart(month.adding(days: -1)) }
    return min(month, weekStart(today).adding(days: -7 * (weeks - 1)))
  }

  /// The last seven days including days without a workout; today is the last.
  var lastDays: [WorkoutSpan] {
    (0..<Self.days).map { place in
      let day = today.adding(days: place - Self.days + 1)
      return WorkoutSpan(first: day, totals: total { $0 == day })
    }
  }

  /// This week, from Monday on.
  var thisWeek: WorkoutSpan {
    let first = Self.weekStart(today)
    return WorkoutSpan(first: first, totals: total { $0 >= first })
  }

  /// The last weeks, from Monday on, newest first; none before the first workout.
  var lastWeeks: [WorkoutSpan] {
    var starts = [Self.weekStart(today)]
    while starts.count < Self.weeks { starts.append(starts[starts.count - 1].adding(days: -7)) }
    return spans(starts) { Self.weekStart($0) }
  }

  /// The last calendar months, newest first; none before the first workout.
  var lastMonths: [WorkoutSpan] {
    var starts = [Self.monthStart(today)]
    while starts.count < Self.months {
      starts.append(Self.monthStart(starts[starts.count - 1].adding(days: -1)))
    }
    return spans(starts) { Self.monthStart($0) }
  }

  private func spans(
    _ starts: [LocalDay], _ start: (LocalDay) -> LocalDay
  ) -> [WorkoutSpan] {
    let spans = starts.map { first in
      WorkoutSpan(first: first, totals: total { start($0) == first })
    }
    guard let oldest = spans.lastIndex(where: { $0.totals.count > 0 }) else { return [] }
    return Array(spans[...oldest])
  }

  private func total(_ isIncluded: (LocalDay) -> Bool) -> WorkoutTotals {
    sums.reduce(.zero) { isIncluded($1.day) ? $0 + $1.totals : $0 }
  }

  private static func weekStart(_ day: LocalDay) -> LocalDay {
    day.adding(days: 1 - day.weekday)
  }

  private static func monthStart(_ day: LocalDay) -> LocalDay {
    day.adding(days: 1 - day.components.day)
  }
}
