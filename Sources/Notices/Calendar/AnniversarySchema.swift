import Database

enum AnniversarySchema {
  static let migrations = [
    Migration(
      "notices 3: days to celebrate, and links for calendars",
      """
      -- Who has been told of which day, so that nobody is told twice.
      CREATE TABLE anniversaries_told (
        user_id BLOB NOT NULL REFERENCES users (id),
        day INTEGER NOT NULL,
        PRIMARY KEY (user_id, day)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX anniversaries_told_by_day ON anniversaries_told (day);

      -- One secret link of each person, for the couple that they are in.
      CREATE TABLE calendar_links (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        couple_id BLOB NOT NULL REFERENCES couples (id) ON DELETE CASCADE,
        token_hash BLOB NOT NULL UNIQUE,
        made_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX calendar_links_by_couple ON calendar_links (couple_id);
      """)
  ]
}
