import Database

/// Moderators' decisions about users and couples, and blocks between couples
/// (docs/developer/moderation.md).
enum ModerationStatusSchema {
  static let migrations = [
    Migration(
      "accounts standing 1: suspended people, hidden couples, blocks",
      """
      -- NULL for who isn't suspended; the end of all time for good.
      ALTER TABLE users ADD COLUMN suspended_until INTEGER;
      ALTER TABLE users ADD COLUMN suspended_why TEXT NOT NULL DEFAULT '';
      CREATE INDEX users_suspended ON users (suspended_until) WHERE suspended_until IS NOT NULL;
      -- Who is suspended and until when, for other rooms.
      CREATE VIEW people_suspended AS SELECT id, suspended_until AS until FROM users
        WHERE suspended_until IS NOT NULL;
      CREATE INDEX users_staff ON users (role) WHERE role > 2;
      CREATE INDEX users_by_name ON users (display_name COLLATE NOCASE, id);

      ALTER TABLE couples ADD COLUMN hidden_at INTEGER;
      CREATE INDEX couples_by_name ON couples (name COLLATE NOCASE, id);
      CREATE INDEX couples_hidden ON couples (hidden_at) WHERE hidden_at IS NOT NULL;
      DROP VIEW couples_open;
      CREATE VIEW couples_open AS SELECT id FROM couples
        WHERE status IN ('active', 'single') AND hidden_at IS NULL;

      -- Which of the two couples asked for it stands first; it works both ways.
      CREATE TABLE blocks (
        couple_id BLOB NOT NULL REFERENCES couples (id) ON DELETE CASCADE,
        blocked_id BLOB NOT NULL REFERENCES couples (id) ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (couple_id, blocked_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX blocks_by_blocked ON blocks (blocked_id, couple_id);

      -- Which couples see nothing of each other, both ways round, for other rooms.
      CREATE VIEW couples_apart AS
        SELECT couple_id AS one_id, blocked_id AS other_id FROM blocks
        UNION ALL SELECT blocked_id, couple_id FROM blocks;
      """,
      postgresql: [
        "users (display_name COLLATE NOCASE": "users (lower(display_name)",
        "couples (name COLLATE NOCASE": "couples (lower(name)",
      ]),
    Migration(
      "accounts standing 2: couples that moderators removed",
      """
      -- `hidden_at` is set then too, so that it is gone for everybody else.
      ALTER TABLE couples ADD COLUMN removed_at INTEGER;
      -- Removed, its page and its posts are nobody's.
      DROP VIEW couples_own;
      CREATE VIEW couples_own AS SELECT m.couple_id, m.user_id FROM couple_members m
        WHERE NOT EXISTS (
          SELECT 1 FROM couples c WHERE c.id = m.couple_id AND c.removed_at IS NOT NULL);
      """),
  ]
}
