import Database

/// The columns that a decision needs to be taken back.
enum UndoSchema {
  static let migrations = [
    Migration(
      "moderation 5: decisions can be taken back",
      """
      -- The moderator, and the states of the case and its thing before the decision; NULL if it
      -- cannot be taken back.
      ALTER TABLE decisions ADD COLUMN moderator_id BLOB;
      ALTER TABLE decisions ADD COLUMN state_before TEXT;
      ALTER TABLE decisions ADD COLUMN thing_state_before TEXT;
      """)
  ]
}
