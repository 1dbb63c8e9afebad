import Database

/// A view of the current members of couples, for other modules.
enum CoupleMembersSchema {
  static let migrations = [
    Migration(
      "accounts couple people 1: who is in a couple now",
      """
      CREATE VIEW couples_people AS
        SELECT couple_id, id AS user_id FROM users
        WHERE couple_id IS NOT NULL AND deleted_at IS NULL;
      """)
  ]
}
