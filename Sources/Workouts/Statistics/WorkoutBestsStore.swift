import Core
import Database
import WorkoutFiles

/// Keeps the best stretches of workouts, and finds a user's bests.
struct WorkoutBestsStore: Sendable {
  /// A best of a user and the workout that has it.
  struct Best: Equatable {
    let workout: ID<Workout>
    let startedAt: Instant
    /// In W or ms.
    let value: Double
  }

  /// A user's bests; nil where there is none.
  struct Bests: Equatable {
    var ridePower: Best?
    var row2000: Best?
    var row5000: Best?
    var longestRide: Best?
    var longestRow: Best?

    var isEmpty: Bool { self == Bests() }
  }

  func bests(of person: ID<Person>, in reader: ReadTransaction) throws -> Bests {
    func first(_ machine: Machine, _ column: Query, _ order: Query) throws -> Best? {
      try reader.first(
        """
        SELECT id, started_at, \(column) * 1.0 FROM workouts
        WHERE user_id = \(person) AND device_type = \(machine.rawValue) AND \(column) IS NOT NULL
        ORDER BY \(column) \(order) LIMIT 1
        """
      ) { Best(workout: try $0.next(), startedAt: try $0.next(), value: try $0.next()) }
    }
    func longest(_ machine: Machine) throws -> Best? {
      try reader.first(
        """
        SELECT id, started_at, distance_mm / 1000.0 FROM workouts
        WHERE user_id = \(person) AND device_type = \(machine.rawValue) AND distance_mm > 0
        ORDER BY distance_mm DESC LIMIT 1
        """
      ) { Best(workout: try $0.next(), startedAt: try $0.next(), value: try $0.next()) }
    }
    return Bests(
      ridePower: try first(.bike, "best_20_min_power", "DESC"),
      row2000: try first(.rower, "best_2000_m_ms", "ASC"),
      row5000: try first(.rower, "best_5000_m_ms", "ASC"),
      longestRide: try longest(.bike), longestRow: try longest(.rower))
  }

  // MARK: Older workouts

  /// Finds the best stretches of workouts that were stored before these were kept, at most `limit`;
  /// returns whether there may be more.
  func fill(limit: Int, in writer: WriteTransaction) throws -> Bool {
    let waiting = try writer.rows(
      """
      SELECT w.id, s.samples FROM workouts w LEFT JOIN workout_samples s ON s.workout_id = w.id
      WHERE w.has_bests = 0 LIMIT \(limit)
      """
    ) { (id: try $0.next(ID<Workout>.self), samples: try $0.next([UInt8]?.self)) }
    for (id, bytes) in waiting {
      // The doctor reports samples that cannot be read.
      let samples = try? bytes.map { try SamplesCodec.decode($0) }
      let bests = WorkoutBests(samples.flatMap { $0 } ?? RecordedSamples())
      try writer.execute(
        """
        UPDATE workouts SET best_20_min_power = \(bests.power), best_2000_m_ms = \(bests.time2000),
          best_5000_m_ms = \(bests.time5000), has_bests = 1 WHERE id = \(id)
        """)
    }
    return waiting.count == limit
  }
}
