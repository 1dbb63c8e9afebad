import Database

/// Reports, decisions and the audit log (docs/developer/moderation.md).
enum ReportSchema {
  static let migrations = [
    Migration(
      "moderation 1: reports, decisions, appeals, notices, log",
      """
      -- One for each thing that was ever reported: all reports on it together.
      CREATE TABLE report_cases (
        id BLOB PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('post', 'couple', 'person')),
        thing_id BLOB NOT NULL,
        couple_id BLOB,
        -- Whose a post is, or who a person; a couple is both people's.
        author_id BLOB REFERENCES users (id),
        state TEXT NOT NULL CHECK (
          state IN ('open', 'appealed', 'dismissed', 'hidden', 'removed', 'suspended')),
        thing_state TEXT NOT NULL CHECK (thing_state IN ('shown', 'hidden', 'removed')),
        -- Every decision, appeal and new round makes it one more.
        version INTEGER NOT NULL,
        -- Reports are of a round; a decision ends it.
        round INTEGER NOT NULL,
        -- Reporters of the round, the two of a couple as one.
        reporters INTEGER NOT NULL,
        waiting_since INTEGER NOT NULL,
        -- Its place: waiting ones the oldest and most reported first, decided ones the latest.
        rank INTEGER NOT NULL,
        decision TEXT CHECK (decision IN ('dismiss', 'hide', 'remove', 'warn', 'suspend')),
        decision_note TEXT NOT NULL DEFAULT '',
        decided_by TEXT NOT NULL DEFAULT '',
        decided_at INTEGER,
        suspended_days INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX report_cases_by_thing ON report_cases (kind, thing_id);
      CREATE INDEX report_cases_queue ON report_cases (state, rank, id);
      CREATE INDEX report_cases_by_couple ON report_cases (couple_id, rank, id)
        WHERE couple_id IS NOT NULL;
      CREATE INDEX report_cases_by_author ON report_cases (author_id)
        WHERE author_id IS NOT NULL;

      CREATE TABLE reports (
        id BLOB PRIMARY KEY,
        case_id BLOB NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
        round INTEGER NOT NULL,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The reporter's couple, or who is alone: the two of a couple count as one.
        reporter_key BLOB NOT NULL,
        -- 0 for a reporter whose last ones were all rejected.
        counts INTEGER NOT NULL,
        reason TEXT NOT NULL CHECK (reason IN (
          'spam', 'harassment', 'nudity', 'violence', 'false_information', 'other')),
        note TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'rejected', 'upheld')),
        created_at INTEGER NOT NULL,
        decided_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX reports_open ON reports (case_id, user_id) WHERE state = 'open';
      CREATE INDEX reports_by_case ON reports (case_id, round, reporter_key);
      CREATE INDEX reports_by_person ON reports (user_id, created_at DESC, id DESC);

      CREATE TABLE decisions (
        id BLOB PRIMARY KEY,
        case_id BLOB NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
        couple_id BLOB,
        decision TEXT NOT NULL,
        suspended_days INTEGER,
        note TEXT NOT NULL,
        -- The name of the moderator at that moment.
        decided_by TEXT NOT NULL,
        decided_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX decisions_by_case ON decisions (case_id, decided_at);
      CREATE INDEX decisions_by_couple ON decisions (couple_id, decided_at DESC)
        WHERE couple_id IS NOT NULL;

      -- At most one for each thing.
      CREATE TABLE appeals (
        case_id BLOB PRIMARY KEY REFERENCES report_cases (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        words TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        decided_at INTEGER,
        granted INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX appeals_by_person ON appeals (user_id);

      -- What people are to be told of: read by the room that tells them.
      CREATE TABLE moderation_notices (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        case_id BLOB NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
        kind TEXT NOT NULL CHECK (kind IN (
          'report_upheld', 'report_rejected', 'hidden_meanwhile', 'hidden', 'removed', 'warned',
          'suspended', 'shown_again', 'appeal_granted', 'appeal_refused')),
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX moderation_notices_by_person ON moderation_notices (user_id, id);
      CREATE INDEX moderation_notices_by_case ON moderation_notices (case_id);

      -- Every action of every moderator. Nobody changes or removes a line; it names people and
      -- things by identifiers, and moderators by the name they had.
      CREATE TABLE staff_log (
        id BLOB PRIMARY KEY,
        at INTEGER NOT NULL,
        actor BLOB NOT NULL,
        actor_name TEXT NOT NULL,
        action TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject BLOB,
        couple BLOB,
        details TEXT NOT NULL,
        note TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER staff_log_stays BEFORE UPDATE ON staff_log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
      CREATE TRIGGER staff_log_keeps BEFORE DELETE ON staff_log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

      -- When moderators were last written to.
      CREATE TABLE moderator_mail (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        sent_at INTEGER NOT NULL
      ) STRICT;
      """)
  ]

  static let later = [
    Migration(
      "moderation 4: reports of comments",
      """
      -- 'comment' for a comment, whose kind is 'post': the check of that column allows no other.
      ALTER TABLE report_cases ADD COLUMN part TEXT NOT NULL DEFAULT ''
        CHECK (part IN ('', 'comment'));
      """)
  ]

  static let ofMessages = [
    Migration(
      "moderation 6: reports of messages",
      """
      -- Whether it is a message, whose kind is 'post': neither column's check allows another.
      ALTER TABLE report_cases ADD COLUMN is_message INTEGER NOT NULL DEFAULT 0
        CHECK (is_message IN (0, 1));
      """)
  ]

  static let ofMoments = [
    Migration(
      "moderation 7: reports of moments",
      """
      -- Whether it is a moment, whose kind is 'post'.
      ALTER TABLE report_cases ADD COLUMN is_moment INTEGER NOT NULL DEFAULT 0
        CHECK (is_moment IN (0, 1));
      """)
  ]
}
