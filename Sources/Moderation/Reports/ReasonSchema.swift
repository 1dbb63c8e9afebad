import Database

/// The queue by reason.
enum ReasonSchema {
  static let migrations = [
    Migration(
      "moderation 3: the queue by reason",
      """
      -- Which reasons were named for a case, with its place in the queue: so the queue of a reason
      -- that hardly anybody names is found without looking at all others. Kept by the triggers.
      CREATE TABLE case_reasons (
        reason TEXT NOT NULL,
        state TEXT NOT NULL,
        rank INTEGER NOT NULL,
        case_id BLOB NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
        PRIMARY KEY (reason, state, rank, case_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX case_reasons_by_case ON case_reasons (case_id, reason);
      INSERT OR IGNORE INTO case_reasons (reason, state, rank, case_id)
        SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c ON c.id = r.case_id;

      CREATE TRIGGER case_reasons_come AFTER INSERT ON reports BEGIN
        INSERT OR IGNORE INTO case_reasons (reason, state, rank, case_id)
          SELECT NEW.reason, c.state, c.rank, c.id FROM report_cases c WHERE c.id = NEW.case_id;
      END;
      CREATE TRIGGER case_reasons_move AFTER UPDATE OF state, rank ON report_cases
        WHEN OLD.state <> NEW.state OR OLD.rank <> NEW.rank BEGIN
        UPDATE case_reasons SET state = NEW.state, rank = NEW.rank WHERE case_id = NEW.id;
      END;
      CREATE TRIGGER case_reasons_go AFTER DELETE ON reports BEGIN
        DELETE FROM case_reasons WHERE case_id = OLD.case_id AND reason = OLD.reason
          AND NOT EXISTS (
            SELECT 1 FROM reports r WHERE r.case_id = OLD.case_id AND r.reason = OLD.reason);
      END;
      """)
  ]
}
