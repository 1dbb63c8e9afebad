import Database

/// Users whose partner sees their workouts, and the partner's cheers.
enum PartnerWorkoutsSchema {
  static let migrations = [
    Migration(
      "workouts: what the partner sees, and cheers",
      """
      CREATE TABLE workout_viewers (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        -- The partner when it was turned on: a later one sees nothing.
        partner_id BLOB NOT NULL REFERENCES users (id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX workout_viewers_by_partner ON workout_viewers (partner_id);

      CREATE TABLE workout_cheers (
        workout_id BLOB NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        cheered_at INTEGER NOT NULL,
        PRIMARY KEY (workout_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX workout_cheers_by_user ON workout_cheers (user_id);
      """)
  ]
}
