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
      """)
  ]
}
