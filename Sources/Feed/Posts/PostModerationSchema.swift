import Database

/// Columns for the moderation of posts.
enum PostModerationSchema {
  static let migrations = [
    Migration(
      "feed moderation 1: posts that were reported or removed",
      """
      -- Since when moderators may look at it.
      ALTER TABLE posts ADD COLUMN reported_at INTEGER;
      -- When a moderator removed it; `deleted_at` is set then too, so that it is gone for all.
      ALTER TABLE posts ADD COLUMN removed_at INTEGER;
      """)
  ]
}
