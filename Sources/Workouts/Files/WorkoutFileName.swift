import Core
import Foundation

/// What a workout's file is called: "2026-03-02-0805", when it began by the clock on the wall.
enum WorkoutFileName {
  static func text(_ moment: Instant, in zone: TimeZone) -> String {
    let day = LocalDay(moment, in: zone)
    let wall = moment.milliseconds / 1000 + Int64(zone.secondsFromGMT(for: moment.date))
    let minutes = Int(wall / 60 - Int64(day.number) * 1440)
    return "\(day)-\(two(minutes / 60))\(two(minutes % 60))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
