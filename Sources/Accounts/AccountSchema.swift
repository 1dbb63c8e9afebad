import Database

/// Users, couples, sessions and pending registrations (docs/developer/data-protection.md).
public enum AccountSchema {
  public static let migrations = [
    Migration(
      "accounts 1: people, couples, sessions, registrations",
      """
      CREATE TABLE couples (
        id BLOB PRIMARY KEY,
        name TEXT NOT NULL,
        -- Days since 1970-01-01; a lone member has none.
        anniversary INTEGER,
        bio TEXT NOT NULL DEFAULT '',
        -- The small picture's path below the media folder.
        avatar TEXT,
        status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'single', 'frozen')),
        created_at INTEGER NOT NULL,
        frozen_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX couples_by_avatar ON couples (avatar) WHERE avatar IS NOT NULL;

      CREATE TABLE users (
        id BLOB PRIMARY KEY,
        role INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
        display_name TEXT NOT NULL,
        email_sealed BLOB,
        email_hash BLOB,
        password_hash TEXT,
        couple_id BLOB REFERENCES couples (id),
        -- 1 or 2: so a couple never has three.
        couple_side INTEGER CHECK (couple_side IN (1, 2)),
        avatar TEXT,
        language TEXT,
        theme TEXT,
        time_zone TEXT,
        terms_version TEXT NOT NULL,
        terms_accepted_at INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        deleted_at INTEGER,
        CHECK ((couple_id IS NULL) = (couple_side IS NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX users_by_email ON users (email_hash)
        WHERE email_hash IS NOT NULL AND deleted_at IS NULL;
      CREATE UNIQUE INDEX users_by_couple ON users (couple_id, couple_side)
        WHERE couple_id IS NOT NULL;
      CREATE UNIQUE INDEX users_by_avatar ON users (avatar) WHERE avatar IS NOT NULL;

      CREATE TABLE couple_members (
        couple_id BLOB NOT NULL REFERENCES couples (id),
        user_id BLOB NOT NULL REFERENCES users (id),
        joined_at INTEGER NOT NULL,
        left_at INTEGER,
        PRIMARY KEY (couple_id, user_id, joined_at)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX couple_members_by_user ON couple_members (user_id);

      CREATE TABLE sessions (
        token_hash BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        created_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        browser TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sessions_by_user ON sessions (user_id);
      CREATE INDEX sessions_by_end ON sessions (expires_at);

      CREATE TABLE registrations (
        id BLOB PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('couple', 'alone')),
        couple_name TEXT NOT NULL,
        anniversary INTEGER,
        display_name TEXT NOT NULL,
        password_hash TEXT,
        language TEXT NOT NULL,
        terms_version TEXT NOT NULL,
        -- The browser that registered: a hash of its pre-session.
        browser_hash BLOB NOT NULL,
        couple_id BLOB REFERENCES couples (id),
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX registrations_by_browser ON registrations (browser_hash, created_at);
      CREATE INDEX registrations_by_couple ON registrations (couple_id)
        WHERE couple_id IS NOT NULL;
      CREATE INDEX registrations_by_age ON registrations (created_at);

      CREATE TABLE registration_sides (
        registration_id BLOB NOT NULL REFERENCES registrations (id) ON DELETE CASCADE,
        side INTEGER NOT NULL CHECK (side IN (1, 2)),
        email_sealed BLOB NOT NULL,
        email_hash BLOB NOT NULL,
        sent_at INTEGER NOT NULL,
        user_id BLOB REFERENCES users (id),
        completed_at INTEGER,
        PRIMARY KEY (registration_id, side)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX registration_sides_by_user ON registration_sides (user_id)
        WHERE user_id IS NOT NULL;

      CREATE TABLE verification_tokens (
        token_hash BLOB PRIMARY KEY,
        purpose TEXT NOT NULL CHECK (purpose IN ('register', 'reset')),
        registration_id BLOB REFERENCES registrations (id) ON DELETE CASCADE,
        side INTEGER,
        user_id BLOB REFERENCES users (id),
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        used_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX verification_tokens_by_registration
        ON verification_tokens (registration_id, side) WHERE registration_id IS NOT NULL;
      CREATE INDEX verification_tokens_by_user ON verification_tokens (user_id)
        WHERE user_id IS NOT NULL;
      CREATE INDEX verification_tokens_by_end ON verification_tokens (expires_at);

      -- What other features may know of couples and people: they read these two views, never
      -- the tables. A person who was deleted has left both.
      CREATE VIEW people_seen AS
        SELECT id, display_name AS name, avatar FROM users WHERE deleted_at IS NULL;
      CREATE VIEW couples_seen AS
        SELECT c.id, c.name, c.anniversary, c.status, c.avatar,
               a.display_name AS first_name, a.avatar AS first_avatar,
               b.display_name AS second_name, b.avatar AS second_avatar
        FROM couples c
        LEFT JOIN users a ON a.couple_id = c.id AND a.couple_side = 1 AND a.deleted_at IS NULL
        LEFT JOIN users b ON b.couple_id = c.id AND b.couple_side = 2 AND b.deleted_at IS NULL;
      """),
    Migration(
      "accounts 2: couples whose posts are open to everybody",
      """
      -- Whose public posts everybody may see. Apart from couples_seen, because a feed asks this
      -- of many posts and needs no names for it.
      CREATE VIEW couples_open AS SELECT id FROM couples WHERE status IN ('active', 'single');
      """),
  ]
}
