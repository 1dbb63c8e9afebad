import Database

/// Tables of deletion, restoring and export (docs/developer/deletion-and-export.md).
enum AccountDeletionSchema {
  static let migrations = [
    Migration(
      "accounts 7: deletions, files to be removed, exports",
      """
      -- Where somebody who left had their place: they get it back if they come back.
      CREATE TABLE deletions (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        couple_id BLOB REFERENCES couples (id),
        couple_side INTEGER CHECK (couple_side IN (1, 2)),
        -- A couple of one has no such day; the two get it back.
        anniversary INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX deletions_by_couple ON deletions (couple_id) WHERE couple_id IS NOT NULL;
      CREATE INDEX users_by_deletion ON users (deleted_at) WHERE deleted_at IS NOT NULL;
      CREATE INDEX users_by_deleted_email ON users (email_hash, deleted_at)
        WHERE email_hash IS NOT NULL AND deleted_at IS NOT NULL;
      CREATE INDEX registration_sides_by_email ON registration_sides (email_hash);

      -- Files of rows that are gone, until they are gone too: a crash in between forgets none.
      CREATE TABLE file_removals (
        -- Below the media folder: a file, or a folder with all that is in it.
        path TEXT PRIMARY KEY
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE exports (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        state TEXT NOT NULL CHECK (state IN ('waiting', 'ready', 'failed', 'too_large')),
        -- In per cent.
        progress INTEGER NOT NULL DEFAULT 0,
        bytes INTEGER,
        requested_at INTEGER NOT NULL,
        -- When the row and its file go.
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX exports_by_user ON exports (user_id, requested_at);
      CREATE UNIQUE INDEX exports_running ON exports (user_id) WHERE state = 'waiting';
      CREATE INDEX exports_by_end ON exports (expires_at);
      """)
  ]
}
