import Database

/// Address changes that are not confirmed yet.
enum EmailChangeSchema {
  static let migrations = [
    Migration(
      "accounts 4: addresses that wait for their link",
      """
      -- At most one a person: a newer wish replaces the older one, and its link.
      CREATE TABLE email_changes (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        token_hash BLOB NOT NULL,
        email_sealed BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX email_changes_by_token ON email_changes (token_hash);
      CREATE INDEX email_changes_by_end ON email_changes (expires_at);
      """)
  ]
}
