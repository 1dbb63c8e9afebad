import Core
import Database

/// Photos that a user marked as favourites; only that user sees the mark.
extension PhotoStore {
  /// Marks a photo as a favourite of the viewer, or takes the mark off; without effect if it is so
  /// already.
  func setFavourite(
    _ id: ID<Photo>, _ isFavourite: Bool, of viewer: Viewer, in writer: WriteTransaction
  ) throws {
    if isFavourite {
      try writer.execute(
        """
        INSERT INTO photo_favourites (user_id, photo_id) VALUES (\(viewer.id), \(id))
        ON CONFLICT (user_id, photo_id) DO NOTHING
        """)
    } else {
      try writer.execute(
        "DELETE FROM photo_favourites WHERE user_id = \(viewer.id) AND photo_id = \(id)")
    }
  }

  /// All favourites of a user, for the export.
  func favourites(of person: ID<Person>, in reader: ReadTransaction) throws -> [ID<Photo>] {
    try reader.values(
      "SELECT photo_id FROM photo_favourites WHERE user_id = \(person) ORDER BY photo_id",
      as: ID<Photo>.self)
  }

  /// The photo is a favourite of a user.
  static func isFavourite(of person: ID<Person>) -> Query {
    """
    EXISTS (SELECT 1 FROM photo_favourites f WHERE f.photo_id = p.id AND f.user_id = \(person))
    """
  }
}
