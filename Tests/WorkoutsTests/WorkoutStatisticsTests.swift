import Core
import Foundation
import Testing
import Web
import WorkoutFiles

@testable import Workouts

/// The statistics together with all workouts, as in the store.
private struct Ledger {
  struct Entry {
    let totals: WorkoutTotals
    let day: LocalDay
    let round: Int64
  }

  var entries: [Entry] = []
  var statistics = WorkoutStatistics()

  mutating func add(_ totals: WorkoutTotals, on day: LocalDay) {
    entries.append(Entry(totals: totals, day: day, round: statistics.round))
    let days = Set(entries.map(\.day))
    statistics.add(totals, on: day) { days.contains($0) }
  }

  mutating func remove(at place: Int) {
    let gone = entries.remove(at: place)
    let days = Set(entries.map(\.day))
    statistics.remove(gone.totals, of: gone.round, on: gone.day, latest: days.max()) {
      days.contains($0)
    }
  }

  /// Computed from all workouts.
  var counted: (totals: WorkoutTotals, run: WorkoutStreak) {
    (entries.map(\.totals).reduce(.zero, +), WorkoutStreak(days: entries.map(\.day)))
  }
}

@Suite("Statistics")
struct WorkoutStatisticsTests {
  private let today = LocalDay(number: 20_000)

  private func day(_ number: Int) -> LocalDay { LocalDay(number: 20_000 + number) }

  private func effective(_ ledger: Ledger, on day: Int = 0) -> EffectiveStatistics {
    ledger.statistics.effective(today: self.day(day), claimDay: today)
  }

  @Test("Any order gives the same figures as counting from the beginning: 500 orders")
  func orders() {
    var chance = SeededRandom(1)
    for _ in 0..<500 {
      let days = Int.random(in: 1...30, using: &chance)
      let workouts = (0..<Int.random(in: 0...40, using: &chance)).map { _ in
        (GeneratedSamples.totals(&chance), day(-Int.random(in: 0..<days, using: &chance)))
      }
      var (one, other) = (Ledger(), Ledger())
      for (totals, day) in workouts { one.add(totals, on: day) }
      for (totals, day) in workouts.shuffled(using: &chance) { other.add(totals, on: day) }
      #expect(one.statistics == other.statistics)
      #expect(one.statistics.totals == one.counted.totals)
      #expect(one.statistics.run == one.counted.run)
    }
  }

  @Test("Adding and deleting by chance never drifts from counting: 200 times 60 steps")
  func steps() {
    var chance = SeededRandom(2)
    for _ in 0..<200 {
      var ledger = Ledger()
      for _ in 0..<60 {
        if Bool.random(using: &chance), !ledger.entries.isEmpty {
          ledger.remove(at: .random(in: ledger.entries.indices, using: &chance))
        } else {
          ledger.add(
            GeneratedSamples.totals(&chance), on: day(-Int.random(in: 0...12, using: &chance)))
        }
        #expect(ledger.statistics.totals == ledger.counted.totals)
        #expect(ledger.statistics.run == ledger.counted.run)
      }
    }
  }

  @Test(
    "The streak counts days in a row up to today or yesterday",
    arguments: [
      ([], 0), ([0], 1), ([-1], 1), ([-2], 0), ([0, -1, -2], 3), ([0, -2], 1), ([-1, -2, -4], 2),
      ([0, 0, -1, -1], 2), ([1, 0], 2),
    ])
  func streak(days: [Int], expected: Int) {
    #expect(WorkoutStreak(days: days.map(day)).streak(today: today) == expected)
  }

  @Test("Without a claim the server's own figures hold")
  func own() {
    var (ledger, chance) = (Ledger(), SeededRandom(3))
    #expect(effective(ledger) == EffectiveStatistics(totals: .zero, streak: 0, lastDay: nil))
    ledger.add(GeneratedSamples.totals(&chance), on: day(-1))
    #expect(effective(ledger).totals == ledger.counted.totals)
    #expect(effective(ledger).streak == 1 && effective(ledger).lastDay == day(-1))
  }

  private static let one = WorkoutTotals(
    count: 1, energy: FixedPoint3(count: 100), distance: FixedPoint3(count: 1000),
    duration: FixedPoint3(count: 10_000))
  private static let claim = StatisticsClaim(
    count: 150, energy: FixedPoint3(count: 25_000), distance: FixedPoint3(count: 450_000),
    duration: FixedPoint3(count: 120_000), streak: 7, lastDay: LocalDay(number: 20_000))

  @Test("A claim is the base, and later workouts are added; earlier ones are included")
  func claimed() {
    var ledger = Ledger()
    ledger.add(Self.one, on: day(0))
    ledger.statistics.take(Self.claim, now: GeneratedSamples.now)
    #expect(effective(ledger).totals.count == 150)
    #expect(effective(ledger).streak == 7 && effective(ledger).lastDay == day(0))
    ledger.add(Self.one, on: day(0))
    let sum = effective(ledger).totals
    #expect(sum.count == 151 && sum.energy.count == 25_100)
    #expect(sum.distance.count == 451_000 && sum.duration.count == 130_000)
    // The server's own totals are kept separately.
    #expect(ledger.statistics.totals.count == 2)
  }

  @Test("Deleting subtracts its part, from the claim or from the later workouts")
  func deleting() {
    var ledger = Ledger()
    ledger.add(Self.one, on: day(-1))
    ledger.add(Self.one, on: day(0))
    ledger.statistics.take(Self.claim, now: GeneratedSamples.now)
    ledger.add(Self.one, on: day(0))
    ledger.remove(at: 2)
    #expect(effective(ledger).totals.count == 150)
    ledger.remove(at: 0)
    #expect(effective(ledger).totals.count == 149)
    #expect(effective(ledger).totals.energy.count == 24_900)
    // A claim cannot be negative.
    ledger.statistics.take(StatisticsClaim(count: 0, energy: .zero), now: GeneratedSamples.now)
    ledger.remove(at: 0)
    #expect(effective(ledger).totals.count == 0 && effective(ledger).totals.energy == .zero)
  }

  @Test("A streak that is claimed without its last day ends on the last workout")
  func streakWithoutDay() {
    var ledger = Ledger()
    ledger.add(WorkoutTotals.zero, on: day(-1))
    ledger.statistics.take(StatisticsClaim(streak: 7), now: GeneratedSamples.now)
    #expect(effective(ledger).streak == 7 && effective(ledger).lastDay == day(-1))
    #expect(effective(ledger, on: 1).streak == 0)
    // A later claim of another value doesn't restore it.
    ledger.statistics.take(StatisticsClaim(count: 12), now: GeneratedSamples.now)
    let later = ledger.statistics.effective(today: day(20), claimDay: day(20))
    #expect(later.streak == 0)
    ledger.remove(at: 0)
    #expect(effective(ledger).streak == 0)
  }

  @Test("A claimed streak ends after a missed day, and with the workout that it ends on")
  func claimedStreak() {
    var ledger = Ledger()
    ledger.add(Self.one, on: day(0))
    ledger.statistics.take(Self.claim, now: GeneratedSamples.now)
    #expect(effective(ledger, on: 1).streak == 7)
    #expect(effective(ledger, on: 2).streak == 0)
    ledger.remove(at: 0)
    #expect(effective(ledger).streak == 0 && effective(ledger).lastDay == nil)
  }

  @Test("Streak and last day are the larger of the two")
  func larger() {
    var ledger = Ledger()
    for number in -9...0 { ledger.add(Self.one, on: day(number)) }
    ledger.statistics.take(StatisticsClaim(streak: 3, lastDay: day(-1)), now: GeneratedSamples.now)
    #expect(effective(ledger).streak == 10 && effective(ledger).lastDay == day(0))
    ledger.statistics.take(StatisticsClaim(streak: 30, lastDay: day(1)), now: GeneratedSamples.now)
    #expect(effective(ledger).streak == 30 && effective(ledger).lastDay == day(1))
  }

  @Test("A claim of one figure leaves the others as they are")
  func partly() {
    var ledger = Ledger()
    ledger.add(Self.one, on: day(0))
    ledger.statistics.take(StatisticsClaim(count: 10), now: GeneratedSamples.now)
    ledger.add(Self.one, on: day(0))
    #expect(effective(ledger).totals.count == 11 && effective(ledger).totals.energy.count == 200)
    // A second claim keeps the first one's value plus the workouts since.
    ledger.statistics.take(
      StatisticsClaim(energy: FixedPoint3(count: 900)), now: GeneratedSamples.now)
    #expect(effective(ledger).totals.count == 11 && effective(ledger).totals.energy.count == 900)
    ledger.add(Self.one, on: day(0))
    #expect(effective(ledger).totals.count == 12 && effective(ledger).totals.energy.count == 1000)
    #expect(effective(ledger).totals.distance.count == 3000)
  }
}

@Suite("A claim as JSON")
struct StatisticsClaimTests {
  private func checked(_ json: String) throws -> StatisticsClaim {
    var errors: [String: FieldError] = [:]
    let parsed = try JSONParser.parse(Array(json.utf8))
    guard let draft = StatisticsClaimDraft.read(parsed, at: "", &errors) else {
      throw Problem.invalid(errors)
    }
    return try draft.checked(today: LocalDay(number: 20_446))
  }

  @Test("Is read, whole or in part")
  func read() throws {
    #expect(try checked("{}").isEmpty)
    let claim = try checked(
      """
      {"workout_total_count": 150, "workout_total_energy": 25000.5, "workout_streak": 7,
       "last_workout_date": "2025-12-24", "other": 1}
      """)
    #expect(claim.count == 150 && claim.energy?.value == 25_000.5 && claim.distance == nil)
    #expect(claim.streak == 7 && claim.lastDay == LocalDay("2025-12-24"))
  }

  @Test(
    "An impossible value is refused by its name",
    arguments: [
      ("workout_total_count", "-1"), ("workout_total_count", "1.5"),
      ("workout_total_count", "1e300"), ("workout_total_energy", "-0.1"),
      ("workout_total_distance", "1e13"), ("workout_total_duration", "-1"),
      ("workout_streak", "36501"), ("last_workout_date", "\"2099-01-01\""),
      ("last_workout_date", "\"soon\""),
    ])
  func refused(field: String, value: String) {
    let problem = #expect(throws: Problem.self) { try self.checked("{\"\(field)\": \(value)}") }
    #expect(problem.map { Array($0.fields.keys) } == [field])
  }
}
