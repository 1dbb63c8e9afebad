import Core
import Database

/// The anniversaries that users have been notified of.
enum AnniversaryStore {
  /// Adds an anniversary; false if the user has been notified of it.
  static func add(
    _ day: LocalDay, of person: ID<Person>, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO anniversaries_told (user_id, day) VALUES (\(person), \(day))
      ON CONFLICT (user_id, day) DO NOTHING
      """) == 1
  }

  static func purge(before day: LocalDay, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM anniversaries_told WHERE day < \(day)")
  }
}
