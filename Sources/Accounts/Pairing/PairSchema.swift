import Database

/// Pairing and separating: pending invitations, separations that can be undone, and the views of
/// couples including those that their members have left.
enum PairSchema {
  static let migrations = [
    Migration(
      "accounts 6: pairing and parting",
      """
      -- One that waits for an answer, at most one an inviter; accepted, withdrawn or overtaken
      -- it is gone.
      CREATE TABLE pair_invitations (
        id BLOB PRIMARY KEY,
        inviter_id BLOB NOT NULL REFERENCES users (id),
        email_sealed BLOB NOT NULL,
        email_hash BLOB NOT NULL,
        token_hash BLOB NOT NULL,
        sent_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX pair_invitations_by_inviter ON pair_invitations (inviter_id);
      CREATE UNIQUE INDEX pair_invitations_by_token ON pair_invitations (token_hash);
      CREATE INDEX pair_invitations_by_end ON pair_invitations (expires_at);

      -- A parting that the two can still undo; once it is final the row is gone.
      CREATE TABLE partings (
        couple_id BLOB PRIMARY KEY REFERENCES couples (id),
        parted_at INTEGER NOT NULL,
        ends_at INTEGER NOT NULL,
        undo_asked_by BLOB REFERENCES users (id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX partings_by_end ON partings (ends_at);
      CREATE INDEX partings_by_asker ON partings (undo_asked_by)
        WHERE undo_asked_by IS NOT NULL;

      -- Whose couple it is or was: they see what is in it even when nobody else does.
      CREATE VIEW couples_own AS SELECT couple_id, user_id FROM couple_members;

      -- A couple that its people have left still shows their names.
      DROP VIEW couples_seen;
      CREATE VIEW couples_seen AS
        SELECT c.id, c.name, c.anniversary, c.status, c.avatar,
               coalesce(a.display_name, x.display_name) AS first_name,
               coalesce(a.avatar, x.avatar) AS first_avatar,
               coalesce(b.display_name, y.display_name) AS second_name,
               coalesce(b.avatar, y.avatar) AS second_avatar
        FROM couples c
        LEFT JOIN users a ON a.couple_id = c.id AND a.couple_side = 1 AND a.deleted_at IS NULL
        LEFT JOIN users b ON b.couple_id = c.id AND b.couple_side = 2 AND b.deleted_at IS NULL
        LEFT JOIN users x ON x.id = CASE WHEN a.id IS NULL AND b.id IS NULL THEN (
            SELECT min(m.user_id) FROM couple_members m WHERE m.couple_id = c.id) END
          AND x.deleted_at IS NULL
        LEFT JOIN users y ON y.id = CASE WHEN a.id IS NULL AND b.id IS NULL THEN (
            SELECT nullif(max(m.user_id), min(m.user_id)) FROM couple_members m
            WHERE m.couple_id = c.id) END
          AND y.deleted_at IS NULL;
      """)
  ]
}
