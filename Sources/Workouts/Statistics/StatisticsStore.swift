import Accounts
import Core
import Database
import Foundation

/// Stores a user's statistics, and the days of workouts from which the streak is counted.
struct StatisticsStore: Sendable {
  /// Stored statistics with the zone of their days.
  struct StoredStatistics: Equatable {
    var zone: String
    var statistics = WorkoutStatistics()
  }

  func find(_ person: ID<Person>, in reader: ReadTransaction) throws -> StoredStatistics? {
    try reader.first(
      "SELECT \(Self.columns) FROM user_stats WHERE user_id = ?", person, make: Self.kept)
  }

  func save(_ kept: StoredStatistics, of person: ID<Person>, in writer: WriteTransaction) throws {
    let (all, claim) = (kept.statistics, kept.statistics.claim)
    try writer.execute(
      """
      INSERT OR REPLACE INTO user_stats (\(Self.columns), user_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, kept.zone, all.totals.count, all.totals.energy.count, all.totals.distance.count,
      all.totals.duration.count, all.run.last, all.run.length, all.round, all.claimedAt,
      claim.count, claim.energy?.count, claim.distance?.count, claim.duration?.count,
      claim.streak, claim.lastDay, all.later.count, all.later.energy.count,
      all.later.distance.count, all.later.duration.count, person)
  }

  func purge(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM user_stats WHERE user_id = ?", person)
  }

  // MARK: Days

  private static let shortest = WorkoutContent.shortestForStreak.count

  /// Whether a day counts for the streak.
  func hasWorkout(on day: LocalDay, of person: ID<Person>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists(
      "SELECT 1 FROM workouts WHERE user_id = ? AND day = ? AND duration_ms >= ? LIMIT 1",
      person, day, Self.shortest)
  }

  /// The last day that counts for the streak.
  func latestDay(of person: ID<Person>, in reader: ReadTransaction) throws -> LocalDay? {
    try reader.first(
      """
      SELECT day FROM workouts WHERE user_id = ? AND duration_ms >= ? ORDER BY day DESC LIMIT 1
      """, person, Self.shortest
    ) { $0.day(0) }
  }

  /// Recalculates the days of all workouts in another zone.
  func setDays(of person: ID<Person>, in zone: TimeZone, _ writer: WriteTransaction) throws {
    let workouts = try writer.rows(
      "SELECT id, started_at, day FROM workouts WHERE user_id = ?", person
    ) { (id: try $0.id(0, Workout.self), start: $0.instant(1), day: $0.day(2)) }
    for workout in workouts {
      let day = LocalDay(workout.start, in: zone)
      if day == workout.day { continue }
      try writer.execute("UPDATE workouts SET day = ? WHERE id = ?", day, workout.id)
    }
  }

  /// The number of workouts stored under another day than that of their start in this zone.
  func wrongDays(of person: ID<Person>, in zone: TimeZone, _ reader: ReadTransaction) throws -> Int
  {
    try reader.rows("SELECT started_at, day FROM workouts WHERE user_id = ?", person) {
      LocalDay($0.instant(0), in: zone) == $0.day(1) ? 0 : 1
    }.reduce(0, +)
  }

  // MARK: Recounting

  /// Counts from the workouts themselves: the totals, those of one round, the streak.
  func counted(
    _ person: ID<Person>, round: Int64, in reader: ReadTransaction
  ) throws -> (totals: WorkoutTotals, later: WorkoutTotals, run: WorkoutStreak) {
    let totals = try reader.first(
      """
      SELECT count(*), coalesce(sum(energy_cal), 0), coalesce(sum(distance_mm), 0),
        coalesce(sum(duration_ms), 0) FROM workouts WHERE user_id = ?
      """, person
    ) { Self.totals($0, from: 0) }
    let later = try reader.first(
      """
      SELECT count(*), coalesce(sum(energy_cal), 0), coalesce(sum(distance_mm), 0),
        coalesce(sum(duration_ms), 0) FROM workouts WHERE user_id = ? AND claim_round = ?
      """, person, round
    ) { Self.totals($0, from: 0) }
    let days = try reader.rows(
      "SELECT DISTINCT day FROM workouts WHERE user_id = ? AND duration_ms >= ?", person,
      Self.shortest
    ) { $0.day(0) }
    return (totals ?? .zero, later ?? .zero, WorkoutStreak(days: days))
  }

  /// All users with statistics or workouts.
  func users(in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows(
      "SELECT user_id FROM user_stats UNION SELECT user_id FROM workouts"
    ) { try $0.id(0) }
  }

  // MARK: Columns

  private static let columns = """
    time_zone, count, energy_cal, distance_mm, duration_ms, last_day, run_days, claim_round,
    claimed_at, claim_count, claim_energy_cal, claim_distance_mm, claim_duration_ms, claim_streak,
    claim_last_day, later_count, later_energy_cal, later_distance_mm, later_duration_ms
    """

  private static func totals(_ row: Row, from column: Int32) -> WorkoutTotals {
    WorkoutTotals(
      count: row.integer(column), energy: FixedPoint3(count: row.integer(column + 1)),
      distance: FixedPoint3(count: row.integer(column + 2)),
      duration: FixedPoint3(count: row.integer(column + 3)))
  }

  private static func kept(_ row: Row) -> StoredStatistics {
    func amount(_ column: Int32) -> FixedPoint3? {
      row.isNull(column) ? nil : FixedPoint3(count: row.integer(column))
    }
    var statistics = WorkoutStatistics()
    statistics.totals = totals(row, from: 1)
    statistics.run = WorkoutStreak(last: row.optionalDay(5), length: row.int(6))
    statistics.round = row.integer(7)
    statistics.claimedAt = row.optionalInstant(8)
    statistics.claim = StatisticsClaim(
      count: row.isNull(9) ? nil : row.integer(9), energy: amount(10), distance: amount(11),
      duration: amount(12), streak: row.isNull(13) ? nil : row.int(13),
      lastDay: row.optionalDay(14))
    statistics.later = totals(row, from: 15)
    return StoredStatistics(zone: row.text(0), statistics: statistics)
  }
}
