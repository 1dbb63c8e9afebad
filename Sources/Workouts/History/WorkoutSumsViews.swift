import Core
import Templates
import Web
import WorkoutFiles

/// The totals of all workouts, and of the last days, weeks and months.
struct WorkoutSumsView: View {
  let figures: [FigureView]
  let streak: String?
  let days: [WorkoutDayView]
  let daysTime: String
  let weeks: [WorkoutSpanView]
  let months: [WorkoutSpanView]
  let bars: [WorkoutBarsView]
  let goal: WorkoutGoalProgressView?
  let bests: [WorkoutBestView]

  init(
    _ statistics: EffectiveStatistics, _ spans: WorkoutSpans, goal: Int?,
    bests: WorkoutBestsStore.Bests, _ formatter: WorkoutFormatter
  ) {
    let (totals, context) = (statistics.totals, formatter.context)
    let count = Int(totals.count)
    // Zero is unknown: a machine measures both, and users leave out what they don't know.
    figures = [
      FigureView(
        context.text("workout.total_count", count: count),
        [.init(value: WorkoutFormatter.number(Double(count)), unit: "")]),
      FigureView(context.text("workout.total_time"), formatter.time(totals.duration)),
      totals.distance > .zero
        ? FigureView(context.text("workout.total_distance"), [formatter.distance(totals.distance)])
        : nil,
      totals.energy > .zero
        ? FigureView(context.text("workout.total_energy"), [formatter.energy(totals.energy)]) : nil,
    ].compactMap { $0 }
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
    bars = WorkoutBarsView.all(spans.lastWeeks.reversed(), formatter)
    self.goal = goal.map {
      WorkoutGoalProgressView($0, done: spans.thisWeek.totals.duration, formatter)
    }
    self.bests = WorkoutBestView.all(bests, formatter)
  }

  static let fields: [String: Field<WorkoutSumsView>] = [
    "figures": .list { $0.figures },
    "streak": .optionalText { $0.streak },
    "days": .list { $0.days },
    "days_time": .text { $0.daysTime },
    "weeks": .list { $0.weeks },
    "months": .list { $0.months },
    "bars": .list { $0.bars },
    "has_bars": .flag { !$0.bars.isEmpty },
    "goal": .optional { $0.goal },
    "goal_link": .text { _ in WorkoutLinks.goal },
    "bests": .list { $0.bests },
    "has_bests": .flag { !$0.bests.isEmpty },
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
  let energy: String

  init(_ span: WorkoutSpan, name: String, _ formatter: WorkoutFormatter) {
    self.name = name
    count = WorkoutFormatter.number(Double(span.totals.count))
    time = span.totals.count > 0 ? formatter.timeText(span.totals.duration) : "–"
    distance = span.totals.distance > .zero ? formatter.distance(span.totals.distance).text : "–"
    energy = span.totals.energy > .zero ? formatter.energy(span.totals.energy).text : "–"
  }

  static let fields: [String: Field<WorkoutSpanView>] = [
    "name": .text { $0.name },
    "number": .text { $0.count },
    "time": .text { $0.time },
    "distance": .text { $0.distance },
    "energy": .text { $0.energy },
  ]
}
