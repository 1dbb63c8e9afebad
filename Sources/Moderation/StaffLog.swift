import Basics
import Database

/// What staff do, as the log calls it.
enum StaffAction: String, Sendable, CaseIterable {
  case dismiss
  case hide
  case remove
  case warn
  case suspend
  case lift
  case export
}

/// One line of the log.
struct LogEntry: Sendable {
  let id: ID<LogEntry>
  let at: Instant
  let actor: String
  let action: String
  let kind: String
  /// What it was done to, as the other pages name it in their addresses.
  let subject: String
  let details: String
  let note: String
}

/// The log of every action of every moderator: lines are added and read, nothing else.
struct StaffLog: Sendable {
  static let pageSize = 50

  func add(
    _ action: StaffAction, to thing: Thing?, couple: ID<Couple>?, details: String, note: String,
    by viewer: Viewer, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO staff_log (id, at, actor, actor_name, action, kind, subject, couple, details,
        note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, ID<LogEntry>(now: now), now, viewer.id, viewer.face.name, action.rawValue,
      thing?.kind.rawValue ?? "log", thing?.bytes, couple, details, note)
  }

  /// The latest, those older than a place.
  func entries(
    before: ID<LogEntry>?, limit: Int, in reader: Reader
  ) throws -> [LogEntry] {
    try reader.rows(
      """
      SELECT id, at, actor_name, action, kind, subject, details, note FROM staff_log
      WHERE id < ? ORDER BY id DESC LIMIT ?
      """, before?.bytes ?? Self.behindAll, limit, make: Self.entry)
  }

  /// All of it, the oldest first, a part at a time.
  func entries(
    after: ID<LogEntry>?, limit: Int, in reader: Reader
  ) throws -> [LogEntry] {
    try reader.rows(
      """
      SELECT id, at, actor_name, action, kind, subject, details, note FROM staff_log
      WHERE id > ? ORDER BY id LIMIT ?
      """, after?.bytes ?? [], limit, make: Self.entry)
  }

  private static func entry(_ row: Row) throws -> LogEntry {
    let subject = row.optionalBytes(5).flatMap { ID<Thing>(bytes: $0) }
    return LogEntry(
      id: try row.id(0), at: row.instant(1), actor: row.text(2), action: row.text(3),
      kind: row.text(4), subject: subject?.description ?? "", details: row.text(6),
      note: row.text(7))
  }

  private static let behindAll = [UInt8](repeating: 0xFF, count: 17)
}
