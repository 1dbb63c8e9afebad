import Core
import Database

/// Stores check-ins; rows are only ever added.
struct CheckInStore {
  /// Adds a check-in; false if that day already has one, which stays unchanged.
  func add(_ checkIn: CheckIn, of person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
      VALUES (\(person), \(checkIn.day), \(checkIn.tappedAt), \(checkIn.timeZone),
        \(checkIn.isOffline))
      ON CONFLICT (user_id, day) DO NOTHING
      """) == 1
  }

  func find(_ day: LocalDay, of person: ID<Person>, in reader: ReadTransaction) throws -> CheckIn? {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = \(person) AND day = \(day)
      """, make: Self.checkIn)
  }

  func last(of person: ID<Person>, in reader: ReadTransaction) throws -> CheckIn? {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = \(person) ORDER BY day DESC LIMIT 1
      """, make: Self.checkIn)
  }

  func last(of person: ID<Person>, until day: LocalDay, in reader: ReadTransaction) throws
    -> CheckIn?
  {
    try reader.first(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = \(person) AND day <= \(day) ORDER BY day DESC LIMIT 1
      """, make: Self.checkIn)
  }

  /// The check-ins of a range of days, both ends included, oldest first.
  func all(
    of person: ID<Person>, from first: LocalDay, to last: LocalDay, in reader: ReadTransaction
  ) throws -> [CheckIn] {
    try reader.rows(
      """
      SELECT day, tapped_at, time_zone, is_offline FROM check_ins
      WHERE user_id = \(person) AND day BETWEEN \(first) AND \(last) ORDER BY day
      """, make: Self.checkIn)
  }

  /// Every day with a check-in, oldest first.
  func days(of person: ID<Person>, in reader: ReadTransaction) throws -> [LocalDay] {
    try reader.values(
      "SELECT day FROM check_ins WHERE user_id = \(person) ORDER BY day", as: LocalDay.self)
  }

  /// Copies check-ins to another user, for days on which that user has none.
  func copy(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
      SELECT \(other), day, tapped_at, time_zone, is_offline FROM check_ins WHERE user_id = \(from)
      ON CONFLICT (user_id, day) DO NOTHING
      """)
  }

  private static func checkIn(_ row: inout RowReader) throws -> CheckIn {
    CheckIn(
      day: try row.next(), tappedAt: try row.next(), timeZone: try row.next(),
      isOffline: try row.next())
  }
}
