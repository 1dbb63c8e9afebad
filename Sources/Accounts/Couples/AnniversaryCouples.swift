import Core
import Database

/// Couples and their anniversaries, for modules that celebrate them.
public enum AnniversaryCouples {
  /// One member of an active couple.
  public struct Person: Sendable {
    public let id: ID<Core.Person>
    public let couple: ID<Couple>
    public let since: LocalDay
    /// Nil until a browser or an app has reported one.
    public let timeZone: AccountTimeZone?
  }

  /// The members of active couples with one of these anniversaries.
  public static func all(since days: [LocalDay], in reader: ReadTransaction) throws -> [Person] {
    let list = "[\(days.map { String($0.number) }.joined(separator: ","))]"
    return try reader.rows(
      """
      SELECT u.id, c.id, c.anniversary, u.time_zone FROM json_each(?)
      CROSS JOIN couples c ON c.anniversary = json_each.value AND c.status = 'active'
      JOIN users u ON u.couple_id = c.id AND u.deleted_at IS NULL
      """, list
    ) { row in
      Person(
        id: try row.id(0), couple: try row.id(1), since: LocalDay(number: row.int(2)),
        timeZone: row.optionalText(3).map { AccountTimeZone(name: $0) })
    }
  }

  /// The name and anniversary of a user's active couple; nil if the user is not in this couple or
  /// the couple is not active.
  public static func couple(
    _ couple: ID<Couple>, of person: ID<Core.Person>, in reader: ReadTransaction
  ) throws -> (name: String, since: LocalDay?, language: String?)? {
    try reader.first(
      """
      SELECT c.name, c.anniversary, u.language FROM users u
      JOIN couples c ON c.id = u.couple_id AND c.status = 'active'
      WHERE u.id = ? AND u.couple_id = ? AND u.deleted_at IS NULL
      """, person, couple
    ) { ($0.text(0), $0.optionalDay(1), $0.optionalText(2)) }
  }
}
