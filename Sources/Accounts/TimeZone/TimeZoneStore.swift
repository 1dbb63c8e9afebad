import Core
import Database

/// The time zone of an account and its source.
struct TimeZoneStore: Sendable {
  func choose(_ name: String, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE users SET time_zone = \(name), time_zone_chosen = 1, time_zone_declined = NULL
      WHERE id = \(person)
      """)
  }

  /// Stores a reported zone for a user without one; returns whether it was stored.
  func setDetected(_ name: String, of person: ID<Person>, in writer: WriteTransaction) throws
    -> Bool
  {
    try writer.execute(
      "UPDATE users SET time_zone = \(name) WHERE id = \(person) AND time_zone IS NULL") == 1
  }

  /// Changes a user's zone; whether it counts as chosen does not change.
  func move(to name: String, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE users SET time_zone = \(name), time_zone_declined = NULL WHERE id = \(person)")
  }

  /// Marks the user's zone as chosen, and the other one as declined.
  func keepZone(in other: String, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE users SET time_zone_chosen = 1, time_zone_declined = \(other)
      WHERE id = \(person) AND time_zone IS NOT NULL
      """)
  }

  /// Removes a choice and stores the reported zone; nil for none.
  func follow(reported name: String?, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE users SET time_zone = \(name), time_zone_chosen = 0, time_zone_declined = NULL
      WHERE id = \(person) AND time_zone_chosen = 1
      """)
  }
}
