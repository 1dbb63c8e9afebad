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
      "SELECT \(Self.columns) FROM user_stats WHERE user_id = \(person)", make: Self.stored)
  }

  func save(_ kept: StoredStatistics, of person: ID<Person>, in writer: WriteTransaction) throws {
    let (all, claim) = (kept.statistics, kept.statistics.claim)
    try writer.execute(
      """
      INSERT INTO user_stats (\(Self.columns), user_id)
      VALUES (\(kept.zone), \(all.totals.count), \(all.totals.energy.count),
        \(all.totals.distance.count), \(all.totals.duration.count), \(all.run.last),
        \(all.run.length), \(all.round), \(all.claimedAt), \(claim.count), \(claim.energy?.count),
        \(claim.distance?.count), \(claim.duration?.count), \(claim.streak), \(claim.lastDay),
        \(all.later.count), \(all.later.energy.count), \(all.later.distance.count),
        \(all.later.duration.count), \(person))
      ON CONFLICT (user_id) DO UPDATE SET (\(Self.columns)) = (\(Self.excluded))
      """)
  }

  func purge(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM user_stats WHERE user_id = \(person)")
  }

  // MARK: Days

  private static let minimumStreakDuration = WorkoutContent.minimumStreakDuration.count

  /// Whether a day counts for the streak.
  func hasWorkout(on day: LocalDay, of person: ID<Person>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists(
      """
      SELECT 1 FROM workouts WHERE user_id = \(person) AND day = \(day)
        AND duration_ms >= \(Self.minimumStreakDuration) LIMIT 1
      """)
  }

  /// The last day that counts for the streak.
  func latestDay(of person: ID<Person>, in reader: ReadTransaction) throws -> LocalDay? {
    try reader.value(
      """
      SELECT day FROM workouts WHERE user_id = \(person) AND duration_ms >= \(Self.minimumStreakDuration)
      ORDER BY day DESC LIMIT 1
      """, as: LocalDay.self)
  }

  /// Recalculates the days of all workouts in another zone.
  func setDays(of person: ID<Person>, in zone: TimeZone, _ writer: WriteTransaction) throws {
    let workouts = try writer.rows(
      "SELECT id, started_at, day FROM workouts WHERE user_id = \(person)"
    ) {
      (
        id: try $0.next(ID<Workout>.self), start: try $0.next(Instant.self),
        day: try $0.next(LocalDay.self)
      )
    }
    for workout in workouts {
      let day = LocalDay(workout.start, in: zone)
      if day == workout.day { continue }
      try writer.execute("UPDATE workouts SET day = \(day) WHERE id = \(workout.id)")
    }
  }

  /// The number of workouts stored under another day than that of their start in this zone.
  func wrongDays(of person: ID<Person>, in zone: TimeZone, _ reader: ReadTransaction) throws -> Int
  {
    try reader.rows("SELECT started_at, day FROM workouts WHERE user_id = \(person)") {
      (start: try $0.next(Instant.self), day: try $0.next(LocalDay.self))
    }.count { LocalDay($0.start, in: zone) != $0.day }
  }

  // MARK: Recounting

  /// Counts from the workouts themselves: the totals, those of one round, the streak.
  func counted(
    _ person: ID<Person>, round: Int64, in reader: ReadTransaction
  ) throws -> (totals: WorkoutTotals, later: WorkoutTotals, run: WorkoutStreak) {
    let totals = try reader.first(
      """
      SELECT count(*), coalesce(sum(energy_cal), 0), coalesce(sum(distance_mm), 0),
        coalesce(sum(duration_ms), 0) FROM workouts WHERE user_id = \(person)
      """, make: Self.totals)
    let later = try reader.first(
      """
      SELECT count(*), coalesce(sum(energy_cal), 0), coalesce(sum(distance_mm), 0),
        coalesce(sum(duration_ms), 0)
      FROM workouts WHERE user_id = \(person) AND claim_round = \(round)
      """, make: Self.totals)
    let days = try reader.values(
      """
      SELECT DISTINCT day FROM workouts WHERE user_id = \(person)
        AND duration_ms >= \(Self.minimumStreakDuration)
      """, as: LocalDay.self)
    return (totals ?? .zero, later ?? .zero, WorkoutStreak(days: days))
  }

  /// All users with statistics or workouts.
  func users(in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values("SELECT user_id FROM user_stats UNION SELECT user_id FROM workouts")
  }

  // MARK: Columns

  private static let columns: Query = """
    time_zone, count, energy_cal, distance_mm, duration_ms, last_day, run_days, claim_round,
    claimed_at, claim_count, claim_energy_cal, claim_distance_mm, claim_duration_ms, claim_streak,
    claim_last_day, later_count, later_energy_cal, later_distance_mm, later_duration_ms
    """

  /// The same columns of the new row, in an upsert.
  private static let excluded: Query = """
    excluded.time_zone, excluded.count, excluded.energy_cal, excluded.distance_mm,
    excluded.duration_ms, excluded.last_day, excluded.run_days, excluded.claim_round,
    excluded.claimed_at, excluded.claim_count, excluded.claim_energy_cal,
    excluded.claim_distance_mm, excluded.claim_duration_ms, excluded.claim_streak,
    excluded.claim_last_day, excluded.later_count, excluded.later_energy_cal,
    excluded.later_distance_mm, excluded.later_duration_ms
    """

  private static func totals(_ row: inout RowReader) throws -> WorkoutTotals {
    WorkoutTotals(
      count: try row.next(), energy: FixedPoint3(count: try row.next()),
      distance: FixedPoint3(count: try row.next()), duration: FixedPoint3(count: try row.next()))
  }

  private static func stored(_ row: inout RowReader) throws -> StoredStatistics {
    let zone = try row.next(String.self)
    var statistics = WorkoutStatistics()
    statistics.totals = try totals(&row)
    statistics.run = WorkoutStreak(last: try row.next(), length: try row.next())
    statistics.round = try row.next()
    statistics.claimedAt = try row.next()
    statistics.claim = StatisticsClaim(
      count: try row.next(), energy: try amount(&row), distance: try amount(&row),
      duration: try amount(&row), streak: try row.next(), lastDay: try row.next())
    statistics.later = try totals(&row)
    return StoredStatistics(zone: zone, statistics: statistics)
  }

  private static func amount(_ row: inout RowReader) throws -> FixedPoint3? {
    try row.next(Int64?.self).map { FixedPoint3(count: $0) }
  }
}
