import Core

/// A month in weeks that start on Monday.
struct MonthCalendar {
  struct Day: Equatable {
    let day: LocalDay
    let state: HistoryDays.State
    let isToday: Bool
  }

  let month: Month
  /// Seven cells each; nil where the day belongs to another month.
  let weeks: [[Day?]]
  /// The adjacent months that have content.
  let earlier: Month?
  let later: Month?

  /// Nil for a month before the first check-in or after the current one.
  init?(_ month: Month, of days: HistoryDays) {
    guard days.months.contains(month) else { return nil }
    self.month = month
    earlier = days.months.contains(month.previous) ? month.previous : nil
    later = days.months.contains(month.next) ? month.next : nil
    let (first, last) = (month.first, month.last)
    let monday = first.adding(days: 1 - first.weekday)
    weeks = stride(from: 0, through: last.days(since: monday), by: 7).map { start in
      (start..<start + 7).map { offset in
        let day = monday.adding(days: offset)
        guard first <= day, day <= last else { return nil }
        return Day(day: day, state: days.state(of: day), isToday: day == days.today)
      }
    }
  }
}
