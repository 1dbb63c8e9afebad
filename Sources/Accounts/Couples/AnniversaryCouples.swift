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
    try reader.rows(
      """
      SELECT u.id, c.id, c.anniversary, u.time_zone FROM \(ValueList(days)) d
      CROSS JOIN couples c JOIN users u ON u.couple_id = c.id AND u.deleted_at IS NULL
      WHERE c.anniversary = d.value AND c.status = 'active'
      """
    ) { row in
      Person(
        id: try row.next(), couple: try row.next(), since: try row.next(),
        timeZone: try row.next(String?.self).map { AccountTimeZone(name: $0) })
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
      WHERE u.id = \(person) AND u.couple_id = \(couple) AND u.deleted_at IS NULL
      """
    ) { (try $0.next(String.self), try $0.next(LocalDay?.self), try $0.next(String?.self)) }
  }
}
