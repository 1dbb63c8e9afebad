import Database

/// What Apple says of a transaction, by its newest word; and rows of its transactions that nobody
/// changes behind our back.
enum ReceiptSchema {
  static let migrations = [
    Migration(
      "wallet 2: Apple's newest word on each transaction, and rows that stay as they are",
      """
      CREATE TABLE apple_receipts (
        -- Keyed, so that nobody finds out from it who bought what.
        hash BLOB PRIMARY KEY,
        -- NULL once the account is purged, and where the refund came before the purchase.
        user_id BLOB REFERENCES users (id) ON DELETE SET NULL,
        coins INTEGER NOT NULL CHECK (coins >= 0),
        created_at INTEGER NOT NULL,
        -- Since when we know that Apple gave the money back, as long as it has.
        refunded_at INTEGER,
        -- When Apple signed the newest word that we heard on whether it has: older ones are late.
        state_signed_at INTEGER
      ) STRICT, WITHOUT ROWID;
      -- What was heard so far counts as signed when it was heard.
      INSERT INTO apple_receipts (hash, user_id, coins, created_at, refunded_at, state_signed_at)
        SELECT hash, user_id, coins, created_at, refunded_at, coalesce(refunded_at, spared_at)
        FROM apple_transactions;
      DROP TABLE apple_transactions;
      ALTER TABLE apple_receipts RENAME TO apple_transactions;
      CREATE INDEX apple_transactions_by_person ON apple_transactions (user_id)
        WHERE user_id IS NOT NULL;

      CREATE TRIGGER apple_transactions_keep BEFORE DELETE ON apple_transactions
        BEGIN SELECT RAISE(ABORT, 'Apple''s transactions stay for ever'); END;
      -- REPLACE deletes without asking the trigger before.
      CREATE TRIGGER apple_transactions_once BEFORE INSERT ON apple_transactions
        WHEN EXISTS (SELECT 1 FROM apple_transactions WHERE hash = NEW.hash)
        BEGIN SELECT RAISE(ABORT, 'this transaction of Apple''s is known'); END;
      -- Who was paid and how much is said once. The person's row is gone before their name is.
      CREATE TRIGGER apple_transactions_stay
        BEFORE UPDATE OF hash, user_id, coins ON apple_transactions
        WHEN NEW.hash IS NOT OLD.hash
          OR ((OLD.user_id IS NOT NULL OR OLD.coins <> 0) AND (NEW.coins IS NOT OLD.coins
            OR (NEW.user_id IS NOT OLD.user_id AND (NEW.user_id IS NOT NULL
              OR EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)))))
        BEGIN SELECT RAISE(ABORT, 'what Apple''s transactions paid stays as it is'); END;
      """)
  ]
}
