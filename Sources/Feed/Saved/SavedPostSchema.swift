import Database

/// Posts that users saved (docs/developer/feed.md#saved-posts).
enum SavedPostSchema {
  static let migrations = [
    Migration(
      "feed saved 1: saved posts",
      """
      CREATE TABLE saved_posts (
        user_id BLOB NOT NULL REFERENCES users (id),
        post_id BLOB NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
        saved_at INTEGER NOT NULL,
        PRIMARY KEY (user_id, post_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX saved_posts_by_time ON saved_posts (user_id, saved_at DESC, post_id DESC);
      CREATE INDEX saved_posts_by_post ON saved_posts (post_id);
      """)
  ]
}
