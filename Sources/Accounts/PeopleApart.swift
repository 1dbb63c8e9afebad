import Basics
import Database

/// Whether two people are kept apart by a block of their couples, for rooms that tell one of them
/// what the other did.
public enum PeopleApart {
  public static func areApart(
    _ one: ID<Person>, _ other: ID<Person>, in reader: Reader
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM users a JOIN users b ON b.id = ?
      JOIN couples_apart x ON x.one_id = a.couple_id AND x.other_id = b.couple_id WHERE a.id = ?
      """, other, one)
  }
}

/// Who is in a couple, for rooms that tell one of them what concerns both.
public enum CouplePeople {
  /// The living members of a couple.
  public static func all(of couple: ID<Couple>, in reader: Reader) throws -> [ID<Person>] {
    try reader.rows(
      "SELECT id FROM users WHERE couple_id = ? AND deleted_at IS NULL ORDER BY couple_side", couple
    ) { try $0.id(0) }
  }
}
