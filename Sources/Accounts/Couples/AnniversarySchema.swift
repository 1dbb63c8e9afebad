import Database

/// An index for upcoming anniversaries.
enum AnniversarySchema {
  static let migrations = [
    Migration(
      "accounts 10: couples by their anniversary",
      """
      CREATE INDEX couples_by_anniversary ON couples (anniversary)
        WHERE anniversary IS NOT NULL AND status = 'active';
      """)
  ]
}
