import Database

/// The table of queued live events.
public enum LiveSchema {
  public static let migrations = [
    Migration(
      "live 1: what is yet to be told",
      """
      -- One row a channel: who hears of the newest version needs no older one.
      CREATE TABLE live_news (
        channel TEXT PRIMARY KEY,
        -- Another one after each change, so that what was told while more came stays; sorts by time.
        mark BLOB NOT NULL,
        -- The newest one; NULL: there is nothing to tell.
        version INTEGER,
        -- How often the streams that are joined to it are yet to be ended.
        cuts INTEGER NOT NULL CHECK (cuts BETWEEN 0 AND 2),
        -- Not before this moment; who waits longest comes first.
        due INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX live_news_due ON live_news (due);
      """)
  ]
}
