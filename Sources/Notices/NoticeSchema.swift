import Database

/// Notices, their actors, and the users' settings.
public enum NoticeSchema {
  public static let migrations = [
    Migration(
      "notices 1: notices, who did it, what is wanted",
      """
      CREATE TABLE notifications (
        -- Sorts by time: what has been read is everything up to one of them.
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL,
        -- What it is about: the identifier of a post, a group, a couple.
        subject BLOB CHECK (length(subject) = 16),
        event TEXT NOT NULL,
        detail TEXT NOT NULL,
        path TEXT NOT NULL CHECK (path GLOB '/*' AND path NOT GLOB '//*'),
        created_at INTEGER NOT NULL,
        read_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notifications_by_user ON notifications (user_id, id);
      CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL;
      CREATE INDEX notifications_by_subject ON notifications (subject, kind, user_id)
        WHERE subject IS NOT NULL;
      CREATE INDEX notifications_by_age ON notifications (created_at);

      CREATE TABLE notification_actors (
        notification_id BLOB NOT NULL
          REFERENCES notifications (id) ON DELETE CASCADE ON UPDATE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- As which couple they did it.
        couple_id BLOB REFERENCES couples (id) ON DELETE SET NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (notification_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notification_actors_by_user ON notification_actors (user_id);
      CREATE INDEX notification_actors_by_couple ON notification_actors (couple_id)
        WHERE couple_id IS NOT NULL;
      -- What nobody has done any more is told no more.
      CREATE TRIGGER notification_actors_last AFTER DELETE ON notification_actors
      WHEN NOT EXISTS (SELECT 1 FROM notification_actors
        WHERE notification_id = OLD.notification_id) BEGIN
        DELETE FROM notifications WHERE id = OLD.notification_id;
      END;
      -- Couples that see nothing of each other have nothing to tell each other (feed.md), whoever
      -- writes the block.
      CREATE TRIGGER notifications_end_at_blocks AFTER INSERT ON blocks BEGIN
        DELETE FROM notification_actors WHERE (notification_id, user_id) IN (
          SELECT a.notification_id, a.user_id FROM users other
          JOIN notification_actors a ON a.user_id = other.id
          JOIN notifications n ON n.id = a.notification_id AND n.kind <> 'group_call'
          JOIN users one ON one.id = n.user_id AND one.couple_id = NEW.couple_id
          WHERE other.couple_id = NEW.blocked_id);
        DELETE FROM notification_actors WHERE (notification_id, user_id) IN (
          SELECT a.notification_id, a.user_id FROM users other
          JOIN notification_actors a ON a.user_id = other.id
          JOIN notifications n ON n.id = a.notification_id AND n.kind <> 'group_call'
          JOIN users one ON one.id = n.user_id AND one.couple_id = NEW.blocked_id
          WHERE other.couple_id = NEW.couple_id);
      END;

      -- Only what differs from how it is at first: told on the page, and pushed.
      CREATE TABLE notice_settings (
        user_id BLOB NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL,
        on_page INTEGER NOT NULL CHECK (on_page IN (0, 1)),
        by_push INTEGER NOT NULL CHECK (by_push IN (0, 1)),
        PRIMARY KEY (user_id, kind)
      ) STRICT, WITHOUT ROWID;
      """,
      postgresql: [
        "path GLOB '/*' AND path NOT GLOB '//*'": "path LIKE '/%' AND path NOT LIKE '//%'"
      ]),
    Migration(
      "notices 2: a second name in a notice; what is about a group stays when couples block each other",
      """
      ALTER TABLE notifications ADD COLUMN note TEXT NOT NULL DEFAULT '';

      DROP TRIGGER notifications_end_at_blocks;
      CREATE TRIGGER notifications_end_at_blocks AFTER INSERT ON blocks BEGIN
        DELETE FROM notification_actors WHERE (notification_id, user_id) IN (
          SELECT a.notification_id, a.user_id FROM users other
          JOIN notification_actors a ON a.user_id = other.id
          JOIN notifications n ON n.id = a.notification_id AND n.kind NOT IN (
            'group_call', 'group_emergency', 'group_waypoint', 'group_change')
          JOIN users one ON one.id = n.user_id AND one.couple_id = NEW.couple_id
          WHERE other.couple_id = NEW.blocked_id);
        DELETE FROM notification_actors WHERE (notification_id, user_id) IN (
          SELECT a.notification_id, a.user_id FROM users other
          JOIN notification_actors a ON a.user_id = other.id
          JOIN notifications n ON n.id = a.notification_id AND n.kind NOT IN (
            'group_call', 'group_emergency', 'group_waypoint', 'group_change')
          JOIN users one ON one.id = n.user_id AND one.couple_id = NEW.blocked_id
          WHERE other.couple_id = NEW.couple_id);
      END;
      """),
    Migration(
      "notices 3: a gathered notice moves in the list without its actors",
      """
      -- The identifier under which a notice is listed since another actor was added to it; NULL if it
      -- is still its own. Actors refer to `id`, which never changes.
      ALTER TABLE notifications ADD COLUMN listed_as BLOB CHECK (length(listed_as) = 16);
      CREATE INDEX notifications_listed ON notifications (user_id, coalesce(listed_as, id));
      DROP INDEX notifications_by_user;
      """),
  ]
}
