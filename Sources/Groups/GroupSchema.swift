import Database

/// The tables of groups (docs/developer/groups.md). Their constraints and triggers enforce the
/// invariants, also under concurrent writes.
public enum GroupSchema {
  public static let migrations = [
    Migration(
      "groups 1: groups, members, codes, places, waypoints and logs",
      """
      CREATE TABLE groups (
        id BLOB PRIMARY KEY,
        name TEXT NOT NULL,
        -- One of the members, so there is exactly one leader: never none, since it isn't null, and
        -- never two, since it is one column. A closed group that all have left has nobody.
        leader_id BLOB,
        -- Goes up with every change that a member sees.
        version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
        may_join INTEGER NOT NULL DEFAULT 1 CHECK (may_join IN (0, 1)),
        members_invite INTEGER NOT NULL DEFAULT 0 CHECK (members_invite IN (0, 1)),
        -- At most one waypoint is active, and it is one of this group's.
        active_waypoint_id BLOB,
        created_at INTEGER NOT NULL,
        closed_at INTEGER,
        CHECK (leader_id IS NOT NULL OR closed_at IS NOT NULL),
        -- Judged at the end of a transaction: handing over and leaving are several statements.
        FOREIGN KEY (id, leader_id) REFERENCES group_members (group_id, user_id)
          DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY (id, active_waypoint_id) REFERENCES waypoints (group_id, id)
          DEFERRABLE INITIALLY DEFERRED
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX groups_closed ON groups (closed_at) WHERE closed_at IS NOT NULL;
      CREATE INDEX groups_open ON groups (created_at) WHERE closed_at IS NULL;

      CREATE TABLE group_members (
        group_id BLOB NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- Names the membership itself: who leaves and comes again has another one.
        id BLOB NOT NULL UNIQUE,
        joined_at INTEGER NOT NULL,
        -- Until when they share their place; NULL for who doesn't.
        sharing_until INTEGER,
        PRIMARY KEY (group_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX group_members_by_user ON group_members (user_id, joined_at);
      CREATE INDEX group_members_sharing ON group_members (sharing_until)
        WHERE sharing_until IS NOT NULL;
      CREATE TRIGGER group_members_at_most BEFORE INSERT ON group_members
      WHEN (SELECT count(*) FROM group_members WHERE group_id = NEW.group_id) >= 250 BEGIN
        SELECT RAISE(ABORT, 'a group has at most 250 members');
      END;

      -- Whom the leader has removed: they stay out until they are allowed again.
      CREATE TABLE group_removals (
        group_id BLOB NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        removed_at INTEGER NOT NULL,
        PRIMARY KEY (group_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX group_removals_by_user ON group_removals (user_id);

      -- The last code of each group: one that is too old is still known as such, a renewed one is
      -- not. No two groups ever have the same.
      CREATE TABLE invite_codes (
        group_id BLOB PRIMARY KEY REFERENCES groups (id) ON DELETE CASCADE,
        code TEXT NOT NULL UNIQUE CHECK (
          length(code) = 6 AND code NOT GLOB '*[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]*'),
        made_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL CHECK (expires_at > made_at)
      ) STRICT, WITHOUT ROWID;

      -- The last place of each member, and no earlier one. It goes with the membership.
      CREATE TABLE member_locations (
        group_id BLOB NOT NULL,
        user_id BLOB NOT NULL,
        latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
        longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
        -- In m.
        accuracy REAL CHECK (accuracy BETWEEN 0 AND 10000000),
        -- When they were there.
        at INTEGER NOT NULL,
        -- When we heard of it.
        received_at INTEGER NOT NULL,
        PRIMARY KEY (group_id, user_id),
        FOREIGN KEY (group_id, user_id) REFERENCES group_members (group_id, user_id)
          ON DELETE CASCADE ON UPDATE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX member_locations_by_age ON member_locations (at);
      CREATE TRIGGER member_locations_only_shared BEFORE INSERT ON member_locations
      WHEN NOT EXISTS (SELECT 1 FROM group_members WHERE group_id = NEW.group_id
        AND user_id = NEW.user_id AND sharing_until IS NOT NULL) BEGIN
        SELECT RAISE(ABORT, 'a place that is not shared');
      END;
      CREATE TRIGGER group_members_forget AFTER UPDATE OF sharing_until ON group_members
      WHEN NEW.sharing_until IS NULL BEGIN
        DELETE FROM member_locations WHERE group_id = NEW.group_id AND user_id = NEW.user_id;
      END;
      CREATE TRIGGER groups_forget AFTER UPDATE OF closed_at ON groups
      WHEN NEW.closed_at IS NOT NULL BEGIN
        UPDATE group_members SET sharing_until = NULL
        WHERE group_id = NEW.id AND sharing_until IS NOT NULL;
      END;

      CREATE TABLE waypoints (
        id BLOB PRIMARY KEY,
        group_id BLOB NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
        longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
        created_at INTEGER NOT NULL,
        UNIQUE (group_id, id)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER waypoints_at_most BEFORE INSERT ON waypoints
      WHEN (SELECT count(*) FROM waypoints WHERE group_id = NEW.group_id) >= 20 BEGIN
        SELECT RAISE(ABORT, 'a group has at most 20 waypoints');
      END;

      -- What happened, by the version that it led to. Places are not among it: of those only the
      -- last is kept.
      CREATE TABLE group_events (
        group_id BLOB NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
        version INTEGER NOT NULL,
        kind TEXT NOT NULL,
        -- Whom it is about: who joined, who leads now, who sent a command.
        user_id BLOB REFERENCES users (id),
        note TEXT,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (group_id, version)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX group_events_by_user ON group_events (user_id) WHERE user_id IS NOT NULL;
      CREATE INDEX group_events_by_age ON group_events (created_at);
      """,
      postgresql: [
        "code NOT GLOB '*[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]*'":
          "code !~ '[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]'",
        // The tables that these keys point at are made later.
        """
        OR closed_at IS NOT NULL),
          -- Judged at the end of a transaction: handing over and leaving are several statements.
          FOREIGN KEY (id, leader_id) REFERENCES group_members (group_id, user_id)
            DEFERRABLE INITIALLY DEFERRED,
          FOREIGN KEY (id, active_waypoint_id) REFERENCES waypoints (group_id, id)
            DEFERRABLE INITIALLY DEFERRED
        """: "OR closed_at IS NOT NULL)",
        "CREATE INDEX group_events_by_age ON group_events (created_at);":
          """
        CREATE INDEX group_events_by_age ON group_events (created_at);
        ALTER TABLE groups
          ADD FOREIGN KEY (id, leader_id) REFERENCES group_members (group_id, user_id)
            DEFERRABLE INITIALLY DEFERRED,
          ADD FOREIGN KEY (id, active_waypoint_id) REFERENCES waypoints (group_id, id)
            DEFERRABLE INITIALLY DEFERRED;
        """,
      ]),
    Migration(
      "groups 2: longer codes for links",
      """
      -- Null for a code that was made before: its link holds the short one until it expires.
      ALTER TABLE invite_codes ADD COLUMN link_code TEXT CHECK (
        length(link_code) = 26
        AND link_code NOT GLOB '*[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]*');
      CREATE UNIQUE INDEX invite_codes_by_link ON invite_codes (link_code);
      """,
      postgresql: [
        "link_code NOT GLOB '*[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]*'":
          "link_code !~ '[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]'"
      ]),
    Migration(
      "groups 3: the groups of deleted accounts",
      """
      -- The open groups that a person was in when they deleted their account: a restored account
      -- is in them again.
      CREATE TABLE group_returns (
        user_id BLOB NOT NULL REFERENCES users (id),
        group_id BLOB NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
        left_at INTEGER NOT NULL,
        PRIMARY KEY (user_id, group_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX group_returns_by_group ON group_returns (group_id);
      """),
  ]
}
