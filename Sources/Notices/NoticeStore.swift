import Core
import Database
import Web

/// Reads and marks a user's notices.
public struct NoticeStore: UnreadNotices {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  public func mark(for person: ID<Person>) throws -> String? {
    NoticeRules.mark(try database.read { try Self.unread(of: person, in: $0) })
  }

  /// Number of unread notices, up to the limit of the badge.
  static func unread(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM notifications WHERE user_id = ? AND read_at IS NULL LIMIT ?)
      """, person, NoticeRules.countMost)
  }

  private static let columns =
    "id, kind, event, detail, note, path, created_at, read_at IS NOT NULL"

  /// Newest first, before the given one. Leaves out kinds written by a later version and unknown to
  /// this one.
  func all(
    of person: ID<Person>, before: ID<Notice>?, limit: Int, in reader: ReadTransaction
  ) throws -> [Notice] {
    let ceiling = before.map(\.bytes) ?? [UInt8](repeating: 0xFF, count: 16)
    let found = try reader.rows(
      """
      SELECT \(Self.columns) FROM notifications WHERE user_id = ? AND id < ?
      ORDER BY id DESC LIMIT ?
      """, person, ceiling, limit, make: Self.notice)
    return try withActors(found.compactMap { $0 }, in: reader)
  }

  func find(_ id: ID<Notice>, of person: ID<Person>, in reader: ReadTransaction) throws -> Notice? {
    try reader.first(
      "SELECT \(Self.columns) FROM notifications WHERE id = ? AND user_id = ?", id, person,
      make: Self.notice) ?? nil
  }

  private static func notice(_ row: Row) throws -> Notice? {
    guard let kind = NoticeKind(rawValue: row.text(1)) else { return nil }
    return Notice(
      id: try row.id(0), kind: kind, event: row.text(2), detail: row.text(3), note: row.text(4),
      path: row.text(5), createdAt: row.instant(6), isRead: row.flag(7))
  }

  /// Notices per query, with one statement for any number: unused parameters are NULL and match
  /// nothing.
  private static let batch = NoticeRules.pageSize + 1

  /// Actors of each notice: the latest two, and the total number.
  private static let actors = """
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
        WHERE b.notification_id IN (\([String](repeating: "?", count: batch).joined(separator: ", ")))
      ) AS x JOIN people_seen p ON p.id = x.user_id
      WHERE x.place <= 2 ORDER BY x.notification_id, x.place) AS found
    """

  private func withActors(_ notices: [Notice], in reader: ReadTransaction) throws -> [Notice] {
    var found: [ID<Notice>: (actors: [Notice.Actor], count: Int)] = [:]
    for start in stride(from: 0, to: notices.count, by: Self.batch) {
      let some = notices[start..<min(start + Self.batch, notices.count)].map { $0.id }
      let padding = [ID<Notice>?](repeating: nil, count: Self.batch - some.count)
      let rows = try reader.rows(Self.actors, values: some + padding) {
        (
          try $0.id(0, Notice.self),
          Notice.Actor(name: $0.text(1), avatar: $0.optionalText(2)), $0.int(3)
        )
      }
      for (notice, actor, count) in rows {
        found[notice, default: ([], 0)].actors.append(actor)
        found[notice]?.count = count
      }
    }
    return notices.map { notice in
      var notice = notice
      (notice.actors, notice.actorCount) = found[notice.id] ?? ([], 0)
      return notice
    }
  }

  // MARK: Reading

  /// Marks a user's notices as read up to this one, inclusive. Later ones stay unread.
  func markRead(
    upTo id: ID<Notice>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE notifications SET read_at = ? WHERE user_id = ? AND id <= ? AND read_at IS NULL",
      now, person, id)
  }

  func markRead(
    _ id: ID<Notice>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE notifications SET read_at = ? WHERE id = ? AND user_id = ? AND read_at IS NULL",
      now, id, person)
  }

  /// Deletes expired notices, a batch at a time; false if there were none.
  func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM notifications WHERE id IN (
        SELECT id FROM notifications WHERE created_at < ? ORDER BY created_at LIMIT ?)
      """, now.adding(seconds: -NoticeRules.life), limit) > 0
  }
}
