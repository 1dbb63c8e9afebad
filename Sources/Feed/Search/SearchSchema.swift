import Database

/// The search index: bigrams of characters, made by `SearchText` (docs/developer/feed.md#posts).
///
/// SQLite only: FTS5 stores the lists of bigrams. A plain table of (bigram, place) takes half as
/// much space again and four times the time to write a post, and doesn't know which bigrams are
/// adjacent (Tests/Bench/Search). FTS5's tokenizer only splits at the spaces between bigrams. All
/// else is plain SQL: another database puts its own full-text index behind the tables
/// `search_posts` and `search_couples`.
enum SearchSchema {
  static let migrations = [
    Migration(
      "feed search 1: bigrams of posts and of couples' names",
      """
      -- Where a post stands in the index: by the second it was made in, so that the newest come
      -- first without sorting.
      CREATE TABLE search_posts (
        place INTEGER PRIMARY KEY,
        post_id BLOB NOT NULL UNIQUE REFERENCES posts (id) ON DELETE CASCADE
      ) STRICT;
      -- Places whose words are still to go: no trigger may change the index itself, in a database
      -- that trusts no schema.
      CREATE TABLE search_gone (
        kind TEXT NOT NULL CHECK (kind IN ('post', 'couple')),
        place INTEGER NOT NULL,
        PRIMARY KEY (kind, place)
      ) STRICT, WITHOUT ROWID;
      CREATE VIRTUAL TABLE post_words USING fts5 (words, tokenize = 'ascii', columnsize = 0);
      CREATE TRIGGER search_posts_gone AFTER DELETE ON search_posts BEGIN
        INSERT INTO search_gone (kind, place) VALUES ('post', old.place);
      END;

      CREATE TABLE search_couples (
        place INTEGER PRIMARY KEY,
        couple_id BLOB NOT NULL UNIQUE REFERENCES couples (id) ON DELETE CASCADE
      ) STRICT;
      CREATE VIRTUAL TABLE couple_words USING fts5 (words, tokenize = 'ascii', columnsize = 0);
      CREATE TRIGGER search_couples_gone AFTER DELETE ON search_couples BEGIN
        INSERT INTO search_gone (kind, place) VALUES ('couple', old.place);
      END;

      -- Couples whose names are new and not in the index yet: named in another room, which knows
      -- nothing of the search.
      CREATE TABLE search_waiting (
        couple_id BLOB PRIMARY KEY REFERENCES couples (id) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER couples_made AFTER INSERT ON couples BEGIN
        INSERT INTO search_waiting (couple_id) VALUES (new.id) ON CONFLICT DO NOTHING;
      END;
      CREATE TRIGGER couples_named AFTER UPDATE OF name ON couples BEGIN
        INSERT INTO search_waiting (couple_id) VALUES (new.id) ON CONFLICT DO NOTHING;
      END;
      INSERT INTO search_waiting (couple_id) SELECT id FROM couples;

      -- How far the posts that were there before are in the index; the row goes when all are.
      CREATE TABLE search_progress (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        post_id BLOB NOT NULL
      ) STRICT;
      INSERT INTO search_progress (only, post_id) VALUES (1, x'');
      """)
  ]
}
