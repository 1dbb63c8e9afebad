import Database

/// Additions to workouts: an index, titles and notes, bests and goals.
enum WorkoutHistorySchema {
  static let migrations = [
    Migration(
      "workouts: the highest heart rate of a person",
      "CREATE INDEX workouts_by_heart ON workouts (user_id, max_hr);"),
    Migration(
      "workouts: titles, notes, bests and goals",
      """
      -- What the user calls it and says of it; '' for nothing.
      ALTER TABLE workouts ADD COLUMN title TEXT NOT NULL DEFAULT '';
      ALTER TABLE workouts ADD COLUMN note TEXT NOT NULL DEFAULT '';

      -- The best stretches of a workout; NULL if it has none. See WorkoutBests.
      ALTER TABLE workouts ADD COLUMN best_20_min_power REAL;
      ALTER TABLE workouts ADD COLUMN best_2000_m_ms INTEGER;
      ALTER TABLE workouts ADD COLUMN best_5000_m_ms INTEGER;
      -- Whether they were looked for.
      ALTER TABLE workouts ADD COLUMN has_bests INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX workouts_without_bests ON workouts (id) WHERE has_bests = 0;
      CREATE INDEX workouts_by_power ON workouts (user_id, device_type, best_20_min_power DESC)
        WHERE best_20_min_power IS NOT NULL;
      CREATE INDEX workouts_by_2000_m ON workouts (user_id, device_type, best_2000_m_ms)
        WHERE best_2000_m_ms IS NOT NULL;
      CREATE INDEX workouts_by_5000_m ON workouts (user_id, device_type, best_5000_m_ms)
        WHERE best_5000_m_ms IS NOT NULL;
      CREATE INDEX workouts_by_distance ON workouts (user_id, device_type, distance_mm DESC);

      -- How many minutes a user wants to train in a week.
      CREATE TABLE workout_goals (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        minutes INTEGER NOT NULL CHECK (minutes BETWEEN 1 AND 10080)
      ) STRICT, WITHOUT ROWID;
      """),
  ]
}
