import Database

/// Push subscriptions and the outbox.
public enum PushSchema {
  public static let migrations = [
    Migration(
      "notices 2: push subscriptions and their outbox",
      """
      -- Bound to the sign-in that made it: when that ends, however it ends, it is gone.
      CREATE TABLE push_subscriptions (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        session_hash BLOB UNIQUE
          REFERENCES sessions (token_hash) ON DELETE CASCADE ON UPDATE CASCADE,
        family_id BLOB UNIQUE REFERENCES refresh_families (id) ON DELETE CASCADE,
        endpoint TEXT NOT NULL UNIQUE,
        host TEXT NOT NULL,
        point BLOB NOT NULL CHECK (length(point) = 65),
        secret BLOB NOT NULL CHECK (length(secret) = 16),
        created_at INTEGER NOT NULL,
        CHECK ((session_hash IS NULL) <> (family_id IS NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);
      CREATE INDEX push_subscriptions_by_host ON push_subscriptions (host);

      CREATE TABLE push_outbox (
        -- Another one when a later push of the same topic takes its place.
        id BLOB PRIMARY KEY,
        subscription_id BLOB NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        subject BLOB,
        path TEXT NOT NULL,
        topic TEXT NOT NULL,
        is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
        -- When it is due; while somebody sends it, when their lease ends.
        run_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        -- From when on it says nothing to anybody.
        ends_at INTEGER NOT NULL,
        UNIQUE (subscription_id, topic)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX push_outbox_by_due ON push_outbox (run_at);
      """)
  ]

  /// Migrations that come after those of the module's other tables.
  static let later = [
    Migration(
      "notices 4: what was pushed already",
      """
      CREATE TABLE push_memory (
        user_id BLOB NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL,
        subject BLOB NOT NULL,
        actor_id BLOB NOT NULL REFERENCES users (id),
        event TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (user_id, kind, subject, actor_id, event)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX push_memory_by_actor ON push_memory (actor_id);
      CREATE INDEX push_memory_by_age ON push_memory (at);
      CREATE INDEX push_outbox_by_subject ON push_outbox (subject, kind) WHERE subject IS NOT NULL;
      CREATE INDEX push_outbox_by_end ON push_outbox (ends_at);
      -- What is told no more on the page isn't pushed either, when it still waits; unless somebody
      -- else is yet to be heard about the same: an emergency outlives another's call for a rest.
      CREATE TRIGGER notifications_gone AFTER DELETE ON notifications
      WHEN OLD.subject IS NOT NULL AND OLD.read_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM notifications n WHERE n.subject = OLD.subject AND n.kind = OLD.kind
          AND n.user_id = OLD.user_id AND n.read_at IS NULL) BEGIN
        -- Nobody heard of it yet: done again, it is news.
        DELETE FROM push_memory WHERE user_id = OLD.user_id AND kind = OLD.kind
          AND subject = OLD.subject AND EXISTS (
            SELECT 1 FROM push_outbox o JOIN push_subscriptions s ON s.id = o.subscription_id
            WHERE o.subject = OLD.subject AND o.kind = OLD.kind AND s.user_id = OLD.user_id);
        DELETE FROM push_outbox WHERE subject = OLD.subject AND kind = OLD.kind
          AND subscription_id IN (SELECT id FROM push_subscriptions WHERE user_id = OLD.user_id);
      END;
      """)
  ]
}
