import Database

/// The server's tables for a watchman (docs/developer/watchman.md#questions).
extension CheckInSchema {
  static let watchman = Migration(
    "checkin 10: a watchman",
    """
    -- The watchman, once it has asked; see docs/developer/watchman.md.
    CREATE TABLE watchman (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Of the latest change.
      version INTEGER NOT NULL,
      -- Up to which the watchman has said that it has the changes.
      acknowledged INTEGER NOT NULL,
      asked_at INTEGER NOT NULL,
      -- Seconds of silence after which it acts.
      silent_after INTEGER NOT NULL,
      -- Since when alerts wait for its next question.
      waiting_since INTEGER
    ) STRICT;
    -- The users whose alerts it does not know yet.
    CREATE TABLE watchman_changes (
      user_id BLOB PRIMARY KEY,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX watchman_changes_by_version ON watchman_changes (version);
    -- Whether the watchman sends the message.
    ALTER TABLE contact_mails ADD COLUMN by_watchman INTEGER NOT NULL DEFAULT 0
      CHECK (by_watchman IN (0, 1));
    CREATE INDEX contact_mails_at_watchman ON contact_mails (user_id)
      WHERE by_watchman = 1 AND state = 'waiting';
    \(watchmanTriggers)
    """)

  /// Records whose alerts have changed, for a watchman that has asked before.
  private static var watchmanTriggers: String {
    let tables = [
      "checkin_settings", "emergency_contacts", "contact_channels", "checkin_timers", "alerts",
    ]
    let changes =
      tables.flatMap { table in
        [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")].map { (table, $0, $1, "") }
      } + [("contact_mails", "UPDATE OF state", "NEW", " AND NEW.kind = 'alert'")]
    return changes.map { table, event, row, condition in
      """
      CREATE TRIGGER \(table)_watched_\(event.prefix(6).lowercased()) AFTER \(event) ON \(table)
      WHEN EXISTS (SELECT 1 FROM watchman)\(condition) BEGIN
        UPDATE watchman SET version = version + 1;
        INSERT INTO watchman_changes (user_id, version)
        SELECT \(row).user_id, version FROM watchman WHERE true
        ON CONFLICT (user_id) DO UPDATE SET version = excluded.version;
      END;
      """
    }.joined(separator: "\n")
  }
}
