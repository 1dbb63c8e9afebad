import Database

/// Members' passkeys (docs/developer/passkeys.md).
enum PasskeySchema {
  static let migrations = [
    Migration(
      "accounts, passkeys 1: credentials",
      """
      CREATE TABLE passkeys (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The name of the member for authenticators: random bytes, the same for all of one member.
        user_handle BLOB NOT NULL,
        credential_id BLOB NOT NULL,
        -- In COSE.
        public_key BLOB NOT NULL,
        sign_count INTEGER NOT NULL,
        is_backup_eligible INTEGER NOT NULL,
        is_backed_up INTEGER NOT NULL,
        -- Separated by spaces.
        transports TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        -- The last use; NULL before the first.
        used_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id);
      CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);
      -- Challenges that were answered, until they expire.
      CREATE TABLE passkey_challenges (
        challenge_hash BLOB PRIMARY KEY,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);
      -- The passkey that began the session, which may be removed by now; NULL for other sessions.
      ALTER TABLE sessions ADD COLUMN passkey_id BLOB;
      """)
  ]
}
