import Database

/// The tables of this module (docs/developer/workouts.md#data).
enum WorkoutSchema {
  static let migrations = [
    Migration(
      "workouts 1: workouts, samples and statistics",
      """
      CREATE TABLE workouts (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        client_session_id BLOB NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        -- The local day of its start, in the zone that user_stats names.
        day INTEGER NOT NULL,
        duration_ms INTEGER NOT NULL CHECK (duration_ms > 0),
        paused_ms INTEGER CHECK (paused_ms >= 0),
        -- Thousandths of a kcal, and of a metre.
        energy_cal INTEGER NOT NULL CHECK (energy_cal >= 0),
        distance_mm INTEGER NOT NULL CHECK (distance_mm >= 0),
        device_type TEXT NOT NULL CHECK (device_type IN ('bike', 'rower', 'other')),
        -- Not a key: a training may go, the workout stays.
        training_id BLOB,
        avg_hr REAL,
        max_hr REAL,
        avg_power REAL,
        max_power REAL,
        avg_cadence REAL,
        max_cadence REAL,
        avg_speed REAL,
        max_speed REAL,
        source TEXT NOT NULL CHECK (source IN ('recorded', 'typed', 'file')),
        -- user_stats.claim_round when it came in.
        claim_round INTEGER NOT NULL,
        received_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX workouts_once ON workouts (user_id, client_session_id);
      CREATE INDEX workouts_by_start ON workouts (user_id, started_at, id);
      CREATE INDEX workouts_by_receipt ON workouts (user_id, received_at);
      CREATE INDEX workouts_by_day ON workouts (user_id, day);

      CREATE TABLE workout_samples (
        workout_id BLOB PRIMARY KEY REFERENCES workouts (id) ON DELETE CASCADE,
        -- See SamplesCodec.
        samples BLOB,
        -- What the machine said, byte for byte.
        raw BLOB
      ) STRICT;

      CREATE TABLE user_stats (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        -- The zone in which workouts.day was counted.
        time_zone TEXT NOT NULL,
        count INTEGER NOT NULL,
        energy_cal INTEGER NOT NULL,
        distance_mm INTEGER NOT NULL,
        duration_ms INTEGER NOT NULL,
        last_day INTEGER,
        run_days INTEGER NOT NULL,
        -- What the client claims, and what came in after it said so.
        claim_round INTEGER NOT NULL,
        claimed_at INTEGER,
        claim_count INTEGER,
        claim_energy_cal INTEGER,
        claim_distance_mm INTEGER,
        claim_duration_ms INTEGER,
        claim_streak INTEGER,
        claim_last_day INTEGER,
        later_count INTEGER NOT NULL,
        later_energy_cal INTEGER NOT NULL,
        later_distance_mm INTEGER NOT NULL,
        later_duration_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
  ]
}
