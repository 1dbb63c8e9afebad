import Core
import Database

/// Stores check-ins; rows are only ever added.
struct CheckInStore {
  /// Adds a check-in; false if that day already has one, which stays unchanged.
  func add(_ checkIn: CheckIn, of person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT (user_id, day) DO NOTHING
      """, person, checkIn.day, checkIn.tappedAt, checkIn.timeZone, checkIn.isOffline ? 1 : 0) == 1
  }

  func find(_ day: LocalDay, of person: ID<Person>, in reader: ReadTransaction) throws -> CheckIn? {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins WHERE user_id = ? AND day = ?
      """, person, day, make: Self.checkIn)
  }

  func last(of person: ID<Person>, in reader: ReadTransaction) throws -> CheckIn? {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = ? ORDER BY day DESC LIMIT 1
      """, person, make: Self.checkIn)
  }

  func last(of person: ID<Person>, until day: LocalDay, in reader: ReadTransaction) throws
    -> CheckIn?
  {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = ? AND day <= ? ORDER BY day DESC LIMIT 1
      """, person, day, make: Self.checkIn)
  }

  /// The check-ins of a range of days, both ends included, oldest first.
  func all(
    of person: ID<Person>, from first: LocalDay, to last: LocalDay, in reader: ReadTransaction
  ) throws -> [CheckIn] {
    try reader.rows(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = ? AND day BETWEEN ? AND ? ORDER BY day
      """, person, first, last, make: Self.checkIn)
  }

  /// Every day with a check-in, oldest first.
  func days(of person: ID<Person>, in reader: ReadTransaction) throws -> [LocalDay] {
    try reader.rows("SELECT day FROM check_ins WHERE user_id = ? ORDER BY day", person) {
      $0.day(0)
    }
  }

  /// Copies check-ins to another user, for days on which that user has none.
  func copy(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
      SELECT ?, day, tapped_at, time_zone, is_offline FROM check_ins WHERE user_id = ?
      ON CONFLICT (user_id, day) DO NOTHING
      """, other, from)
  }

  private static func checkIn(_ row: Row) -> CheckIn {
    CheckIn(
      day: row.day(0), tappedAt: row.instant(1), timeZone: row.text(2), isOffline: row.flag(3))
  }
}
