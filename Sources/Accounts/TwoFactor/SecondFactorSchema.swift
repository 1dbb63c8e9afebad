import Database

/// Tables of second factors, pending sign-ins and setup links of staff
/// (docs/developer/sessions-and-tokens.md#signing-in).
enum SecondFactorSchema {
  static let migrations = [
    Migration(
      "accounts 5: second factors, recovery codes, enrolments of staff",
      """
      CREATE TABLE totp_secrets (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        secret_sealed BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        -- When a first right code turned it on; until then nobody is asked for one.
        confirmed_at INTEGER,
        -- The last step of 30 s that was used: none works twice.
        last_step INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX totp_secrets_unconfirmed ON totp_secrets (created_at)
        WHERE confirmed_at IS NULL;

      CREATE TABLE recovery_codes (
        user_id BLOB NOT NULL REFERENCES users (id),
        code_hash BLOB NOT NULL,
        used_at INTEGER,
        PRIMARY KEY (user_id, code_hash)
      ) STRICT, WITHOUT ROWID;

      -- Sign-ins with the right password that wait for a code. The browser's cookie holds a
      -- secret, the table its hash.
      CREATE TABLE waiting_sign_ins (
        token_hash BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        next TEXT NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX waiting_sign_ins_by_user ON waiting_sign_ins (user_id);
      CREATE INDEX waiting_sign_ins_by_end ON waiting_sign_ins (expires_at);

      CREATE TABLE staff_enrolments (
        token_hash BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX staff_enrolments_by_user ON staff_enrolments (user_id);
      CREATE INDEX staff_enrolments_by_end ON staff_enrolments (expires_at);
      """),
    Migration(
      "accounts, second factors 2: recovery codes that still have a fast hash",
      """
      CREATE INDEX recovery_codes_fast ON recovery_codes (user_id)
        WHERE length(code_hash) = 32;
      """),
  ]
}
