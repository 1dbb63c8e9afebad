import Database

/// The table of follows and the indexes for followers' feeds (docs/developer/feed.md#follow).
enum FollowSchema {
  static let migrations = [
    Migration(
      "feed follows 1: follows",
      """
      -- A follower is always a couple: who is alone becomes a couple of one by following, as by
      -- posting, so that there is a page to look at, and somebody to block.
      CREATE TABLE follows (
        follower_id BLOB NOT NULL REFERENCES couples (id) ON DELETE CASCADE,
        followed_id BLOB NOT NULL REFERENCES couples (id) ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (follower_id, followed_id),
        CHECK (follower_id <> followed_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX follows_by_followed
        ON follows (followed_id, created_at DESC, follower_id DESC);

      -- Those that count at this moment. The others rest: of couples that are frozen or hidden,
      -- that nobody is in any more, and of those that a block keeps apart.
      CREATE VIEW follows_open AS
        SELECT f.follower_id, f.followed_id, f.created_at FROM follows f
        WHERE EXISTS (SELECT 1 FROM couples_open k WHERE k.id = f.follower_id)
          AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = f.followed_id)
          AND EXISTS (SELECT 1 FROM couples_people m WHERE m.couple_id = f.follower_id)
          AND NOT EXISTS (
            SELECT 1 FROM couples_apart a
            WHERE a.one_id = f.followed_id AND a.other_id = f.follower_id);

      -- What a couple shows to its followers, and what to them alone: each of a couple's posts
      -- can be walked down for itself.
      CREATE INDEX posts_shown ON posts (couple_id, created_at DESC, id DESC, author_id)
        WHERE deleted_at IS NULL AND hidden_at IS NULL AND visibility <> 'couple';
      CREATE INDEX posts_followers ON posts (couple_id, created_at DESC, id DESC, author_id)
        WHERE deleted_at IS NULL AND hidden_at IS NULL AND visibility = 'followers';
      """)
  ]
}
