import Core
import Database
import Web

/// The notices that a list has.
struct NoticeFilter {
  /// Only those that were not read.
  var isUnread = false
  /// Only those of this kind; nil for all.
  var kind: NoticeKind?
}

/// Reads and marks a user's notices.
public struct NoticeStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Number of unread notices, up to the limit of the badge.
  static func unread(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT \(unreadCount(of: person))")
  }

  /// A subquery with the number of unread notices, up to the limit of the badge.
  public static func unreadCount(of person: ID<Person>) -> Query {
    """
    (SELECT count(*) FROM (
      SELECT 1 FROM notifications WHERE user_id = \(person) AND read_at IS NULL
      LIMIT \(NoticeRules.maximumCount)) AS counted)
    """
  }

  /// The identifier of a notice, by which lists are sorted.
  static let id: Query = "coalesce(listed_as, id)"

  private static let columns: Query =
    "id, \(id), kind, event, detail, note, path, created_at, read_at IS NOT NULL"

  /// Newest first, before the given one; all, or those that fit the filter. Leaves out kinds written
  /// by a later version and unknown to this one.
  func page(
    of person: ID<Person>, _ filter: NoticeFilter = NoticeFilter(),
    after cursor: PageCursor<Notice>?, limit: Int, in reader: ReadTransaction
  ) throws -> ListPage<Notice, Notice> {
    let ceiling = cursor?.id.bytes ?? [UInt8](repeating: 0xFF, count: 16)
    return try ListPage(
      limit: limit, cursor: { PageCursor(at: $0.createdAt, id: $0.id) },
      find: { limit in
        let found = try reader.rows(
          """
          SELECT \(Self.columns) FROM notifications
          WHERE user_id = \(person) AND \(Self.id) < \(ceiling)
            AND (read_at IS NULL OR \(filter.isUnread) = 0)
            AND kind = coalesce(\(filter.kind?.rawValue), kind)
          ORDER BY \(Self.id) DESC LIMIT \(limit)
          """, make: Self.notice)
        return try withActors(found.compactMap { $0 }, in: reader)
      })
  }

  func find(_ id: ID<Notice>, of person: ID<Person>, in reader: ReadTransaction) throws -> Notice? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM notifications WHERE user_id = \(person) AND \(Self.id) = \(id)
      """, make: Self.notice) ?? nil
  }

  /// Nil for a kind that this version does not know.
  private static func notice(_ reader: inout RowReader) throws -> Notice? {
    let (row, id) = (try reader.next(ID<Notice>.self), try reader.next(ID<Notice>.self))
    let kind = try reader.next(String.self)
    let (event, detail) = (try reader.next(String.self), try reader.next(String.self))
    let (note, path) = (try reader.next(String.self), try reader.next(String.self))
    let (createdAt, isRead) = (try reader.next(Instant.self), try reader.next(Bool.self))
    return NoticeKind(rawValue: kind).map {
      Notice(
        row: row, id: id, kind: $0, event: event, detail: detail, note: note, path: path,
        createdAt: createdAt, isRead: isRead)
    }
  }

  /// Actors of each notice: the latest two, and the total number.
  private static func actors(of notices: [Notice]) -> Query {
    """
    SELECT notification_id, name, avatar, number FROM (
      SELECT x.notification_id,
        coalesce((SELECT c.name FROM couples_seen c JOIN couples_open o ON o.id = c.id
          WHERE c.id = x.couple_id), p.name) AS name,
        coalesce((SELECT c.avatar FROM couples_seen c JOIN couples_open o ON o.id = c.id
          WHERE c.id = x.couple_id), p.avatar) AS avatar,
        x.number
      FROM (
        SELECT b.notification_id, b.user_id, b.couple_id,
          row_number() OVER (PARTITION BY b.notification_id ORDER BY b.at DESC, b.user_id) AS place,
          count(*) OVER (PARTITION BY b.notification_id) AS number
        FROM notification_actors b
        WHERE b.notification_id IN \(IDList(notices.map(\.row)))
      ) AS x JOIN people_seen p ON p.id = x.user_id
      WHERE x.place <= 2 ORDER BY x.notification_id, x.place) AS found
    """
  }

  private func withActors(_ notices: [Notice], in reader: ReadTransaction) throws -> [Notice] {
    var found: [ID<Notice>: (actors: [Notice.Actor], count: Int)] = [:]
    let rows = try reader.rows(Self.actors(of: notices)) {
      (
        try $0.next(ID<Notice>.self), Notice.Actor(name: try $0.next(), avatar: try $0.next()),
        try $0.next(Int.self)
      )
    }
    for (row, actor, count) in rows {
      found[row, default: ([], 0)].actors.append(actor)
      found[row]?.count = count
    }
    return notices.map { notice in
      var notice = notice
      (notice.actors, notice.actorCount) = found[notice.row] ?? ([], 0)
      return notice
    }
  }

  // MARK: Removing

  /// Returns whether there was such a notice.
  @discardableResult
  func remove(_ id: ID<Notice>, of person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "DELETE FROM notifications WHERE user_id = \(person) AND \(Self.id) = \(id)") == 1
  }

  // MARK: Reading

  /// Marks a user's notices as read up to this one, inclusive. Later ones stay unread.
  func markRead(
    upTo id: ID<Notice>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE notifications SET read_at = \(now)
      WHERE user_id = \(person) AND \(Self.id) <= \(id) AND read_at IS NULL
      """)
  }

  func markRead(
    _ id: ID<Notice>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE notifications SET read_at = \(now)
      WHERE user_id = \(person) AND \(Self.id) = \(id) AND read_at IS NULL
      """)
  }

  /// Deletes expired notices, a batch at a time; false if there were none.
  func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM notifications WHERE id IN (
        SELECT id FROM notifications WHERE created_at < \(now.adding(seconds: -NoticeRules.life))
        ORDER BY created_at LIMIT \(limit))
      """) > 0
  }
}
