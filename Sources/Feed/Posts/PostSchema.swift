import Database

/// Posts, their pictures and likes. The indexes follow the source document `000_…`, 4.3.
public enum PostSchema {
  public static let migrations = [
    Migration(
      "feed 1: posts, pictures, likes",
      """
      CREATE TABLE posts (
        id BLOB PRIMARY KEY,
        couple_id BLOB NOT NULL REFERENCES couples (id),
        author_id BLOB NOT NULL REFERENCES users (id),
        content TEXT NOT NULL,
        visibility TEXT NOT NULL CHECK (visibility IN ('public', 'followers', 'couple')),
        like_count INTEGER NOT NULL DEFAULT 0,
        image_count INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        edited_at INTEGER,
        hidden_at INTEGER,
        deleted_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX posts_feed ON posts (created_at DESC, id DESC)
        WHERE deleted_at IS NULL AND hidden_at IS NULL AND visibility = 'public';
      CREATE INDEX posts_couple ON posts (couple_id, created_at DESC, id DESC);
      CREATE INDEX posts_author ON posts (author_id);
      CREATE INDEX posts_deleted ON posts (deleted_at) WHERE deleted_at IS NOT NULL;

      CREATE TABLE post_images (
        id BLOB PRIMARY KEY,
        post_id BLOB NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        extension TEXT NOT NULL CHECK (extension IN ('jpg', 'png', 'webp')),
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        has_webp INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        description TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX post_images_by_post ON post_images (post_id, position);

      -- Pictures that wait for their post because something else in the form was wrong.
      CREATE TABLE draft_images (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        extension TEXT NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        has_webp INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX draft_images_by_user ON draft_images (user_id);
      CREATE INDEX draft_images_by_age ON draft_images (created_at);

      CREATE TABLE likes (
        post_id BLOB NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        created_at INTEGER NOT NULL,
        PRIMARY KEY (post_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX likes_by_user ON likes (user_id);
      """),
    Migration(
      "feed 2: the feed's walk reads its index alone",
      """
      DROP INDEX posts_feed;
      CREATE INDEX posts_feed ON posts (created_at DESC, id DESC, couple_id, author_id)
        WHERE deleted_at IS NULL AND hidden_at IS NULL AND visibility = 'public';
      """),
    Migration(
      "feed 3: versions of cards",
      """
      -- Changes with everything that a card shows of a post itself.
      ALTER TABLE posts ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
      CREATE TRIGGER posts_version
        AFTER UPDATE OF content, visibility, like_count, image_count, edited_at ON posts BEGIN
        UPDATE posts SET version = version + 1 WHERE id = new.id;
      END;
      CREATE TRIGGER post_images_version_added AFTER INSERT ON post_images BEGIN
        UPDATE posts SET version = version + 1 WHERE id = new.post_id;
      END;
      CREATE TRIGGER post_images_version_changed AFTER UPDATE ON post_images BEGIN
        UPDATE posts SET version = version + 1 WHERE id = new.post_id;
      END;
      CREATE TRIGGER post_images_version_removed AFTER DELETE ON post_images BEGIN
        UPDATE posts SET version = version + 1 WHERE id = old.post_id;
      END;
      """),
  ]
}
