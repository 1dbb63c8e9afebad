import Core

/// A position in a list that is ordered by a number and then by identifier, both descending:
/// `WHERE (p.created_at, p.id) < \(cursor) ORDER BY p.created_at DESC, p.id DESC`.
public struct PageCursor<Kind>: Equatable, Sendable {
  /// The number by which the list is ordered, such as a moment in ms.
  public let key: Int64
  public let id: ID<Kind>

  /// The position before the first row.
  public static var start: Self { Self(key: .max, id: .random()) }

  public init(key: Int64, id: ID<Kind>) {
    self.key = key
    self.id = id
  }

  public init(at moment: Instant, id: ID<Kind>) {
    self.init(key: moment.milliseconds, id: id)
  }

  /// Parses "<key>-<id>", as in addresses of pages; nil for anything else.
  public init?(_ text: String?) {
    guard let parts = text?.split(separator: "-", maxSplits: 1), parts.count == 2,
      let key = Int64(parts[0]), let id = ID<Kind>(parts[1])
    else { return nil }
    self.init(key: key, id: id)
  }

  public var text: String { "\(key)-\(id)" }

  /// `key` as a moment.
  public var at: Instant { Instant(milliseconds: key) }
}

extension Query.StringInterpolation {
  /// Adds a position as a row value.
  public mutating func appendInterpolation(_ cursor: PageCursor<some Any>) {
    appendLiteral("(")
    appendInterpolation(cursor.key)
    appendLiteral(", ")
    appendInterpolation(cursor.id)
    appendLiteral(")")
  }
}

/// A page of a list.
public struct ListPage<Row, Kind> {
  public let rows: [Row]
  /// Where the next page begins; nil on the last one.
  public let next: PageCursor<Kind>?

  /// A page of at most `limit` rows. `find` is called with the number of rows to ask for, which is
  /// one more: its presence means that there is a next page.
  public init(
    limit: Int, cursor: (Row) -> PageCursor<Kind>, find: (_ limit: Int) throws -> [Row]
  ) rethrows {
    let found = try find(limit + 1)
    rows = found.count > limit ? Array(found.prefix(limit)) : found
    next = found.count > limit ? rows.last.map(cursor) : nil
  }
}

extension ListPage: Sendable where Row: Sendable {}
