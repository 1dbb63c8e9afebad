import Database

/// Members' accounts with OpenID providers (docs/developer/sign-in-providers.md).
enum ProviderSchema {
  static let migrations = [
    Migration(
      "accounts, providers 1: linked identities",
      """
      CREATE TABLE provider_identities (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        issuer TEXT NOT NULL,
        -- Issuer and subject, with a space in between.
        identity_sealed BLOB NOT NULL,
        identity_hash BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        -- The last sign-in by it; NULL before the first.
        used_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX provider_identities_by_identity ON provider_identities (identity_hash);
      CREATE UNIQUE INDEX provider_identities_by_user ON provider_identities (user_id, issuer);
      """),
    Migration(
      "accounts, providers 2: sessions that a provider began",
      """
      -- When the provider stopped forwarding mail to the member's address; NULL while it does.
      ALTER TABLE provider_identities ADD COLUMN mail_stopped_at INTEGER;
      -- The linked account that began the session, which may be unlinked by now, and the SHA-256 of
      -- issuer and session at the provider; NULL for other sessions.
      ALTER TABLE sessions ADD COLUMN identity_id BLOB;
      ALTER TABLE sessions ADD COLUMN provider_session_hash BLOB;
      CREATE INDEX sessions_by_identity ON sessions (identity_id) WHERE identity_id IS NOT NULL;
      CREATE INDEX sessions_by_provider_session ON sessions (provider_session_hash)
        WHERE provider_session_hash IS NOT NULL;
      ALTER TABLE refresh_families ADD COLUMN identity_id BLOB;
      ALTER TABLE refresh_families ADD COLUMN provider_session_hash BLOB;
      CREATE INDEX refresh_families_by_identity ON refresh_families (identity_id)
        WHERE identity_id IS NOT NULL;
      CREATE INDEX refresh_families_by_provider_session ON refresh_families (provider_session_hash)
        WHERE provider_session_hash IS NOT NULL;
      ALTER TABLE waiting_sign_ins ADD COLUMN identity_id BLOB;
      ALTER TABLE waiting_sign_ins ADD COLUMN provider_session_hash BLOB;
      CREATE INDEX waiting_sign_ins_by_identity ON waiting_sign_ins (identity_id)
        WHERE identity_id IS NOT NULL;
      CREATE INDEX waiting_sign_ins_by_provider_session ON waiting_sign_ins (provider_session_hash)
        WHERE provider_session_hash IS NOT NULL;
      """),
  ]
}
