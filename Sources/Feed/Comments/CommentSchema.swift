import Database

/// Comments on posts (docs/developer/feed.md#comments).
enum CommentSchema {
  static let migrations = [
    Migration(
      "feed comments 1: comments",
      """
      CREATE TABLE comments (
        -- Sorts by time.
        id BLOB PRIMARY KEY,
        post_id BLOB NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
        author_id BLOB NOT NULL REFERENCES users (id),
        content TEXT NOT NULL,
        -- The visibility of the post when it was written: widening the post does not widen it.
        visibility TEXT NOT NULL CHECK (visibility IN ('public', 'followers', 'couple')),
        created_at INTEGER NOT NULL,
        -- Since when moderators may see it.
        reported_at INTEGER,
        hidden_at INTEGER,
        -- When a moderator removed it; `deleted_at` is set then too.
        removed_at INTEGER,
        deleted_at INTEGER,
        -- The user who deleted it and can restore it.
        deleted_by BLOB REFERENCES users (id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX comments_by_post ON comments (post_id, id);
      CREATE INDEX comments_by_author ON comments (author_id, post_id);
      CREATE INDEX comments_deleted ON comments (deleted_at) WHERE deleted_at IS NOT NULL;
      CREATE INDEX comments_deleted_by ON comments (deleted_by) WHERE deleted_by IS NOT NULL;

      -- The comments of a post that are neither deleted nor hidden. Kept by the triggers.
      ALTER TABLE posts ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
      CREATE TRIGGER posts_version_comments AFTER UPDATE OF comment_count ON posts BEGIN
        UPDATE posts SET version = version + 1 WHERE id = new.id;
      END;
      CREATE TRIGGER comments_counted_new AFTER INSERT ON comments
      WHEN new.deleted_at IS NULL AND new.hidden_at IS NULL BEGIN
        UPDATE posts SET comment_count = comment_count + 1 WHERE id = new.post_id;
      END;
      CREATE TRIGGER comments_counted_changed AFTER UPDATE OF deleted_at, hidden_at ON comments
      WHEN (new.deleted_at IS NULL AND new.hidden_at IS NULL)
        <> (old.deleted_at IS NULL AND old.hidden_at IS NULL) BEGIN
        UPDATE posts SET comment_count = comment_count
          + iif(new.deleted_at IS NULL AND new.hidden_at IS NULL, 1, -1) WHERE id = new.post_id;
      END;
      CREATE TRIGGER comments_counted_gone AFTER DELETE ON comments
      WHEN old.deleted_at IS NULL AND old.hidden_at IS NULL BEGIN
        UPDATE posts SET comment_count = comment_count - 1 WHERE id = old.post_id;
      END;
      """)
  ]
}
