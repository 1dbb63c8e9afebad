import Core
import Database
import PhotoMetadata
import Web

/// Stores photos; every query is for one viewer: the owner, or the partner while the couple is
/// active and the photo is shared.
public struct PhotoStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  // MARK: Reading

  /// A photo that the viewer may see; absent and forbidden look the same.
  public func visible(_ id: ID<Photo>, to viewer: Viewer) throws -> Photo? {
    try database.read { try visible(id, to: viewer, in: $0) }
  }

  func visible(_ id: ID<Photo>, to viewer: Viewer, in reader: ReadTransaction) throws -> Photo? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.id = ? AND (p.user_id = ? OR (
        p.couple_id = (SELECT t.couple_id FROM couples_together t WHERE t.user_id = ?)
        AND p.couple_id = (SELECT o.couple_id FROM couples_together o WHERE o.user_id = p.user_id)
      ))
      """, id, viewer.id, viewer.id, make: Self.photo)
  }

  /// The viewer's photos and those shared by the partner, newest first, older than `cursor`.
  public func album(of viewer: Viewer, after cursor: PhotoCursor, limit: Int) throws -> [Photo] {
    // Two index scans, merged: neither reads more rows than it returns.
    try database.read { reader in
      try reader.rows(
        """
        SELECT \(Self.columns) FROM (
          SELECT * FROM (
            SELECT p.id FROM photos p
            WHERE p.user_id = ? AND (p.created_at, p.id) < (?, ?)
            ORDER BY p.created_at DESC, p.id DESC LIMIT ?) AS x
          UNION
          SELECT * FROM (
            SELECT p.id FROM photos p
            WHERE p.couple_id = (SELECT t.couple_id FROM couples_together t WHERE t.user_id = ?)
              AND p.couple_id IS NOT NULL AND (p.created_at, p.id) < (?, ?)
            ORDER BY p.created_at DESC, p.id DESC LIMIT ?) AS y
        ) AS found JOIN photos p ON p.id = found.id JOIN people_seen w ON w.id = p.user_id
        ORDER BY p.created_at DESC, p.id DESC LIMIT ?
        """, viewer.id, cursor.createdAt, cursor.id, limit, viewer.id, cursor.createdAt, cursor.id,
        limit, limit, make: Self.photo)
    }
  }

  /// All photos of a user, oldest first, for the export.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Photo] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.user_id = ? ORDER BY p.created_at, p.id
      """, person, make: Self.photo)
  }

  /// The total size of the viewer's own photos, in bytes.
  func bytes(of viewer: Viewer, in reader: ReadTransaction) throws -> Int64 {
    try reader.first("SELECT sum(bytes) FROM photos WHERE user_id = ?", viewer.id) {
      $0.isNull(0) ? 0 : $0.integer(0)
    } ?? 0
  }

  // MARK: Changing

  /// A photo before it has a row.
  struct New {
    let id: ID<Photo>
    let files: PhotoFiles
    let width: Int
    let height: Int
    let bytes: Int
    let story: String?
    let caption: String?
    let otherStory: String?
    let taken: PhotoMoment?
    let dropped: Set<PhotoExtra>
    let isShared: Bool
    let createdAt: Instant
  }

  /// Adds a photo; a shared one is shared with the viewer's current partner, if any. Throws
  /// `Problem.notFound` if the viewer was deleted or merged in the meantime: no user would ever see
  /// the photo.
  func add(_ photo: New, of viewer: Viewer, in writer: WriteTransaction) throws {
    let added = try writer.execute(
      """
      INSERT INTO photos (
        id, user_id, couple_id, folder, original_id, format, width, height, bytes, picture_id,
        picture_extension, has_webp, story, caption, other_story, taken_at, taken_offset, dropped,
        version, created_at)
      SELECT ?, ?,
        CASE WHEN ? THEN (SELECT t.couple_id FROM couples_together t WHERE t.user_id = ?) END,
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?
      WHERE EXISTS (SELECT 1 FROM people_seen w WHERE w.id = ?)
      """, photo.id, viewer.id, photo.isShared, viewer.id, photo.files.folder,
      photo.files.original, photo.files.format.rawValue, photo.width, photo.height, photo.bytes,
      photo.files.picture, photo.files.pictureExtension, photo.files.hasWebP, photo.story,
      photo.caption, photo.otherStory, photo.taken?.localTime, photo.taken?.offset,
      photo.dropped.map(\.rawValue).sorted().joined(separator: " "), photo.createdAt, viewer.id)
    guard added > 0 else { throw Problem.notFound }
  }

  /// Switches the viewer's photo to a new file and its story, unless it was saved in the meantime.
  /// With a story the draft is dropped.
  func switchFile(
    of photo: Photo, to original: ID<PhotoOriginal>, bytes: Int, story: String?,
    by viewer: Viewer, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE photos SET original_id = ?, bytes = ?, story = ?,
        caption = CASE WHEN ? THEN caption END, other_story = NULL, version = version + 1
      WHERE id = ? AND user_id = ? AND version = ?
      """, original, bytes, story, story == nil, photo.id, viewer.id, photo.version) == 1
  }

  /// Shares the viewer's photo with the current partner, or stops sharing it. False if it isn't the
  /// viewer's, or there is no partner to share it with.
  func share(_ id: ID<Photo>, _ isShared: Bool, by viewer: Viewer, in writer: WriteTransaction)
    throws -> Bool
  {
    if !isShared {
      return try writer.execute(
        "UPDATE photos SET couple_id = NULL WHERE id = ? AND user_id = ?", id, viewer.id) == 1
    }
    return try writer.execute(
      """
      UPDATE photos SET couple_id =
        (SELECT t.couple_id FROM couples_together t WHERE t.user_id = photos.user_id)
      WHERE id = ? AND user_id = ?
        AND EXISTS (SELECT 1 FROM couples_together t WHERE t.user_id = photos.user_id)
      """, id, viewer.id) == 1
  }

  /// Removes the viewer's photo; false if it isn't the viewer's.
  func remove(_ id: ID<Photo>, by viewer: Viewer, in writer: WriteTransaction) throws -> Bool {
    try writer.execute("DELETE FROM photos WHERE id = ? AND user_id = ?", id, viewer.id) == 1
  }

  func move(from guest: ID<Person>, to member: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE photos SET user_id = ? WHERE user_id = ?", member, guest)
  }

  /// Removes all photos of a user; returns the folders that are no longer used.
  func removeAll(of person: ID<Person>, in writer: WriteTransaction) throws -> [ID<Person>] {
    let used = try writer.rows(
      "DELETE FROM photos WHERE user_id = ? RETURNING folder", person
    ) { try $0.id(0, Person.self) }
    return try Set(used + [person]).filter { folder in
      try !writer.exists("SELECT 1 FROM photos WHERE folder = ? LIMIT 1", folder)
    }.sorted()
  }

  // MARK: Files

  /// The names of all files that belong into a folder.
  func fileNames(in folder: ID<Person>, _ reader: ReadTransaction) throws -> Set<String> {
    let all = try reader.rows(
      """
      SELECT folder, original_id, format, picture_id, picture_extension, has_webp FROM photos
      WHERE folder = ?
      """, folder
    ) { try Self.files($0, from: 0).names }
    return Set(all.joined())
  }

  /// All files of all photos, below the media folder.
  static let named = ReferencedFiles("photos") { reader in
    let all = try reader.rows(
      """
      SELECT folder, original_id, format, picture_id, picture_extension, has_webp FROM photos
      """
    ) { row in
      let files = try Self.files(row, from: 0)
      return files.names.map { "\(PhotoFolders.path(of: files.folder))/\($0)" }
    }
    return Set(all.joined())
  }

  // MARK: Columns

  static let columns = """
    p.folder, p.original_id, p.format, p.picture_id, p.picture_extension, p.has_webp,
    p.id, p.user_id, w.name, p.width, p.height, p.bytes, p.story, p.caption, p.other_story,
    p.taken_at, p.taken_offset, p.dropped, p.version, p.created_at,
    p.couple_id IS NOT NULL AND p.couple_id =
      coalesce((SELECT t.couple_id FROM couples_together t WHERE t.user_id = p.user_id), x'')
    """

  static func files(_ row: Row, from column: Int32) throws -> PhotoFiles {
    PhotoFiles(
      folder: try row.id(column), original: try row.id(column + 1),
      format: PhotoFormat(rawValue: row.text(column + 2)) ?? .jpeg,
      picture: try row.id(column + 3), pictureExtension: row.text(column + 4),
      hasWebP: row.flag(column + 5))
  }

  static func photo(_ row: Row) throws -> Photo {
    let files = try files(row, from: 0)
    let offset = row.isNull(16) ? nil : row.int(16)
    return Photo(
      id: try row.id(6), owner: try row.id(7), ownerName: row.text(8), format: files.format,
      width: row.int(9), height: row.int(10), bytes: row.int(11), story: row.optionalText(12),
      caption: row.optionalText(13), otherStory: row.optionalText(14),
      taken: row.optionalText(15).map { PhotoMoment(localTime: $0, offset: offset) },
      dropped: Set(row.text(17).split(separator: " ").compactMap { PhotoExtra(rawValue: "\($0)") }),
      isShared: row.flag(20), version: row.int(18), createdAt: row.instant(19), files: files)
  }
}
