import Core
import Database

/// Filters users who may be notified of another user's action: not deleted and not separated from
/// them by a block.
public enum BlockFilter {
  /// The users of `people` who are not deleted, in any order; with `actor`, only those not
  /// separated from the actor by a block.
  public static func within(
    _ people: [ID<Person>], of actor: ID<Person>?, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT u.id FROM \(IDList(people)) AS i
      CROSS JOIN users u WHERE u.id = i.id AND u.deleted_at IS NULL
        AND NOT EXISTS (
        SELECT 1 FROM users a
        JOIN couples_apart x ON x.one_id = a.couple_id AND x.other_id = u.couple_id
        WHERE a.id = \(actor))
      """)
  }
}

/// The members of a couple, for modules that notify one of them about something that concerns both.
public enum CoupleMembers {
  /// The members of a couple who are not deleted.
  public static func all(of couple: ID<Couple>, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT id FROM users WHERE couple_id = \(couple) AND deleted_at IS NULL ORDER BY couple_side
      """)
  }

  /// The couple that a user is in, until a deleted account has left it; nil for none.
  public static func couple(of person: ID<Person>, in reader: ReadTransaction) throws -> ID<Couple>?
  {
    try reader.value(
      "SELECT couple_id FROM users WHERE id = \(person) AND couple_id IS NOT NULL")
  }

  /// When a couple began; nil if there is none.
  public static func beginning(of couple: ID<Couple>, in reader: ReadTransaction) throws -> Instant?
  {
    try reader.value("SELECT created_at FROM couples WHERE id = \(couple)")
  }
}
