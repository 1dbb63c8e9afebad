import Core
import Foundation
import Web
import WorkoutFiles

/// Formats workouts in the viewer's language and time zone.
struct WorkoutFormatter {
  /// A number and its unit.
  struct Quantity {
    let value: String
    let unit: String

    /// "9.4 km", "9.4 公里".
    var text: String { unit.isEmpty ? value : "\(value) \(unit)" }
  }

  let context: Context
  let when: DateFormatting

  init(_ context: Context) {
    self.context = context
    when = DateFormatting(context)
  }

  // MARK: Numbers

  /// "1,904", "9.4"; the format of all three languages.
  static func number(_ value: Double, decimals: Int = 0) -> String {
    let scale = decimals == 0 ? 1.0 : 10.0
    let scaled = (max(-1e15, min(value, 1e15)) * scale).rounded()
    let whole = String(Int64(abs(scaled) / scale))
    var text = scaled < 0 ? "-" : ""
    for (place, digit) in whole.enumerated() {
      if place > 0, (whole.count - place) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return decimals == 0 ? text : "\(text).\(Int64(abs(scaled)) % 10)"
  }

  private func quantity(_ value: Double, decimals: Int = 0, _ unit: String) -> Quantity {
    Quantity(value: Self.number(value, decimals: decimals), unit: context.text(unit))
  }

  /// "30:00", "1:05:00".
  func clock(_ duration: FixedPoint3) -> String {
    DurationFormatter.clock(Int(duration.value))
  }

  /// "62 h", "10 min"; less than a minute in seconds.
  func time(_ duration: FixedPoint3) -> [Quantity] {
    let seconds = Int(duration.value)
    if seconds < 60 { return [quantity(Double(seconds), "unit.s")] }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? [quantity(Double(hours), "unit.h")] : [])
      + (minutes > 0 || hours == 0 ? [quantity(Double(minutes), "unit.min")] : [])
  }

  /// "62 h 10 min".
  func timeText(_ duration: FixedPoint3) -> String {
    time(duration).map(\.text).joined(separator: " ")
  }

  /// Metres below a kilometre, otherwise kilometres, or feet and miles; without decimals for large
  /// values.
  func distance(_ distance: FixedPoint3) -> Quantity {
    let metres = distance.value
    if context.units == .feet {
      let miles = metres / LengthUnits.metresAMile
      if miles < 0.1 { return quantity(miles * 5280, "unit.ft") }
      return quantity(miles, decimals: miles < 99.95 ? 1 : 0, "unit.mi")
    }
    if metres < 999.5 { return quantity(metres, "unit.m") }
    return quantity(metres / 1000, decimals: metres < 99_950 ? 1 : 0, "unit.km")
  }

  func energy(_ energy: FixedPoint3) -> Quantity { quantity(energy.value, "unit.kcal") }

  /// A measured value with the unit of its kind; a rower's cadence is in strokes.
  func measure(_ value: Double, _ kind: ChartKind, on machine: Machine) -> Quantity {
    quantity(shown(value, kind), decimals: kind.decimals, unit(of: kind, on: machine))
  }

  /// A measured value in the viewer's units.
  func shown(_ value: Double, _ kind: ChartKind) -> Double {
    kind == .speed && context.units == .feet ? value * 1000 / LengthUnits.metresAMile : value
  }

  func unit(of kind: ChartKind, on machine: Machine) -> String {
    switch kind {
    case .power: "unit.watts"
    case .heartRate: "unit.beats_per_minute"
    case .cadence: machine == .rower ? "unit.strokes_per_minute" : "unit.revolutions_per_minute"
    case .speed:
      context.units == .feet ? "unit.miles_per_hour" : "unit.kilometres_per_hour"
    }
  }

  // MARK: Workouts

  /// The user's title, the training's name, otherwise a name by the time of the day and the machine: "Evening ride".
  func title(_ workout: Workout, _ names: [ID<FollowedTraining>: String]) -> String {
    if !workout.title.isEmpty { return workout.title }
    if let name = workout.content.training.flatMap({ names[$0] }) { return name }
    let keys =
      switch Int(when.time(workout.content.startedAt).prefix(2)) ?? 0 {
      case 5..<12:
        (bike: "workout.morning_ride", rower: "workout.morning_row", other: "workout.morning")
      case 12..<18:
        (bike: "workout.afternoon_ride", rower: "workout.afternoon_row", other: "workout.afternoon")
      default:
        (bike: "workout.evening_ride", rower: "workout.evening_row", other: "workout.evening")
      }
    switch workout.content.machine {
    case .bike: return context.text(keys.bike)
    case .rower: return context.text(keys.rower)
    case .other: return context.text(keys.other)
    }
  }

  /// The name of a machine in the filter of the list.
  func kind(_ machine: Machine) -> String {
    switch machine {
    case .bike: context.text("workout_add.bike")
    case .rower: context.text("workout_add.rower")
    case .other: context.text("workout_add.other")
    }
  }

  func machine(_ machine: Machine) -> String {
    switch machine {
    case .bike: context.text("workout.on_bike")
    case .rower: context.text("workout.on_rower")
    case .other: context.text("workout.on_other")
    }
  }

  /// The most significant figure of a workout: watts on a bike, distance on a rower.
  func main(_ content: WorkoutContent) -> Quantity? {
    let power = content.figures.averagePower.flatMap {
      $0 >= 1 ? measure($0, .power, on: content.machine) : nil
    }
    let way = content.distance.value >= 1 ? distance(content.distance) : nil
    let energy = content.energy.value >= 1 ? energy(content.energy) : nil
    return (content.machine == .bike ? power ?? way : way ?? power) ?? energy
  }

  /// A rower's pace, "2:05 /500 m"; nil for other machines and below 500 m.
  func pace(_ content: WorkoutContent) -> Quantity? {
    let metres = content.distance.value
    guard content.machine == .rower, metres >= 500 else { return nil }
    let seconds = (content.duration.value * 500 / metres).rounded()
    return Quantity(
      value: DurationFormatter.clock(Int(seconds)), unit: context.text("unit.pace"))
  }

  // MARK: Days

  func day(of workout: Workout) -> LocalDay {
    LocalDay(workout.content.startedAt, in: context.timeZone)
  }

  /// "Today, 18:10", "Wed 18 November, 18:22"; with the year if it is not the current one.
  func shortMoment(_ workout: Workout) -> String {
    let day = day(of: workout)
    let parts = ["day": shortDay(day), "time": when.time(workout.content.startedAt)]
    return context.text("workout.moment", parts)
  }

  private func shortDay(_ day: LocalDay) -> String {
    switch when.today.days(since: day) {
    case 0: return context.text("workout.today")
    case 1: return context.text("workout.yesterday")
    default: break
    }
    if day.components.year != when.today.components.year { return when.day(day) }
    return dated(day, weekday: when.shortWeekday(day), isShort: true)
  }

  /// "Saturday 21 November 2026, 18:10".
  func longMoment(_ workout: Workout) -> String {
    let day = day(of: workout)
    let text =
      context.language == .english
      ? "\(when.weekday(day)) \(when.day(day))" : "\(when.day(day)) \(when.weekday(day))"
    return context.text(
      "workout.moment", ["day": text, "time": when.time(workout.content.startedAt)])
  }

  private func dated(_ day: LocalDay, weekday: String, isShort: Bool) -> String {
    let number = day.components.day
    return context.language == .english
      ? "\(weekday) \(number) \(when.shortMonth(of: day))"
      : "\(when.shortMonth(of: day))\(number)日 \(when.weekday(day))"
  }

  /// "16 – 22 Nov", "30 Nov – 6 Dec", "11月16日–22日"; with the year if it is not the current one.
  func week(from first: LocalDay) -> String {
    let last = first.adding(days: 6)
    let isOneMonth = first.components.month == last.components.month
    let year = last.components.year
    let isThisYear = year == when.today.components.year
    let (from, to) = (first.components.day, last.components.day)
    let (start, end) = (when.shortMonth(of: first), when.shortMonth(of: last))
    guard context.language == .english else {
      let days = isOneMonth ? "\(start)\(from)日–\(to)日" : "\(start)\(from)日–\(end)\(to)日"
      return isThisYear ? days : "\(year)年\(days)"
    }
    let days = isOneMonth ? "\(from) – \(to) \(end)" : "\(from) \(start) – \(to) \(end)"
    return isThisYear ? days : "\(days) \(year)"
  }
}
