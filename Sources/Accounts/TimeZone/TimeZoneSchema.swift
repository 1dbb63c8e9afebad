import Database

/// The source of an account's time zone.
enum TimeZoneSchema {
  static let migrations = [
    Migration(
      "accounts 11: time zones that were chosen, and those that were told",
      """
      -- Whether the person chose time_zone; else a browser or an app told it.
      ALTER TABLE users ADD COLUMN time_zone_chosen INTEGER NOT NULL DEFAULT 0
        CHECK (time_zone_chosen IN (0, 1));
      -- The zone of a place where the person wanted to keep the one that they have.
      ALTER TABLE users ADD COLUMN time_zone_declined TEXT;
      """)
  ]
}
