import Database

/// Wallets and their lines, Apple's transactions, vouchers, promotions (docs/developer/wallet.md).
enum WalletSchema {
  static let migrations = [
    Migration(
      "wallet 1: wallets, coins, Apple's transactions, vouchers, promotions",
      """
      CREATE TABLE user_wallets (
        user_id BLOB PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0),
        -- What Apple gave back but the wallet no longer had: the next purchase pays it first.
        owed INTEGER NOT NULL DEFAULT 0 CHECK (owed >= 0)
      ) STRICT, WITHOUT ROWID;

      -- Every change of a wallet, never changed or removed but with the purged account.
      CREATE TABLE coin_transactions (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        -- Its place in the wallet, from 1 without a gap.
        number INTEGER NOT NULL,
        type TEXT NOT NULL CHECK (type IN ('purchase', 'spend', 'grant', 'refund')),
        amount INTEGER NOT NULL CHECK (
          CASE type WHEN 'spend' THEN amount < 0
            -- Above 0 where Apple took a refund back.
            WHEN 'refund' THEN amount <> 0 ELSE amount > 0 END),
        balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
        -- The post that was promoted, and for how many days.
        post_id BLOB,
        days INTEGER,
        created_at INTEGER NOT NULL,
        -- The hash of the receipt that was bought or of the code that was used, for what came by one.
        source BLOB CHECK (
          CASE WHEN type IN ('purchase', 'grant') THEN source IS NOT NULL ELSE source IS NULL END)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX coin_transactions_by_wallet ON coin_transactions (user_id, number);
      -- Whatever happens, a receipt and a code pay once.
      CREATE UNIQUE INDEX coin_transactions_once ON coin_transactions (source)
        WHERE source IS NOT NULL;

      -- The balance is the sum of the lines: each begins where the one before it ended, and the
      -- wallet follows the last one.
      CREATE TRIGGER coin_transactions_fit BEFORE INSERT ON coin_transactions
        WHEN NEW.balance_after IS NOT
            (SELECT balance + NEW.amount FROM user_wallets WHERE user_id = NEW.user_id)
          OR NEW.number IS NOT 1 + coalesce(
            (SELECT number FROM coin_transactions WHERE user_id = NEW.user_id
             ORDER BY number DESC LIMIT 1), 0)
          OR EXISTS (SELECT 1 FROM coin_transactions WHERE id = NEW.id)
          OR EXISTS (SELECT 1 FROM coin_transactions WHERE source = NEW.source)
        BEGIN SELECT RAISE(ABORT, 'this line does not follow the wallet''s last one'); END;
      CREATE TRIGGER coin_transactions_count AFTER INSERT ON coin_transactions
        BEGIN
          UPDATE user_wallets SET balance = NEW.balance_after WHERE user_id = NEW.user_id;
        END;
      CREATE TRIGGER coin_transactions_stay BEFORE UPDATE ON coin_transactions
        BEGIN SELECT RAISE(ABORT, 'coins are append-only'); END;
      -- A person's row is gone before what hangs on it follows.
      CREATE TRIGGER coin_transactions_keep BEFORE DELETE ON coin_transactions
        WHEN EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)
        BEGIN SELECT RAISE(ABORT, 'coins are append-only'); END;
      CREATE TRIGGER user_wallets_begin BEFORE INSERT ON user_wallets
        WHEN NEW.balance <> 0 OR NEW.owed <> 0
          OR EXISTS (SELECT 1 FROM user_wallets WHERE user_id = NEW.user_id)
        BEGIN SELECT RAISE(ABORT, 'a wallet begins empty, and once'); END;
      CREATE TRIGGER user_wallets_follow BEFORE UPDATE OF user_id, balance ON user_wallets
        WHEN NEW.user_id IS NOT OLD.user_id OR NEW.balance IS NOT coalesce(
          (SELECT balance_after FROM coin_transactions WHERE user_id = NEW.user_id
           ORDER BY number DESC LIMIT 1), 0)
        BEGIN SELECT RAISE(ABORT, 'a balance is the sum of its lines'); END;
      CREATE TRIGGER user_wallets_keep BEFORE DELETE ON user_wallets
        WHEN EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)
        BEGIN SELECT RAISE(ABORT, 'a wallet goes with its person alone'); END;

      -- Every transaction of Apple's that was ever seen: each pays once, for one person, for ever.
      CREATE TABLE apple_transactions (
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

      -- What Apple's server told of refunds: it tells again until it is sure of having been heard,
      -- and not always in order.
      CREATE TABLE apple_notifications (
        hash BLOB PRIMARY KEY,
        heard_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Codes that an admin made together.
      CREATE TABLE vouchers (
        id BLOB PRIMARY KEY,
        coins INTEGER NOT NULL CHECK (coins > 0),
        count INTEGER NOT NULL CHECK (count > 0),
        expires_at INTEGER NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE voucher_codes (
        code_hash BLOB PRIMARY KEY,
        voucher_id BLOB NOT NULL REFERENCES vouchers (id),
        used_at INTEGER,
        used_by BLOB REFERENCES users (id) ON DELETE SET NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX voucher_codes_by_voucher ON voucher_codes (voucher_id, used_at);
      CREATE INDEX voucher_codes_by_person ON voucher_codes (used_by) WHERE used_by IS NOT NULL;

      CREATE TABLE promotions (
        post_id BLOB PRIMARY KEY REFERENCES posts (id) ON DELETE CASCADE,
        promoted_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX promotions_running ON promotions (promoted_until, post_id);
      """)
  ]
}
