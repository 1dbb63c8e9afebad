import Core
import Templates
import Web

/// The history page; without a check-in it shows the first step.
struct HistoryView: View {
  let history: HistoryBodyView?

  static let fields: [String: Field<HistoryView>] = [
    "history": .optional { $0.history },
    "checkin_link": .text { _ in CheckInLinks.page },
    "record_link": .text { _ in CheckInLinks.record },
    "csv_link": .text { _ in CheckInLinks.csv },
    "json_link": .text { _ in CheckInLinks.json },
  ]
}

/// Streaks, the month and the year.
struct HistoryBodyView: View {
  let streaks: Streaks
  let month: String
  let weekdays: [WeekdayNameView]
  let weeks: [WeekView]
  let earlier: MonthLinkView?
  let later: MonthLinkView?
  let year: YearView

  init(
    _ calendar: MonthCalendar, _ map: YearMap, _ streaks: Streaks, _ days: HistoryDays,
    _ when: DateFormatting, _ context: Context
  ) {
    self.streaks = streaks
    month = when.month(of: calendar.month.first)
    let monday = calendar.month.first.adding(days: 1 - calendar.month.first.weekday)
    weekdays = (0..<7).map { monday.adding(days: $0) }.map {
      WeekdayNameView(short: when.shortWeekday($0), name: when.weekday($0))
    }
    weeks = calendar.weeks.map { week in
      WeekView(places: week.map { PlaceView(day: $0.map { DayView($0, when, context) }) })
    }
    earlier = calendar.earlier.map { MonthLinkView($0, when) }
    later = calendar.later.map { MonthLinkView($0, when) }
    year = YearView(map, days, when)
  }

  static let fields: [String: Field<HistoryBodyView>] = [
    "current": .integer { $0.streaks.current },
    "longest": .integer { $0.streaks.longest },
    "total": .integer { $0.streaks.total },
    "month": .text { $0.month },
    "weekdays": .list { $0.weekdays },
    "weeks": .list { $0.weeks },
    "earlier": .optional { $0.earlier },
    "later": .optional { $0.later },
    "year": .child { $0.year },
  ]
}

struct WeekdayNameView: View {
  let short: String
  let name: String

  static let fields: [String: Field<WeekdayNameView>] = [
    "short": .text { $0.short },
    "name": .text { $0.name },
  ]
}

/// The link to another month.
struct MonthLinkView: View {
  let link: String
  let name: String

  init(_ month: Month, _ when: DateFormatting) {
    link = CheckInLinks.history(month)
    name = when.month(of: month.first)
  }

  static let fields: [String: Field<MonthLinkView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
  ]
}

struct WeekView: View {
  let places: [PlaceView]

  static let fields: [String: Field<WeekView>] = ["places": .list { $0.places }]
}

/// A cell in a week; empty if the day belongs to another month.
struct PlaceView: View {
  let day: DayView?

  static let fields: [String: Field<PlaceView>] = ["day": .optional { $0.day }]
}

/// A day: its number, a mark, and both as text.
struct DayView: View {
  let number: Int
  let text: String
  let state: HistoryDays.State
  let isToday: Bool

  init(_ day: MonthCalendar.Day, _ when: DateFormatting, _ context: Context) {
    number = day.day.components.day
    state = day.state
    isToday = day.isToday
    let name = when.day(day.day)
    let what = Self.key(day.state).map { context.text($0) }
    text = what.map { context.text("history.day", ["day": name, "state": $0]) } ?? name
  }

  private static func key(_ state: HistoryDays.State) -> String? {
    switch state {
    case .checkedIn: "history.checked_in"
    case .sentLater: "history.sent_later"
    case .missed: "history.missed"
    case .paused: "history.paused"
    case .open: "history.open"
    case .future, .before: nil
    }
  }

  static let fields: [String: Field<DayView>] = [
    "number": .integer { $0.number },
    "words": .text { $0.text },
    "checked_in": .flag { $0.state == .checkedIn },
    "sent_later": .flag { $0.state == .sentLater },
    "missed": .flag { $0.state == .missed },
    "paused": .flag { $0.state == .paused },
    "today": .flag { $0.isToday },
  ]
}
