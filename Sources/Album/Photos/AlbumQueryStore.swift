import Core
import Database
import Web

/// The choice of photos on a page of the album.
struct AlbumFilter: Equatable, Sendable {
  /// The tabs of the album.
  enum Tab: String, Sendable, CaseIterable {
    /// The viewer's photos and those that the partner shares.
    case all
    /// Photos that the two share.
    case ours
    /// Photos that only the viewer sees.
    case mine
    /// Photos that the viewer marked.
    case favourites

    /// Whether the tab is there for those without a partner, too.
    var isForOne: Bool { self == .all || self == .favourites }
  }

  var tab = Tab.all

  /// The tab in which new photos are seen.
  var tabOfNew: Tab { tab == .favourites ? .all : tab }

  /// Part of a story; "" for all photos.
  var search = ""

  static let searchLimits = FieldLimits(characters: 100)
}

extension AlbumFilter {
  /// The tab and the search that were sent. Without a partner there are two tabs only.
  init(tab: String?, search: String, for viewer: Viewer) {
    let wanted = tab.flatMap(Tab.init(rawValue:)) ?? .all
    self.tab = wanted.isForOne || AlbumPages.partner(of: viewer) != nil ? wanted : .all
    self.search = Self.searchLimits.beginning(of: search.asOneLine)
  }
}

/// Reads the album in the order of the days on which photos were taken.
extension PhotoStore {
  /// Photos that the viewer sees, newest first, older than `cursor`.
  func photos(
    _ filter: AlbumFilter, of viewer: Viewer, after cursor: PageCursor<Photo>, limit: Int,
    in reader: ReadTransaction
  ) throws -> [Photo] {
    try reader.rows(
      query(
        filter, of: viewer, "(p.sorted_at, p.id) < (\(cursor.key), \(cursor.id))", "DESC",
        limit: limit), make: Self.photo)
  }

  /// The photos beside one, among all that the viewer sees.
  func neighbours(
    of photo: Photo, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> (newer: Photo?, older: Photo?) {
    let (moment, id) = (photo.sortedAt, photo.id)
    func first(_ condition: Query, _ order: Query) throws -> Photo? {
      try reader.first(
        query(AlbumFilter(), of: viewer, condition, order, limit: 1), make: Self.photo)
    }
    return (
      newer: try first("(p.sorted_at, p.id) > (\(moment), \(id))", "ASC"),
      older: try first("(p.sorted_at, p.id) < (\(moment), \(id))", "DESC")
    )
  }

  /// Index scans, merged: none reads more matching rows than it returns.
  private func query(
    _ filter: AlbumFilter, of viewer: Viewer, _ condition: Query, _ order: Query, limit: Int
  ) -> Query {
    let pattern = filter.search.isEmpty ? nil : filter.search.asLikePattern
    // Both disregard capitals of ASCII; PostgreSQL's LIKE does not.
    let like = Query(sqlite: "LIKE", postgresql: "ILIKE")
    let finds: Query = pattern.map { "p.story \(like) \($0) ESCAPE '\\'" } ?? "true"
    let isMarked: Query = filter.tab == .favourites ? Self.isFavourite(of: viewer.id) : "true"
    let matches: Query = "p.deleted_at IS NULL AND \(finds) AND \(isMarked)"
    let together: Query =
      "(SELECT t.couple_id FROM couples_together t WHERE t.user_id = \(viewer.id))"
    let sorted: Query = "ORDER BY p.sorted_at \(order), p.id \(order) LIMIT \(limit)"
    let isMine: Query = "(p.couple_id IS NULL OR p.couple_id IS DISTINCT FROM \(together))"
    let own: Query = """
      SELECT * FROM (
        SELECT p.id FROM photos p WHERE p.user_id = \(viewer.id) AND \(condition)
          AND \(filter.tab == .mine ? isMine : "true") AND \(matches) \(sorted)) AS x
      """
    let shared: Query = """
      SELECT * FROM (
        SELECT p.id FROM photos p WHERE p.couple_id = \(together) AND p.couple_id IS NOT NULL
          AND \(condition) AND \(matches) \(sorted)) AS y
      """
    let found: Query =
      switch filter.tab {
      case .all, .favourites: "\(own) UNION \(shared)"
      case .ours: shared
      case .mine: own
      }
    return """
      SELECT \(Self.columns(for: viewer.id)) FROM (\(found)) AS found
      JOIN photos p ON p.id = found.id JOIN people_seen w ON w.id = p.user_id
      \(sorted)
      """
  }
}

extension String {
  /// A pattern of LIKE that finds this text anywhere.
  fileprivate var asLikePattern: String {
    let escaped = replacing("\\", with: "\\\\").replacing("%", with: "\\%")
      .replacing("_", with: "\\_")
    return "%\(escaped)%"
  }
}
