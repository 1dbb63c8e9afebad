import Core
import Database

/// The time zone of an account, and how it is known.
struct TimeZoneStore: Sendable {
  func choose(_ name: String, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE users SET time_zone = ?, time_zone_chosen = 1, time_zone_declined = NULL WHERE id = ?",
      name, person)
  }

  /// Keeps what a browser or an app told of a person of whom nothing was known; answers whether
  /// that was so.
  func tell(_ name: String, of person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "UPDATE users SET time_zone = ? WHERE id = ? AND time_zone IS NULL", name, person) == 1
  }

  /// Moves a person to another zone, which stays as chosen or told as theirs was.
  func move(to name: String, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE users SET time_zone = ?, time_zone_declined = NULL WHERE id = ?", name, person)
  }

  /// Makes the zone that a person has their choice, also in another one.
  func stay(in other: String, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE users SET time_zone_chosen = 1, time_zone_declined = ?
      WHERE id = ? AND time_zone IS NOT NULL
      """, other, person)
  }

  /// Forgets a choice: from now on the told zone holds, nil for none.
  func follow(told name: String?, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE users SET time_zone = ?, time_zone_chosen = 0, time_zone_declined = NULL
      WHERE id = ? AND time_zone_chosen = 1
      """, name, person)
  }
}
