import Database

/// Sequence numbers of the log, and which cases moderators were notified of.
enum AuditLogSchema {
  static let migrations = [
    Migration(
      "moderation 2: the log has numbers, and what waits is told once",
      """
      -- Identifiers of one millisecond have no order among themselves; numbers do, and a missing
      -- one shows that a line was taken out behind our back.
      CREATE TABLE staff_lines (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        -- NULL for who sits at the server itself.
        actor BLOB,
        actor_name TEXT NOT NULL,
        action TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject BLOB,
        couple BLOB,
        details TEXT NOT NULL,
        note TEXT NOT NULL
      ) STRICT;
      INSERT INTO staff_lines (at, actor, actor_name, action, kind, subject, couple, details, note)
        SELECT at, actor, actor_name, action, kind, subject, couple, details, note
        FROM staff_log ORDER BY id;
      DROP TABLE staff_log;
      ALTER TABLE staff_lines RENAME TO staff_log;
      CREATE TRIGGER staff_log_stays BEFORE UPDATE ON staff_log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
      CREATE TRIGGER staff_log_keeps BEFORE DELETE ON staff_log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
      -- REPLACE deletes without asking the trigger before.
      CREATE TRIGGER staff_log_appends BEFORE INSERT ON staff_log
        WHEN EXISTS (SELECT 1 FROM staff_log WHERE number = NEW.number)
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

      -- Whether moderators were written to since it waits.
      ALTER TABLE report_cases ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX report_cases_untold ON report_cases (state) WHERE told = 0;
      """)
  ]
}
