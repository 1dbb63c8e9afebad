import Database

/// The tables that belong to no feature: rate limits, responses to repeated forms, and totals.
public enum WebSchema {
  public static let migrations =
    [
      Migration(
        "web 1: limits and answers",
        """
        CREATE TABLE rate_limits (
          rule TEXT NOT NULL,
          subject BLOB NOT NULL,
          window_start INTEGER NOT NULL,
          ends_at INTEGER NOT NULL,
          count INTEGER NOT NULL,
          PRIMARY KEY (rule, subject, window_start)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX rate_limits_by_end ON rate_limits (ends_at);

        CREATE TABLE answers (
          person_id BLOB NOT NULL,
          nonce TEXT NOT NULL,
          content_hash BLOB NOT NULL,
          location TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          PRIMARY KEY (person_id, nonce, content_hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX answers_by_age ON answers (created_at);
        """)
    ] + IdempotencySchema.migrations + [
      Migration(
        "web 3: what only grows",
        """
        CREATE TABLE totals (
          name TEXT PRIMARY KEY,
          count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
    ]
}
