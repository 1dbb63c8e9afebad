import Database

/// Moments, and who has seen them (docs/developer/moments.md).
enum MomentSchema {
  static let migrations = [
    Migration(
      "moments 1: moments and views",
      """
      CREATE TABLE moments (
        id BLOB PRIMARY KEY,
        couple_id BLOB NOT NULL REFERENCES couples (id),
        author_id BLOB NOT NULL REFERENCES users (id),
        audience TEXT NOT NULL CHECK (audience IN ('followers', 'couple')),
        -- One line; '' for none.
        words TEXT NOT NULL,
        -- In the names of its files.
        file_id BLOB NOT NULL,
        extension TEXT NOT NULL CHECK (extension IN ('jpg', 'png', 'webp', 'mp4')),
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        has_webp INTEGER NOT NULL,
        -- The length of a film in ms; NULL for a picture.
        milliseconds INTEGER CHECK ((extension = 'mp4') = (milliseconds IS NOT NULL)),
        has_sound INTEGER NOT NULL,
        -- Of all its files.
        bytes INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        -- From then on it is shown to moderators only, if it was reported.
        ends_at INTEGER NOT NULL,
        -- Since when moderators may see it.
        reported_at INTEGER,
        hidden_at INTEGER,
        -- When a moderator removed it.
        removed_at INTEGER,
        -- When its couple deleted it.
        deleted_at INTEGER,
        -- When row and files are removed; NULL while a report is not decided.
        purge_at INTEGER,
        CHECK (purge_at IS NOT NULL OR reported_at IS NOT NULL)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX moments_by_couple ON moments (couple_id, ends_at);
      CREATE INDEX moments_by_author ON moments (author_id);
      CREATE INDEX moments_purge ON moments (purge_at) WHERE purge_at IS NOT NULL;

      CREATE TABLE moment_views (
        moment_id BLOB NOT NULL REFERENCES moments (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (moment_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX moment_views_by_user ON moment_views (user_id);
      """)
  ]
}
