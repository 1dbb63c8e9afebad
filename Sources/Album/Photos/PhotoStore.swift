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
      SELECT \(Self.columns(for: viewer.id)) FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.id = \(id) AND p.deleted_at IS NULL AND (p.user_id = \(viewer.id) OR (
        p.couple_id = (SELECT t.couple_id FROM couples_together t WHERE t.user_id = \(viewer.id))
        AND p.couple_id = (SELECT o.couple_id FROM couples_together o WHERE o.user_id = p.user_id)
      ))
      """, make: Self.photo)
  }

  /// The photos that the viewer may see, in the order of their ids; others are left out.
  func visible(_ ids: [ID<Photo>], to viewer: Viewer) throws -> [Photo] {
    try database.read { reader in
      try ids.compactMap { try visible($0, to: viewer, in: reader) }
    }
  }

  /// The viewer's photos and those shared by the partner, newest first, older than `cursor`.
  public func album(of viewer: Viewer, after cursor: PageCursor<Photo>, limit: Int) throws
    -> [Photo]
  {
    // Two index scans, merged: neither reads more rows than it returns.
    try database.read { reader in
      try reader.rows(
        """
        SELECT \(Self.columns(for: viewer.id)) FROM (
          SELECT * FROM (
            SELECT p.id FROM photos p
            WHERE p.user_id = \(viewer.id) AND p.deleted_at IS NULL
              AND (p.created_at, p.id) < \(cursor)
            ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)) AS x
          UNION
          SELECT * FROM (
            SELECT p.id FROM photos p
            WHERE p.couple_id = (
                SELECT t.couple_id FROM couples_together t WHERE t.user_id = \(viewer.id))
              AND p.couple_id IS NOT NULL AND p.deleted_at IS NULL
              AND (p.created_at, p.id) < \(cursor)
            ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)) AS y
        ) AS found JOIN photos p ON p.id = found.id JOIN people_seen w ON w.id = p.user_id
        ORDER BY p.created_at DESC, p.id DESC LIMIT \(limit)
        """, make: Self.photo)
    }
  }

  /// All photos of a user, oldest first, for the export.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Photo] {
    try reader.rows(
      """
      SELECT \(Self.columns(for: person)) FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.user_id = \(person) AND p.deleted_at IS NULL ORDER BY p.created_at, p.id
      """, make: Self.photo)
  }

  /// The total size of the viewer's own photos, in bytes, deleted ones that are still kept included.
  func bytes(of viewer: Viewer, in reader: ReadTransaction) throws -> Int64 {
    try reader.value("SELECT coalesce(sum(bytes), 0) FROM photos WHERE user_id = \(viewer.id)") ?? 0
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
        version, created_at, sorted_at)
      SELECT \(photo.id), \(viewer.id),
        CASE WHEN \(photo.isShared) = 1 THEN (
          SELECT t.couple_id FROM couples_together t WHERE t.user_id = \(viewer.id)) END,
        \(photo.files.folder), \(photo.files.original), \(photo.files.format.rawValue),
        \(photo.width), \(photo.height), \(photo.bytes), \(photo.files.picture),
        \(photo.files.pictureExtension), \(photo.files.hasWebP), \(photo.story), \(photo.caption),
        \(photo.otherStory), \(photo.taken?.localTime), \(photo.taken?.offset),
        \(photo.dropped.map(\.rawValue).sorted().joined(separator: " ")), 1, \(photo.createdAt),
        \(photo.taken?.instant ?? photo.createdAt)
      WHERE EXISTS (SELECT 1 FROM people_seen w WHERE w.id = \(viewer.id))
      """)
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
      UPDATE photos SET original_id = \(original), bytes = \(bytes), story = \(story),
        caption = CASE WHEN \(story == nil) = 1 THEN caption END, other_story = NULL,
        version = version + 1
      WHERE id = \(photo.id) AND user_id = \(viewer.id) AND version = \(photo.version)
        AND deleted_at IS NULL
      """) == 1
  }

  /// Shares the viewer's photo with the current partner, or stops sharing it. False if it isn't the
  /// viewer's, or there is no partner to share it with.
  func share(_ id: ID<Photo>, _ isShared: Bool, by viewer: Viewer, in writer: WriteTransaction)
    throws -> Bool
  {
    if !isShared {
      return try writer.execute(
        """
        UPDATE photos SET couple_id = NULL
        WHERE id = \(id) AND user_id = \(viewer.id) AND deleted_at IS NULL
        """) == 1
    }
    return try writer.execute(
      """
      UPDATE photos SET couple_id =
        (SELECT t.couple_id FROM couples_together t WHERE t.user_id = photos.user_id)
      WHERE id = \(id) AND user_id = \(viewer.id) AND deleted_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_together t WHERE t.user_id = photos.user_id)
      """) == 1
  }

  func move(from guest: ID<Person>, to member: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE photos SET user_id = \(member) WHERE user_id = \(guest)")
  }

  /// Removes all photos of a user; returns the folders that are no longer used.
  static func count(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM photos")
  }

  func removeAll(of person: ID<Person>, in writer: WriteTransaction) throws -> [ID<Person>] {
    let used = try writer.values(
      "DELETE FROM photos WHERE user_id = \(person) RETURNING folder", as: ID<Person>.self)
    return try Set(used + [person]).filter { folder in
      try !writer.exists("SELECT 1 FROM photos WHERE folder = \(folder) LIMIT 1")
    }.sorted()
  }

  // MARK: Files

  /// The names of all files that belong into a folder.
  func fileNames(in folder: ID<Person>, _ reader: ReadTransaction) throws -> Set<String> {
    let all = try reader.rows(
      """
      SELECT folder, original_id, format, picture_id, picture_extension, has_webp FROM photos
      WHERE folder = \(folder)
      """
    ) { try PhotoFiles(&$0).names }
    return Set(all.joined())
  }

  /// All files of all photos.
  static let named = ReferencedFiles("photos") { try paths(in: $0) }

  /// Those of these files, `photos/{folder}/{name}`, that no row names.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let files = paths.compactMap { path -> (path: String, folder: ID<Person>)? in
      let parts = path.split(separator: "/")
      guard parts.count == 3, let folder = ID<Person>(parts[1]) else { return nil }
      return (path, folder)
    }
    let known = try self.paths(
      "WHERE folder IN \(IDList(Set(files.map(\.folder))))", in: reader)
    return files.map(\.path).filter { !known.contains($0) }
  }

  /// The paths of the files of photos of a condition; of all without one.
  private static func paths(
    _ condition: Query = "", in reader: ReadTransaction
  ) throws -> Set<String> {
    let all = try reader.rows(
      """
      SELECT folder, original_id, format, picture_id, picture_extension, has_webp FROM photos
      \(condition)
      """
    ) { row in
      let files = try PhotoFiles(&row)
      return files.names.map(files.path(of:))
    }
    return Set(all.joined())
  }

  // MARK: Columns

  /// The columns of a photo as one user sees it.
  static func columns(for person: ID<Person>) -> Query {
    """
    p.id, p.user_id, w.name, p.width, p.height, p.bytes, p.story, p.caption, p.other_story,
    p.taken_at, p.taken_offset, p.dropped,
    p.couple_id IS NOT NULL AND p.couple_id IS NOT DISTINCT FROM (
      SELECT t.couple_id FROM couples_together t WHERE t.user_id = p.user_id),
    \(isFavourite(of: person)), p.version, p.created_at, p.sorted_at,
    p.folder, p.original_id, p.format, p.picture_id, p.picture_extension, p.has_webp
    """
  }

  static func photo(_ row: inout RowReader) throws -> Photo {
    let (id, owner) = (try row.next(ID<Photo>.self), try row.next(ID<Person>.self))
    let (name, width) = (try row.next(String.self), try row.next(Int.self))
    let (height, bytes) = (try row.next(Int.self), try row.next(Int.self))
    let (story, caption) = (try row.next(String?.self), try row.next(String?.self))
    let (otherStory, taken) = (try row.next(String?.self), try moment(&row))
    let dropped = try row.next(String.self).split(separator: " ")
    let (isShared, isFavourite) = (try row.next(Bool.self), try row.next(Bool.self))
    let version = try row.next(Int.self)
    let (createdAt, sortedAt) = (try row.next(Instant.self), try row.next(Instant.self))
    let files = try PhotoFiles(&row)
    return Photo(
      id: id, owner: owner, ownerName: name, format: files.format, width: width, height: height,
      bytes: bytes, story: story, caption: caption, otherStory: otherStory, taken: taken,
      dropped: Set(dropped.compactMap { PhotoExtra(rawValue: "\($0)") }), isShared: isShared,
      isFavourite: isFavourite, version: version, createdAt: createdAt, sortedAt: sortedAt,
      files: files)
  }

  private static func moment(_ row: inout RowReader) throws -> PhotoMoment? {
    let (localTime, offset) = (try row.next(String?.self), try row.next(Int?.self))
    return localTime.map { PhotoMoment(localTime: $0, offset: offset) }
  }
}

extension PhotoFiles {
  /// Reads folder, original_id, format, picture_id, picture_extension, has_webp.
  init(_ row: inout RowReader) throws {
    self.init(
      folder: try row.next(), original: try row.next(),
      format: PhotoFormat(rawValue: try row.next()) ?? .jpeg, picture: try row.next(),
      pictureExtension: try row.next(), hasWebP: try row.next())
  }
}
