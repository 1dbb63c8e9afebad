import Core
import Templates
import Web
import WorkoutFiles

/// The last weeks as bars, by one of their totals.
struct WorkoutBarsView: View {
  /// The size of the drawing.
  private static let (width, height) = (100, 72)

  let id: String
  let name: String
  let label: String
  let isFirst: Bool
  let bars: [WorkoutBarView]

  /// The bars of weeks in their order, by time, distance and energy; none for a single week.
  static func all(
    _ weeks: [WorkoutSpan], _ formatter: WorkoutFormatter
  ) -> [WorkoutBarsView] {
    guard weeks.count > 1 else { return [] }
    let context = formatter.context
    func bars(
      _ id: String, _ key: String, _ value: (WorkoutTotals) -> FixedPoint3,
      _ text: (FixedPoint3) -> String
    ) -> WorkoutBarsView? {
      let values = weeks.map { value($0.totals) }
      guard let most = values.max(), most > .zero else { return nil }
      let name = context.text(key)
      return WorkoutBarsView(
        id: id, name: name,
        label: context.text(
          "workout.bars_label", ["what": name, "most": text(most)], count: weeks.count),
        isFirst: id == "time",
        bars: values.enumerated().map { place, value in
          let high = Int((value.value / most.value * Double(height)).rounded())
          return WorkoutBarView(
            x: place * width / values.count, width: max(2, width / values.count - 2),
            height: value > .zero ? max(3, high) : 1, fullHeight: height,
            isLast: place == values.count - 1)
        })
    }
    return [
      bars("time", "workout.time", \.duration) { formatter.timeText($0) },
      bars("distance", "workout.distance", \.distance) { formatter.distance($0).text },
      bars("energy", "workout.energy", \.energy) { formatter.energy($0).text },
    ].compactMap { $0 }
  }

  static let fields: [String: Field<WorkoutBarsView>] = [
    "id": .text { $0.id },
    "name": .text { $0.name },
    "label": .text { $0.label },
    "first": .flag { $0.isFirst },
    "bars": .list { $0.bars },
  ]
}

struct WorkoutBarView: View {
  let x: Int
  let width: Int
  let height: Int
  let fullHeight: Int
  let isLast: Bool

  static let fields: [String: Field<WorkoutBarView>] = [
    "x": .integer { $0.x },
    "y": .integer { $0.fullHeight - $0.height },
    "width": .integer { $0.width },
    "height": .integer { $0.height },
    "last": .flag { $0.isLast },
  ]
}

/// How much of the weekly goal is done.
struct WorkoutGoalProgressView: View {
  let goal: Int
  /// At most the goal.
  let done: Int
  let text: String
  let isReached: Bool

  init(_ goal: Int, done: FixedPoint3, _ formatter: WorkoutFormatter) {
    let minutes = Int(done.value) / 60
    self.goal = goal
    self.done = min(goal, minutes)
    isReached = minutes >= goal
    text = formatter.context.text(
      "workout.goal_done", ["done": WorkoutFormatter.number(Double(minutes))], count: goal)
  }

  static let fields: [String: Field<WorkoutGoalProgressView>] = [
    "goal": .integer { $0.goal },
    "done": .integer { $0.done },
    "words": .text { $0.text },
    "reached": .flag { $0.isReached },
  ]
}

/// A best of the user, with the workout that has it.
struct WorkoutBestView: View {
  let name: String
  let value: String
  let moment: String
  let link: String

  static func all(
    _ bests: WorkoutBestsStore.Bests, _ formatter: WorkoutFormatter
  ) -> [WorkoutBestView] {
    typealias Best = WorkoutBestsStore.Best
    func view(_ best: Best?, _ key: String, _ value: (Double) -> String) -> WorkoutBestView? {
      best.map {
        WorkoutBestView(
          name: formatter.context.text(key), value: value($0.value),
          moment: formatter.when.day(LocalDay($0.startedAt, in: formatter.context.timeZone)),
          link: WorkoutLinks.one($0.workout))
      }
    }
    func clock(_ milliseconds: Double) -> String {
      formatter.clock(FixedPoint3(count: Int64(milliseconds)))
    }
    func distance(_ metres: Double) -> String {
      formatter.distance(FixedPoint3(count: Int64(metres * 1000))).text
    }
    return [
      view(bests.ridePower, "workout.best_ride_power") {
        formatter.measure($0, .power, on: .bike).text
      },
      view(bests.longestRide, "workout.best_ride_distance", distance),
      view(bests.row2000, "workout.best_row_2000", clock),
      view(bests.row5000, "workout.best_row_5000", clock),
      view(bests.longestRow, "workout.best_row_distance", distance),
    ].compactMap { $0 }
  }

  static let fields: [String: Field<WorkoutBestView>] = [
    "name": .text { $0.name },
    "value": .text { $0.value },
    "moment": .text { $0.moment },
    "link": .text { $0.link },
  ]
}
