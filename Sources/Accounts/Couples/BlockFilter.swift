import Core
import Database

/// Who may be told what somebody did: living people whom no block of their couples keeps apart from
/// them.
public enum BlockFilter {
  /// Those of `people` who are there, in any order; with `actor` only those who aren't kept apart
  /// from them.
  public static func within(
    _ people: [ID<Person>], of actor: ID<Person>?, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    let packed = IDList(people)
    return try reader.rows(
      """
      SELECT u.id FROM json_each(?)
      CROSS JOIN users u ON u.id = \(IDList.only) AND u.deleted_at IS NULL
      WHERE NOT EXISTS (
        SELECT 1 FROM users a
        JOIN couples_apart x ON x.one_id = a.couple_id AND x.other_id = u.couple_id
        WHERE a.id = ?)
      """, packed.places, packed.bytes, actor
    ) { try $0.id(0) }
  }
}

/// Who is in a couple, for rooms that tell one of them what concerns both.
public enum CoupleMembers {
  /// The living members of a couple.
  public static func all(of couple: ID<Couple>, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows(
      "SELECT id FROM users WHERE couple_id = ? AND deleted_at IS NULL ORDER BY couple_side", couple
    ) { try $0.id(0) }
  }
}
