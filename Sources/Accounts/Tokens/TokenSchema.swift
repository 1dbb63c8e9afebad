import Database

/// Sign-ins of apps, and the bound devices (docs/api/authentication.md;
/// docs/developer/product.md#device-binding).
enum TokenSchema {
  static let migrations = [
    Migration(
      "accounts, apps 1: families of refresh tokens, bound devices",
      """
      -- One sign-in of an app; access tokens carry its id, and end with it.
      CREATE TABLE refresh_families (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The device that it named; NULL while it named none.
        device_id BLOB,
        -- Whether the device was named with the password, or bound first, by this sign-in: then
        -- signing out releases it. Naming what is bound already is no proof of being it.
        binds INTEGER NOT NULL CHECK (binds IN (0, 1)),
        app TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX refresh_families_by_user ON refresh_families (user_id);
      CREATE INDEX refresh_families_by_end ON refresh_families (expires_at);

      CREATE TABLE refresh_tokens (
        token_hash BLOB PRIMARY KEY,
        family_id BLOB NOT NULL REFERENCES refresh_families (id) ON DELETE CASCADE,
        expires_at INTEGER NOT NULL,
        used_at INTEGER,
        -- The pair that it was exchanged for, which only this token opens.
        successor_sealed BLOB
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_id);
      CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at);
      CREATE INDEX refresh_tokens_sealed ON refresh_tokens (used_at)
        WHERE successor_sealed IS NOT NULL;

      -- The one device on which a person's workouts are recorded.
      CREATE TABLE device_bindings (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        device_id BLOB NOT NULL,
        name TEXT NOT NULL,
        bound_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Devices on which somebody was in with the password that holds, as keyed hashes of both.
      CREATE TABLE known_devices (
        user_id BLOB NOT NULL REFERENCES users (id),
        mark BLOB NOT NULL,
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (user_id, mark)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX known_devices_by_age ON known_devices (seen_at);

      -- Codes that were mailed to ask somebody again who they are; hashed with a key.
      CREATE TABLE mailed_codes (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        code_hash BLOB NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mailed_codes_by_end ON mailed_codes (expires_at);

      -- Who followed the link of a registration with an app, and completes it there.
      CREATE TABLE completion_tokens (
        token_hash BLOB PRIMARY KEY,
        registration_id BLOB NOT NULL REFERENCES registrations (id) ON DELETE CASCADE,
        side INTEGER NOT NULL CHECK (side IN (1, 2)),
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX completion_tokens_by_registration
        ON completion_tokens (registration_id, side);
      CREATE INDEX completion_tokens_by_end ON completion_tokens (expires_at);
      """),
    Migration(
      "accounts, apps 2: tries of mailed codes",
      "ALTER TABLE mailed_codes ADD COLUMN tries INTEGER NOT NULL DEFAULT 0"),
  ]
}
