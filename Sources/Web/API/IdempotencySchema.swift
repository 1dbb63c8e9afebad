import Database

/// The responses to calls with an `Idempotency-Key`.
enum IdempotencySchema {
  static let migrations = [
    Migration(
      "web 2: idempotency keys",
      """
      CREATE TABLE idempotency_keys (
        person_id BLOB NOT NULL,
        key_hash BLOB NOT NULL,
        request_hash BLOB NOT NULL,
        -- Whose attempt it is: a secret of the one that runs.
        holder BLOB NOT NULL,
        -- 0 runs and has changed nothing, 1 has changed something, 2 is answered.
        state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
        lease_until INTEGER NOT NULL,
        status INTEGER,
        content_type TEXT,
        body_sealed BLOB,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (person_id, key_hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
      """)
  ]
}
