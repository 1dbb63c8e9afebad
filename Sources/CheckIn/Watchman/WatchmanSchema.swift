import Database

/// The tables of a watchman, in a database of its own (docs/developer/watchman.md#keys).
enum WatchmanSchema {
  static let migrations = [
    Migration(
      "watchman 1: the list of a server, and what was sent",
      """
      CREATE TABLE server (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        -- Of the list.
        version INTEGER NOT NULL,
        -- Seconds without an answer while the watchman ran.
        silent INTEGER NOT NULL,
        -- Until when the server holds alerts; NULL if it doesn't.
        held_until INTEGER,
        -- Whether the operator was told about the silence.
        is_reported INTEGER NOT NULL CHECK (is_reported IN (0, 1))
      ) STRICT;
      INSERT INTO server (id, version, silent, is_reported) VALUES (1, 0, 0, 0);
      CREATE TABLE watched_alerts (
        person BLOB NOT NULL,
        reference TEXT NOT NULL,
        moment INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (person, reference)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX watched_alerts_by_moment ON watched_alerts (moment);
      CREATE TABLE told_alerts (
        id BLOB PRIMARY KEY,
        person BLOB NOT NULL,
        reference TEXT NOT NULL,
        moment INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        told_at INTEGER NOT NULL,
        silent_since INTEGER NOT NULL,
        -- When the server was last told about it; 0 for never.
        reported_at INTEGER NOT NULL DEFAULT 0,
        is_settled INTEGER NOT NULL DEFAULT 0 CHECK (is_settled IN (0, 1))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX told_alerts_to_settle ON told_alerts (reported_at) WHERE is_settled = 0;
      CREATE INDEX told_alerts_by_time ON told_alerts (told_at);
      CREATE TABLE messages (
        id BLOB PRIMARY KEY,
        -- NULL for a message to the operator.
        alert_id BLOB REFERENCES told_alerts (id) ON DELETE CASCADE,
        contact BLOB,
        -- NULL for mail.
        channel BLOB,
        -- The number of the operator's address in the settings.
        operator INTEGER,
        -- Whether the message says that the server is back.
        is_back INTEGER NOT NULL DEFAULT 0 CHECK (is_back IN (0, 1)),
        state TEXT NOT NULL,
        send_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX messages_to_send ON messages (send_at) WHERE state = 'waiting';
      CREATE INDEX messages_by_alert ON messages (alert_id);
      """)
  ]
}
