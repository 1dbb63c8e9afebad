import Database

/// Undo links for address changes that the user did not make.
enum EmailUndoSchema {
  static let migrations = [
    Migration(
      "accounts 8: addresses that can be brought back",
      """
      -- One for each change: the link in the mail to the address of before.
      CREATE TABLE email_undos (
        token_hash BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        email_sealed BLOB NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX email_undos_by_user ON email_undos (user_id);
      CREATE INDEX email_undos_by_end ON email_undos (expires_at);
      """)
  ]

  static let passwordMigrations = [
    Migration(
      "accounts 8b: the password that brings an address back",
      """
      -- The hash of the password at the change. Null where there was none: then the link opens
      -- nothing.
      ALTER TABLE email_undos ADD COLUMN password_hash TEXT;
      """)
  ]
}
