import Database

/// A view of the partners of active couples, for modules in which a partner may see the other's
/// data.
enum DaysTogetherSchema {
  static let migrations = [
    Migration(
      "accounts 9: who is together",
      """
      -- People in an active couple. Parting, leaving and being deleted end it at once; undoing and
      -- coming back bring it back.
      CREATE VIEW couples_together AS
        SELECT u.id AS user_id, c.id AS couple_id
        FROM users u JOIN couples c ON c.id = u.couple_id
        WHERE c.status = 'active' AND u.deleted_at IS NULL;
      """)
  ]
}
