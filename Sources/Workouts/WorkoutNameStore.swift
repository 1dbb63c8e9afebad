import Basics
import Database

extension WorkoutStore {
  /// Those of a person's workouts of which it is kept what the machine said.
  func withRaw(of person: ID<Person>, in reader: Reader) throws -> Set<ID<Workout>> {
    Set(
      try reader.rows(
        """
        SELECT w.id FROM workouts w JOIN workout_samples s ON s.workout_id = w.id
        WHERE w.user_id = ? AND s.raw IS NOT NULL
        """, person
      ) { try $0.id(0, Workout.self) })
  }

  /// A person's workout by its client's name for it; nil where they have none of that name.
  func find(
    _ session: ID<ClientSession>, of person: ID<Person>, in reader: Reader
  ) throws -> Workout? {
    let id = try reader.first(
      "SELECT id FROM workouts WHERE user_id = ? AND client_session_id = ?", person, session
    ) { try $0.id(0, Workout.self) }
    guard let id else { return nil }
    return try find(id, of: person, in: reader)
  }
}
