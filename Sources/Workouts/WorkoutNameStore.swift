import Basics
import Database

extension WorkoutStore {
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
