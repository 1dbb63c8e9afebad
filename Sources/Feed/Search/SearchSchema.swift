import Database

/// The search index: bigrams of characters, made by `SearchText` (docs/developer/feed.md#posts).
///
/// In SQLite FTS5 stores the lists of bigrams. A plain table of (bigram, place) takes half as much
/// space again and four times the time to write a post, and doesn't know which bigrams are adjacent
/// (Tests/Bench/Search). FTS5's tokenizer only splits at the spaces between bigrams.
///
/// In PostgreSQL the tables have the same columns, `rowid` among them, and an index of the bigrams
/// that are in each row.
enum SearchSchema {
  /// The bigrams of an indexed text, cut to what an index permits (`SearchTerms.indexedScalars`).
  private static let tokens = """
    CREATE FUNCTION search_tokens(words text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT AS
    $$ SELECT array_to_tsvector(array_agg(left(token, 100)))
       FROM string_to_table(words, ' ') AS token $$;

    """

  private static func table(_ name: String) -> String {
    """
    CREATE TABLE \(name) ("rowid" BIGINT PRIMARY KEY, words TEXT NOT NULL);
    CREATE INDEX \(name)_tokens ON \(name) USING gin (search_tokens(words));
    """
  }

  private static func virtualTable(_ name: String) -> String {
    "CREATE VIRTUAL TABLE \(name) USING fts5 (words, tokenize = 'ascii', columnsize = 0);"
  }

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
      """,
      postgresql: [
        virtualTable("post_words"): tokens + table("post_words"),
        virtualTable("couple_words"): table("couple_words"),
        "only INTEGER PRIMARY KEY": "\"only\" INTEGER PRIMARY KEY",
        "CHECK (only = 1)": "CHECK (\"only\" = 1)",
        "(only, post_id)": "(\"only\", post_id)",
      ]),
    Migration(
      "feed search: names of people",
      """
      -- Whether the words are those of the couple's name and of its people; 0: of its name alone. The
      -- worker indexes the others again.
      ALTER TABLE search_couples ADD COLUMN names_people INTEGER NOT NULL DEFAULT 0
        CHECK (names_people IN (0, 1));
      CREATE INDEX search_couples_without_people ON search_couples (names_people)
        WHERE names_people = 0;
      INSERT INTO search_waiting (couple_id) SELECT id FROM couples
        WHERE id NOT IN (SELECT couple_id FROM search_couples) ON CONFLICT DO NOTHING;
      CREATE TRIGGER search_people_made AFTER INSERT ON users WHEN NEW.couple_id IS NOT NULL BEGIN
        INSERT INTO search_waiting (couple_id) SELECT id FROM couples WHERE id = NEW.couple_id
        ON CONFLICT DO NOTHING;
      END;
      CREATE TRIGGER search_people_changed
      AFTER UPDATE OF display_name, couple_id, couple_side, deleted_at ON users BEGIN
        INSERT INTO search_waiting (couple_id)
        SELECT id FROM couples WHERE id IN (OLD.couple_id, NEW.couple_id)
        ON CONFLICT DO NOTHING;
      END;
      CREATE TRIGGER search_people_gone AFTER DELETE ON users WHEN OLD.couple_id IS NOT NULL BEGIN
        INSERT INTO search_waiting (couple_id) SELECT id FROM couples WHERE id = OLD.couple_id
        ON CONFLICT DO NOTHING;
      END;
      """),
  ]
}
