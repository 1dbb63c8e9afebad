import Core
import Templates
import Web
import WorkoutFiles

/// The content of `/workouts`.
struct WorkoutHistoryView: View {
  let sums: WorkoutSumsView?
  let months: [WorkoutMonthView]
  let older: String?
  let isEmpty: Bool
  let isNoneOfKind: Bool
  let kinds: [WorkoutKindView]

  static let fields: [String: Field<WorkoutHistoryView>] = [
    "empty": .flag { $0.isEmpty },
    "none_of_kind": .flag { $0.isNoneOfKind },
    "kinds": .list { $0.kinds },
    "sums": .optional { $0.sums },
    "months": .list { $0.months },
    "older": .optionalText { $0.older },
    "history_link": .text { _ in WorkoutLinks.history },
    "record_link": .text { _ in WorkoutLinks.record },
    "add_link": .text { _ in WorkoutLinks.add },
    "import_link": .text { _ in WorkoutLinks.importing },
    "export_link": .text { _ in WorkoutLinks.exportAll },
  ]
}

/// A choice of the list's filter: all workouts, or those on one machine.
struct WorkoutKindView: View {
  let name: String
  let link: String
  let isChosen: Bool

  static func all(chosen: Machine?, _ formatter: WorkoutFormatter) -> [WorkoutKindView] {
    [nil, .bike, .rower, .other].map { machine in
      WorkoutKindView(
        name: machine.map(formatter.kind) ?? formatter.context.text("workout.kind_all"),
        link: WorkoutLinks.history(on: machine), isChosen: machine == chosen)
    }
  }

  static let fields: [String: Field<WorkoutKindView>] = [
    "name": .text { $0.name },
    "link": .text { $0.link },
    "chosen": .flag { $0.isChosen },
  ]
}

/// A number with its unit, or two of them: "62 h 10 min".
struct FigureView: View {
  let label: String
  let parts: [QuantityView]

  init(_ label: String, _ parts: [WorkoutFormatter.Quantity]) {
    self.label = label
    self.parts = parts.map(QuantityView.init)
  }

  static let fields: [String: Field<FigureView>] = [
    "label": .text { $0.label },
    "parts": .list { $0.parts },
  ]
}

struct QuantityView: View {
  let quantity: WorkoutFormatter.Quantity

  static let fields: [String: Field<QuantityView>] = [
    "value": .text { $0.quantity.value },
    "unit": .text { $0.quantity.unit },
  ]
}

/// The totals of all workouts, and of the last days, weeks and months.
struct WorkoutSumsView: View {
  let figures: [FigureView]
  let streak: String?
  let days: [WorkoutDayView]
  let daysTime: String
  let weeks: [WorkoutSpanView]
  let months: [WorkoutSpanView]

  init(
    _ statistics: EffectiveStatistics, _ spans: WorkoutSpans, _ formatter: WorkoutFormatter
  ) {
    let (totals, context) = (statistics.totals, formatter.context)
    let count = Int(totals.count)
    figures = [
      FigureView(
        context.text("workout.total_count", count: count),
        [.init(value: WorkoutFormatter.number(Double(count)), unit: "")]),
      FigureView(context.text("workout.total_time"), formatter.time(totals.duration)),
      FigureView(context.text("workout.total_distance"), [formatter.distance(totals.distance)]),
      FigureView(context.text("workout.total_energy"), [formatter.energy(totals.energy)]),
    ]
    streak =
      statistics.streak > 0
      ? context.text("workout.streak", count: statistics.streak) : nil
    let lastDays = spans.lastDays
    let longest = lastDays.map(\.totals.duration).max() ?? .zero
    days = lastDays.enumerated().map { place, day in
      WorkoutDayView(
        day, longest: longest, isToday: place == lastDays.count - 1, formatter)
    }
    daysTime = formatter.timeText(lastDays.reduce(.zero) { $0 + $1.totals.duration })
    weeks = spans.lastWeeks.map {
      WorkoutSpanView($0, name: formatter.week(from: $0.first), formatter)
    }
    months = spans.lastMonths.map {
      WorkoutSpanView($0, name: formatter.when.month(of: $0.first), formatter)
    }
  }

  static let fields: [String: Field<WorkoutSumsView>] = [
    "figures": .list { $0.figures },
    "streak": .optionalText { $0.streak },
    "days": .list { $0.days },
    "days_time": .text { $0.daysTime },
    "weeks": .list { $0.weeks },
    "months": .list { $0.months },
    "has_spans": .flag { !$0.weeks.isEmpty || !$0.months.isEmpty },
  ]
}

/// One of the last days as a bar, and as text.
struct WorkoutDayView: View {
  /// The height in units of the drawing.
  static let fullHeight = 72
  private static let minimumHeight = 8

  let short: String
  let textOfDay: String
  let isToday: Bool
  /// 0 without a workout.
  let height: Int

  init(_ day: WorkoutSpan, longest: FixedPoint3, isToday: Bool, _ formatter: WorkoutFormatter) {
    short = formatter.when.shortWeekday(day.first)
    let weekday = formatter.when.weekday(day.first)
    let (duration, context) = (day.totals.duration, formatter.context)
    textOfDay =
      duration > .zero
      ? context.text("workout.day", ["day": weekday, "time": formatter.timeText(duration)])
      : context.text("workout.day_none", ["day": weekday])
    self.isToday = isToday
    height =
      duration > .zero
      ? max(Self.minimumHeight, Int(duration.value / longest.value * Double(Self.fullHeight))) : 0
  }

  static let fields: [String: Field<WorkoutDayView>] = [
    "short": .text { $0.short },
    "words": .text { $0.textOfDay },
    "today": .flag { $0.isToday },
    "height": .integer { $0.height },
    "top": .integer { WorkoutDayView.fullHeight - $0.height },
  ]
}

/// A week or a month as a row of a table.
struct WorkoutSpanView: View {
  let name: String
  let count: String
  let time: String
  let distance: String

  init(_ span: WorkoutSpan, name: String, _ formatter: WorkoutFormatter) {
    self.name = name
    count = WorkoutFormatter.number(Double(span.totals.count))
    time = span.totals.count > 0 ? formatter.timeText(span.totals.duration) : "–"
    distance = span.totals.distance > .zero ? formatter.distance(span.totals.distance).text : "–"
  }

  static let fields: [String: Field<WorkoutSpanView>] = [
    "name": .text { $0.name },
    "number": .text { $0.count },
    "time": .text { $0.time },
    "distance": .text { $0.distance },
  ]
}

/// The workouts of a month on one page of the list.
struct WorkoutMonthView: View {
  let id: String
  let name: String
  let workouts: [WorkoutRowView]

  /// Groups workouts by month; newest first.
  static func all(
    _ workouts: [Workout], _ names: [ID<FollowedTraining>: String], _ formatter: WorkoutFormatter
  ) -> [WorkoutMonthView] {
    var months: [WorkoutMonthView] = []
    var rows: [WorkoutRowView] = []
    for (place, workout) in workouts.enumerated() {
      rows.append(WorkoutRowView(workout, names, formatter))
      let month = formatter.day(of: workout).components
      let next =
        place + 1 < workouts.count ? formatter.day(of: workouts[place + 1]).components : nil
      if let next, next.year == month.year, next.month == month.month { continue }
      months.append(
        WorkoutMonthView(
          id: "m\(month.year)-\(month.month)",
          name: formatter.when.month(of: formatter.day(of: workout)), workouts: rows))
      rows = []
    }
    return months
  }

  static let fields: [String: Field<WorkoutMonthView>] = [
    "id": .text { $0.id },
    "name": .text { $0.name },
    "workouts": .list { $0.workouts },
  ]
}

/// A workout in the list.
struct WorkoutRowView: View {
  let workout: Workout
  let title: String
  let moment: String
  let time: String
  let figure: String?

  init(
    _ workout: Workout, _ names: [ID<FollowedTraining>: String], _ formatter: WorkoutFormatter
  ) {
    self.workout = workout
    title = formatter.title(workout, names)
    moment = formatter.shortMoment(workout)
    time = formatter.clock(workout.content.duration)
    figure = formatter.main(workout.content)?.text
  }

  /// The name of the machine's icon.
  static func icon(_ machine: Machine) -> String {
    switch machine {
    case .bike: "bike"
    case .rower: "rower"
    case .other: "clock"
    }
  }

  static let fields: [String: Field<WorkoutRowView>] = [
    "session": .text { $0.workout.content.clientSessionID.description },
    "link": .text { WorkoutLinks.one($0.workout.id) },
    "icon": .text { WorkoutRowView.icon($0.workout.content.machine) },
    "rower": .flag { $0.workout.content.machine == .rower },
    "title": .text { $0.title },
    "moment": .text { $0.moment },
    "time": .text { $0.time },
    "figure": .optionalText { $0.figure },
  ]
}
