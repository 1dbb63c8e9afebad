import Core
import Database

/// Keeps the weekly goals of users.
struct WorkoutGoalStore: Sendable {
  /// Minutes that can be chosen: at most a whole week.
  static let minutes = 1...10_080

  /// A user's goal, in min a week; nil without one.
  func minutes(of person: ID<Person>, in reader: ReadTransaction) throws -> Int? {
    try reader.value("SELECT minutes FROM workout_goals WHERE user_id = \(person)")
  }

  func set(_ minutes: Int?, of person: ID<Person>, in writer: WriteTransaction) throws {
    guard let minutes else {
      try writer.execute("DELETE FROM workout_goals WHERE user_id = \(person)")
      return
    }
    try writer.execute(
      """
      INSERT INTO workout_goals (user_id, minutes) VALUES (\(person), \(minutes))
      ON CONFLICT (user_id) DO UPDATE SET minutes = excluded.minutes
      """)
  }

  /// Gives a guest's goal to a member who has none.
  func move(
    from guest: ID<Person>, to member: ID<Person>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE workout_goals SET user_id = \(member) WHERE user_id = \(guest)
        AND NOT EXISTS (SELECT 1 FROM workout_goals WHERE user_id = \(member))
      """)
    try writer.execute("DELETE FROM workout_goals WHERE user_id = \(guest)")
  }
}
