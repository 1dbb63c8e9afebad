import Database

/// A number of each couple that changes with everything that a card of a post shows of the couple,
/// its members and its former members (docs/developer/database.md#versions-of-cards).
enum CoupleVersionSchema {
  static let migrations = [
    Migration(
      "accounts versions 1: versions of couples",
      """
      ALTER TABLE couples ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
      CREATE VIEW couples_versions AS SELECT id, anniversary, version FROM couples;

      CREATE TRIGGER couples_version AFTER UPDATE OF name, avatar, anniversary ON couples BEGIN
        UPDATE couples SET version = version + 1 WHERE id = new.id;
      END;
      CREATE TRIGGER users_version
        AFTER UPDATE OF display_name, avatar, deleted_at, couple_id, couple_side ON users BEGIN
        UPDATE couples SET version = version + 1 WHERE id IN (
          SELECT couple_id FROM couple_members WHERE user_id = new.id
          UNION SELECT old.couple_id UNION SELECT new.couple_id);
      END;
      CREATE TRIGGER users_version_added AFTER INSERT ON users WHEN new.couple_id IS NOT NULL BEGIN
        UPDATE couples SET version = version + 1 WHERE id = new.couple_id;
      END;
      CREATE TRIGGER users_version_removed AFTER DELETE ON users WHEN old.couple_id IS NOT NULL BEGIN
        UPDATE couples SET version = version + 1 WHERE id = old.couple_id;
      END;
      CREATE TRIGGER couple_members_version_added AFTER INSERT ON couple_members BEGIN
        UPDATE couples SET version = version + 1 WHERE id = new.couple_id;
      END;
      CREATE TRIGGER couple_members_version_removed AFTER DELETE ON couple_members BEGIN
        UPDATE couples SET version = version + 1 WHERE id = old.couple_id;
      END;
      """)
  ]

  static let viewMigrations = [
    Migration(
      "accounts versions 2: versions of open couples",
      """
      -- For the feed, which looks up once whether a couple is open and what its cards show of it.
      CREATE VIEW couples_open_versions AS SELECT id, anniversary, version FROM couples
        WHERE status IN ('active', 'single') AND hidden_at IS NULL;
      """)
  ]
}
