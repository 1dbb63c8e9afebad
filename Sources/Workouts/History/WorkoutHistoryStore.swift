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
      WHERE user_id = \(person) AND day BETWEEN \(first) AND \(last) GROUP BY day ORDER BY day
      """
    ) { row in
      DaySum(
        day: try row.next(),
        totals: WorkoutTotals(
          count: try row.next(), energy: FixedPoint3(count: try row.next()),
          distance: FixedPoint3(count: try row.next()),
          duration: FixedPoint3(count: try row.next())))
    }
  }

  /// The highest heart rate of all workouts that is not above `maximum`; nil without any.
  func highestHeartRate(
    of person: ID<Person>, upTo maximum: Double, in reader: ReadTransaction
  ) throws -> Double? {
    try reader.value(
      """
      SELECT max_hr FROM workouts WHERE user_id = \(person) AND max_hr <= \(maximum)
      ORDER BY max_hr DESC LIMIT 1
      """, as: Double.self)
  }
}
