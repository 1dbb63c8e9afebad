import Database

/// Deleted workouts, which their owners can still restore
/// (docs/developer/workouts.md#deleted-workouts).
enum DeletedWorkoutsSchema {
  static let migrations = [
    Migration(
      "workouts: deleted workouts",
      """
      -- Apart from workouts, so that nothing counts or shows them. Their days and rounds are found
      -- again when they are restored.
      CREATE TABLE deleted_workouts (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        deleted_at INTEGER NOT NULL,
        client_session_id BLOB NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        duration_ms INTEGER NOT NULL,
        paused_ms INTEGER,
        energy_cal INTEGER NOT NULL,
        distance_mm INTEGER NOT NULL,
        device_type TEXT NOT NULL,
        training_id BLOB,
        avg_hr REAL,
        max_hr REAL,
        avg_power REAL,
        max_power REAL,
        avg_cadence REAL,
        max_cadence REAL,
        avg_speed REAL,
        max_speed REAL,
        source TEXT NOT NULL,
        received_at INTEGER NOT NULL,
        title TEXT NOT NULL,
        note TEXT NOT NULL,
        best_20_min_power REAL,
        best_2000_m_ms INTEGER,
        best_5000_m_ms INTEGER,
        has_bests INTEGER NOT NULL,
        samples BLOB,
        raw BLOB
      ) STRICT;
      CREATE INDEX deleted_workouts_by_user ON deleted_workouts (user_id, deleted_at);
      CREATE INDEX deleted_workouts_by_time ON deleted_workouts (deleted_at);
      """)
  ]
}
