import Database

/// The table of what is yet to be told.
public enum LiveSchema {
  public static let migrations = [
    Migration(
      "live 1: what is yet to be told",
      """
      -- One row a channel: who hears of the newest version needs no older one.
      CREATE TABLE live_news (
        channel TEXT PRIMARY KEY,
        -- Another one after each change, so that what was told while more came stays.
        mark BLOB NOT NULL,
        -- The newest one; NULL: there is nothing to tell.
        version INTEGER,
        -- The streams that are joined to it are to end.
        cuts INTEGER NOT NULL CHECK (cuts IN (0, 1))
      ) STRICT, WITHOUT ROWID;
      """)
  ]
}
