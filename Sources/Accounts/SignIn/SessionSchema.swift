import Database

/// Absolute ends of sessions.
enum SessionSchema {
  static let migrations = [
    Migration(
      "accounts, sessions 1: absolute ends",
      """
      -- Visits move expires_at on, but never past this. NULL: a year after created_at for members,
      -- never for guests.
      ALTER TABLE sessions ADD COLUMN ends_at INTEGER;
      """)
  ]
}
