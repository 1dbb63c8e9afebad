import Database

/// The tables of trainings and their stages. They contain no user data.
enum TrainingSchema {
  static let migrations = [
    Migration(
      "trainings 1: trainings and their stages",
      """
      CREATE TABLE trainings (
        id BLOB PRIMARY KEY,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        difficulty TEXT NOT NULL CHECK (difficulty IN ('easy', 'moderate', 'hard')),
        cover_id BLOB,
        cover_extension TEXT CHECK (cover_extension IN ('jpg', 'png', 'webp')),
        cover_width INTEGER,
        cover_height INTEGER,
        cover_has_webp INTEGER,
        video_id BLOB,
        video_bytes INTEGER,
        video_seconds INTEGER,
        published_at INTEGER,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        CHECK ((cover_id IS NULL) = (cover_extension IS NULL)),
        CHECK ((video_id IS NULL) = (video_bytes IS NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX trainings_in_order ON trainings (position, id);
      CREATE INDEX trainings_published ON trainings (position, id)
        WHERE published_at IS NOT NULL;

      CREATE TABLE training_stages (
        training_id BLOB NOT NULL REFERENCES trainings (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        seconds INTEGER NOT NULL CHECK (seconds > 0),
        target TEXT NOT NULL CHECK (target IN ('free', 'resistance', 'power', 'cadence')),
        value INTEGER,
        text TEXT NOT NULL,
        PRIMARY KEY (training_id, position),
        CHECK ((target = 'free') = (value IS NULL))
      ) STRICT, WITHOUT ROWID;
      """)
  ]
}
