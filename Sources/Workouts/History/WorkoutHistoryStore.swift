import Accounts
import Core
import Database

/// Reads history data other than the workouts themselves.
struct WorkoutHistoryStore: Sendable {
  /// The totals of one day in the user's time zone.
  struct DaySum: Equatable {
    let day: LocalDay
    let totals: WorkoutTotals
  }

  /// The days with a workout from the first to the last one, in order.
  func sums(
    of person: ID<Person>, from first: LocalDay, through last: LocalDay, in reader: ReadTransaction
  ) throws -> [DaySum] {
    try reader.rows(
      """
      SELECT day, count(*), sum(energy_cal), sum(distance_mm), sum(duration_ms) FROM workouts
      WHERE user_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day
      """, person, first, last
    ) { row in
      DaySum(
        day: row.day(0),
        totals: WorkoutTotals(
          count: row.integer(1), energy: FixedPoint3(count: row.integer(2)),
          distance: FixedPoint3(count: row.integer(3)),
          duration: FixedPoint3(count: row.integer(4))))
    }
  }

  /// The highest heart rate of all workouts that is not above `most`; nil without any.
  func highestHeartRate(
    of person: ID<Person>, upTo most: Double, in reader: ReadTransaction
  ) throws -> Double? {
    try reader.first(
      """
      SELECT max_hr FROM workouts WHERE user_id = ? AND max_hr <= ? ORDER BY max_hr DESC LIMIT 1
      """, person, most
    ) { $0.real(0) }
  }

  /// The names of published trainings.
  func names(
    of trainings: Set<ID<Training>>, in reader: ReadTransaction
  ) throws -> [ID<Training>: String] {
    let packed = IDList(Array(trainings))
    let found = try reader.rows(
      """
      SELECT t.id, t.name FROM json_each(?) CROSS JOIN trainings t ON t.id = \(IDList.only)
      WHERE t.published_at IS NOT NULL
      """, packed.places, packed.bytes
    ) { (try $0.id(0, Training.self), $0.text(1)) }
    return Dictionary(uniqueKeysWithValues: found)
  }
}
