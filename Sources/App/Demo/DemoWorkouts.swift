import Core
import Foundation
import WorkoutFiles
import Workouts

/// Some weeks of rides and rowing sessions for the demonstration data: generated, and the same in
/// every instance.
struct DemoWorkouts {
  /// One workout: days ago, time of day, machine, duration and power.
  private struct Plan {
    let daysAgo: Int64
    let hour: Int64
    let machine: Machine
    let minutes: Int
    /// The average power, in W.
    let watts: Double
  }

  private static let ofMei = [
    Plan(daysAgo: 1, hour: 18, machine: .bike, minutes: 30, watts: 151),
    Plan(daysAgo: 2, hour: 7, machine: .rower, minutes: 45, watts: 128),
    Plan(daysAgo: 4, hour: 18, machine: .bike, minutes: 28, watts: 144),
    Plan(daysAgo: 5, hour: 18, machine: .bike, minutes: 45, watts: 162),
    Plan(daysAgo: 8, hour: 8, machine: .rower, minutes: 20, watts: 135),
    Plan(daysAgo: 10, hour: 19, machine: .bike, minutes: 35, watts: 149),
    Plan(daysAgo: 12, hour: 18, machine: .bike, minutes: 20, watts: 222),
    Plan(daysAgo: 15, hour: 9, machine: .rower, minutes: 30, watts: 122),
    Plan(daysAgo: 18, hour: 18, machine: .bike, minutes: 40, watts: 146),
    Plan(daysAgo: 22, hour: 17, machine: .bike, minutes: 25, watts: 138),
    Plan(daysAgo: 26, hour: 18, machine: .bike, minutes: 30, watts: 133),
    Plan(daysAgo: 33, hour: 10, machine: .rower, minutes: 25, watts: 118),
  ]
  private static let ofJun = [
    Plan(daysAgo: 1, hour: 7, machine: .rower, minutes: 40, watts: 165),
    Plan(daysAgo: 3, hour: 20, machine: .bike, minutes: 50, watts: 188),
    Plan(daysAgo: 7, hour: 7, machine: .rower, minutes: 30, watts: 158),
    Plan(daysAgo: 11, hour: 20, machine: .bike, minutes: 25, watts: 220),
    Plan(daysAgo: 19, hour: 7, machine: .rower, minutes: 35, watts: 150),
    Plan(daysAgo: 24, hour: 20, machine: .bike, minutes: 40, watts: 176),
  ]

  /// The workouts of Mei and Jun, as if recorded in the days before `today`, in `zone`.
  static func all(now: Instant, zone: TimeZone) -> (mei: [WorkoutDraft], jun: [WorkoutDraft]) {
    (
      ofMei.enumerated().map { draft($1, seed: UInt64($0 + 1), now: now, zone) },
      ofJun.enumerated().map { draft($1, seed: UInt64($0 + 101), now: now, zone) }
    )
  }

  private static func draft(
    _ plan: Plan, seed: UInt64, now: Instant, _ zone: TimeZone
  ) -> WorkoutDraft {
    var chance = SeededRandom(state: seed)
    let seconds = plan.minutes * 60
    let measured = samples(plan, seconds: seconds, &chance)
    var draft = WorkoutDraft()
    draft.clientSessionID = chance.id()
    let start = moment(plan, now: now, zone).adding(seconds: Int64(chance.next(0..<20)) * 60)
    draft.startedAt = start
    draft.endedAt = start.adding(seconds: Int64(seconds))
    draft.duration = Double(seconds)
    draft.machine = plan.machine
    draft.samples = measured
    let all = RecordedSamples(measured)
    draft.distance = measured[.distance]?.last.flatMap { $0 } ?? 0
    // About a quarter of the energy spent becomes work at the pedals.
    let work = (measured[.power] ?? []).reduce(0) { $0 + ($1 ?? 0) }
    draft.energy = (work / 0.25 / 4184).rounded()
    draft.figures.averagePower = all.figures(.power)?.mean
    draft.figures.maximumPower = all.figures(.power)?.largest
    draft.figures.averageHeartRate = all.figures(.heartRate)?.mean
    draft.figures.maximumHeartRate = all.figures(.heartRate)?.largest
    draft.figures.averageCadence = all.figures(.cadence)?.mean
    draft.figures.maximumCadence = all.figures(.cadence)?.largest
    draft.figures.averageSpeed = all.figures(.speed)?.mean
    draft.figures.maximumSpeed = all.figures(.speed)?.largest
    return draft
  }

  private static func moment(_ plan: Plan, now: Instant, _ zone: TimeZone) -> Instant {
    let local = now.milliseconds / 1000 + Int64(zone.secondsFromGMT(for: now.date))
    let day = (local / 86_400 - plan.daysAgo) * 86_400 + plan.hour * 3600
    return Instant(milliseconds: (day - Int64(zone.secondsFromGMT(for: now.date))) * 1000)
  }

  /// A warm-up, blocks of different intensity, and a heart rate that follows slowly.
  private static func samples(
    _ plan: Plan, seconds: Int, _ chance: inout SeededRandom
  ) -> [RecordedSamples.Kind: [Double?]] {
    let blocks = (0..<6).map { _ in plan.watts * (0.82 + Double(chance.next(0..<42)) / 100) }
    let isRower = plan.machine == .rower
    var (power, heart, cadence, speed, distance): ([Double], [Double], [Double], [Double], Double) =
      ([], [], [], [], 0)
    var ways: [Double?] = []
    var (pulse, drift) = (88.0, 0.0)
    for second in 0..<seconds {
      let share = Double(second) / Double(seconds)
      let aim = share < 0.14 ? plan.watts * 0.66 : blocks[Int((share - 0.14) / 0.87 * 6)]
      drift = drift * 0.97 + Double(chance.next(0..<9)) - 4
      let watts = max(40, aim + drift * 1.4)
      pulse += (62 + watts * 0.42 + share * 9 - pulse) * 0.011
      let strokes = isRower ? 22 + watts / 40 : 68 + watts / 11
      let pace = isRower ? watts.squareRoot() * 1.02 : watts.squareRoot() * 2.31
      distance += pace / 3.6
      power.append(watts.rounded())
      heart.append(pulse.rounded())
      cadence.append((strokes + drift / 8).rounded())
      speed.append((pace * 10).rounded() / 10)
      ways.append(distance.rounded())
    }
    return [.power: power, .heartRate: heart, .cadence: cadence, .speed: speed, .distance: ways]
  }

  /// Pseudorandom numbers with a fixed seed (SplitMix64, Steele and others 2014).
  private struct SeededRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }

    mutating func next(_ range: Range<Int>) -> Int {
      range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// A UUID of version 8 (custom).
    mutating func id<Kind>() -> ID<Kind> {
      var bytes = [next(), next()].flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      }
      bytes[6] = bytes[6] & 0x0F | 0x80
      bytes[8] = bytes[8] & 0x3F | 0x80
      return ID(bytes: bytes) ?? .random()
    }
  }
}
