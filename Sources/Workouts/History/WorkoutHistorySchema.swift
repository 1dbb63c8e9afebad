import Database

/// The index needed by the workout history.
enum WorkoutHistorySchema {
  static let migrations = [
    Migration(
      "workouts: the highest heart rate of a person",
      "CREATE INDEX workouts_by_heart ON workouts (user_id, max_hr);")
  ]
}
