import Database

/// Tables of guests besides their rows in `users` (docs/developer/accounts.md#guests).
enum GuestSchema {
  static let migrations = [
    Migration(
      "accounts 3: guests' recovery codes, and guests who become members",
      """
      CREATE TABLE guest_codes (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        -- SHA-256 of the code's letters.
        code_hash BLOB NOT NULL,
        made_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX guest_codes_by_hash ON guest_codes (code_hash);

      -- The guest who becomes a member by this registration, and keeps what they have.
      ALTER TABLE registrations ADD COLUMN guest_id BLOB REFERENCES users (id);
      CREATE INDEX registrations_by_guest ON registrations (guest_id)
        WHERE guest_id IS NOT NULL;
      """),
    Migration(
      "accounts, guests 2: recovery codes with slow hashes",
      """
      -- In the place of guest_codes, whose rows move here when a code is used next.
      CREATE TABLE guest_recovery_codes (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        -- HMAC of the first four letters, by which the few rows are found that may fit.
        selector BLOB NOT NULL,
        -- A salted slow hash of all letters.
        code_hash TEXT NOT NULL,
        made_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX guest_recovery_codes_by_selector ON guest_recovery_codes (selector);
      """),
  ]
}
