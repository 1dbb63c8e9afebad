import Database

/// The units of distances that a user chose.
enum UnitsSchema {
  static let migrations = [
    Migration(
      "accounts: units of distances",
      """
      -- NULL until chosen: then those of the browser's cookie.
      ALTER TABLE users ADD COLUMN units TEXT CHECK (units IN ('metres', 'feet'));
      """)
  ]
}
