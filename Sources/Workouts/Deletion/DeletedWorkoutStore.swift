import Core
import Database
import WorkoutFiles

/// A workout that its owner has deleted and can still restore.
struct DeletedWorkout: Sendable {
  let workout: Workout
  let deletedAt: Instant

  /// Workouts in a list.
  static let maximumListed = 100
}

/// Keeps deleted workouts with their samples; every query is for one user.
struct DeletedWorkoutStore: Sendable {
  /// The columns of both tables, without those that are counted again.
  private static let kept: Query = """
    id, user_id, client_session_id, started_at, ended_at, duration_ms, paused_ms, energy_cal,
    distance_mm, device_type, training_id, avg_hr, max_hr, avg_power, max_power, avg_cadence,
    max_cadence, avg_speed, max_speed, source, title, note, best_20_min_power, best_2000_m_ms,
    best_5000_m_ms, has_bests
    """

  /// The user's workouts that were deleted since a moment, the last deleted first, without those that
  /// were uploaded again since.
  func all(
    of person: ID<Person>, since moment: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [DeletedWorkout] {
    try reader.rows(
      """
      SELECT \(WorkoutStore.columns), title, note, deleted_at FROM deleted_workouts
      WHERE user_id = \(person) AND deleted_at > \(moment) AND NOT EXISTS (
        SELECT 1 FROM workouts w
        WHERE w.user_id = \(person) AND w.client_session_id = deleted_workouts.client_session_id)
      ORDER BY deleted_at DESC, id DESC LIMIT \(limit)
      """
    ) { DeletedWorkout(workout: try WorkoutStore.workout(&$0), deletedAt: try $0.next()) }
  }

  /// All workouts that a user has deleted, and whether each has raw machine data.
  func all(
    of person: ID<Person>, in reader: ReadTransaction
  ) throws -> [(workout: DeletedWorkout, hasRaw: Bool)] {
    try reader.rows(
      """
      SELECT \(WorkoutStore.columns), title, note, deleted_at, raw IS NOT NULL
      FROM deleted_workouts WHERE user_id = \(person) ORDER BY deleted_at
      """
    ) {
      (
        DeletedWorkout(workout: try WorkoutStore.workout(&$0), deletedAt: try $0.next()),
        try $0.next()
      )
    }
  }

  /// A workout that the user has deleted since a moment; nil if there is none.
  func find(
    _ id: ID<Workout>, of person: ID<Person>, since moment: Instant, in reader: ReadTransaction
  ) throws -> Workout? {
    try reader.first(
      """
      SELECT \(WorkoutStore.columns), title, note FROM deleted_workouts
      WHERE id = \(id) AND user_id = \(person) AND deleted_at > \(moment)
      """, make: WorkoutStore.workout)
  }

  /// The samples of a user's deleted workout; nil if there is none.
  func samples(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> RecordedSamples? {
    try reader.value(
      "SELECT samples FROM deleted_workouts WHERE id = \(workout) AND user_id = \(person)",
      as: [UInt8]?.self
    ).map { try WorkoutStore.decode($0, of: workout) }
  }

  /// The raw machine data of a user's deleted workout; nil if there is none.
  func raw(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [UInt8]? {
    try reader.value(
      """
      SELECT raw FROM deleted_workouts
      WHERE id = \(workout) AND user_id = \(person) AND raw IS NOT NULL
      """, as: [UInt8].self)
  }

  /// Keeps a copy of a user's workout, which is then removed.
  func keep(
    _ id: ID<Workout>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO deleted_workouts (\(Self.kept), received_at, deleted_at, samples, raw)
      SELECT \(Self.kept), received_at, \(now),
        (SELECT s.samples FROM workout_samples s WHERE s.workout_id = workouts.id),
        (SELECT s.raw FROM workout_samples s WHERE s.workout_id = workouts.id)
      FROM workouts WHERE id = \(id) AND user_id = \(person)
      """)
  }

  /// Puts a user's deleted workout back. The caller updates the statistics.
  func restore(
    _ id: ID<Workout>, of person: ID<Person>, on day: LocalDay, round: Int64, received: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO workouts (\(Self.kept), day, claim_round, received_at)
      SELECT \(Self.kept), \(day), \(round), \(received) FROM deleted_workouts
      WHERE id = \(id) AND user_id = \(person)
      """)
    try writer.execute(
      """
      INSERT INTO workout_samples (workout_id, samples, raw)
      SELECT id, samples, raw FROM deleted_workouts
      WHERE id = \(id) AND user_id = \(person) AND (samples IS NOT NULL OR raw IS NOT NULL)
      """)
    try remove(id, of: person, in: writer)
  }

  /// Removes a user's deleted workout for good.
  func remove(_ id: ID<Workout>, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM deleted_workouts WHERE id = \(id) AND user_id = \(person)")
  }

  /// Removes workouts that were deleted before a moment for good, at most `limit`. Returns how many.
  func purge(deletedBefore moment: Instant, limit: Int, in writer: WriteTransaction) throws -> Int {
    try writer.execute(
      """
      DELETE FROM deleted_workouts WHERE id IN (
        SELECT id FROM deleted_workouts WHERE deleted_at < \(moment) LIMIT \(limit))
      """)
  }

  func move(from guest: ID<Person>, to member: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE deleted_workouts SET user_id = \(member) WHERE user_id = \(guest)")
  }
}
