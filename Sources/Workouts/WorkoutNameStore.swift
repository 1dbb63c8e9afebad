import Core
import Database

extension WorkoutStore {
  /// The user's workouts that have raw machine data.
  func withRaw(of person: ID<Person>, in reader: ReadTransaction) throws -> Set<ID<Workout>> {
    Set(
      try reader.values(
        """
        SELECT w.id FROM workouts w JOIN workout_samples s ON s.workout_id = w.id
        WHERE w.user_id = \(person) AND s.raw IS NOT NULL
        """, as: ID<Workout>.self))
  }

  /// A user's workout by the client's name for it; nil if there is none.
  func find(
    _ session: ID<ClientSession>, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> Workout? {
    guard let id = try id(of: session, person, in: reader) else { return nil }
    return try find(id, of: person, in: reader)
  }

  /// The ID of a user's workout by the client's name for it.
  func id(
    of session: ID<ClientSession>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> ID<Workout>? {
    try reader.value(
      """
      SELECT id FROM workouts WHERE user_id = \(person) AND client_session_id = \(session)
      """, as: ID<Workout>.self)
  }

  /// The user's workout with the same start and duration (s), distance (m) and energy (kcal); files
  /// round each to an integer.
  func id(
    like content: WorkoutContent, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> ID<Workout>? {
    try reader.value(
      """
      SELECT id FROM workouts
      WHERE user_id = \(person) AND started_at BETWEEN \(content.startedAt.milliseconds - 999)
        AND \(content.startedAt.milliseconds + 999)
        AND abs(duration_ms - \(content.duration.count)) < 1000
        AND abs(distance_mm - \(content.distance.count)) < 1000
          AND abs(energy_cal - \(content.energy.count)) < 1000
      """, as: ID<Workout>.self)
  }
}
