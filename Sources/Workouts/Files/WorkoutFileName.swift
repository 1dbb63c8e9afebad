import Core
import Foundation

/// The base name of a workout's file: "2026-03-02-0805", its local start time.
enum WorkoutFileName {
  static func text(_ moment: Instant, in zone: TimeZone) -> String {
    let day = LocalDay(moment, in: zone)
    let wall = moment.milliseconds / 1000 + Int64(zone.secondsFromGMT(for: moment.date))
    let minutes = Int(wall / 60 - Int64(day.number) * 1440)
    return "\(day)-\(two(minutes / 60))\(two(minutes % 60))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
