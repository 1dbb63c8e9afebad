import Accounts
import Core
import Database

/// Actions of staff, by their names in the log.
enum ModerationAction: String, Sendable, CaseIterable {
  case dismiss
  case hide
  case remove
  case warn
  case suspend
  case lift
  case undo
  case export
  case vouchers
  case vouchersend
}

/// An entry of the log.
struct AuditLogEntry: Sendable {
  /// Sequence number in the log, from 1.
  let number: Int64
  let at: Instant
  let actor: String
  let action: String
  let kind: String
  /// The target, as other pages name it in their URLs.
  let subject: String
  let details: String
  let note: String
}

/// The log of all actions of staff: append-only.
public struct AuditLog: AuditLogging {
  static let pageSize = 50
  /// The actor of commands run on the server, which need no account.
  static let atTheServer = "pairspot admin"

  public init() {}

  public func note(
    _ action: AuditAction, to subject: AuditTarget, details: String, by viewer: Viewer?,
    now: Instant,
    in writer: WriteTransaction
  ) throws {
    try add(
      action.rawValue, subject, couple: nil, details: details, note: "", by: viewer, now: now,
      in: writer)
  }

  /// Adds an entry about a target that cannot be reported.
  func add(
    _ action: ModerationAction, to subject: AuditTarget, details: String, by viewer: Viewer,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try add(
      action.rawValue, subject, couple: nil, details: details, note: "", by: viewer, now: now,
      in: writer)
  }

  func add(
    _ action: ModerationAction, to target: ReportTarget?, couple: ID<Couple>?, details: String,
    note: String,
    by viewer: Viewer?, now: Instant, in writer: WriteTransaction
  ) throws {
    try add(
      action.rawValue, target.map { AuditTarget(kind: $0.kind.rawValue, bytes: $0.bytes) },
      couple: couple, details: details, note: note, by: viewer, now: now, in: writer)
  }

  private func add(
    _ action: String, _ subject: AuditTarget?, couple: ID<Couple>?, details: String, note: String,
    by viewer: Viewer?, now: Instant, in writer: WriteTransaction
  ) throws {
    // PostgreSQL's own numbers have gaps after transactions that were undone.
    try writer.execute(
      """
      INSERT INTO staff_log
        (number, at, actor, actor_name, action, kind, subject, couple, details, note)
      VALUES ((SELECT coalesce(max(number), 0) + 1 FROM staff_log), \(now), \(viewer?.id),
        \(viewer?.avatar.name ?? Self.atTheServer), \(action), \(subject?.kind ?? "log"),
        \(subject?.bytes), \(couple), \(details), \(note))
      """)
  }

  /// The latest entries before a number.
  func entries(
    before: Int64?, limit: Int, in reader: ReadTransaction
  ) throws -> [AuditLogEntry] {
    try reader.rows(
      """
      SELECT number, at, actor_name, action, kind, subject, details, note FROM staff_log
      WHERE number < \(before ?? .max) ORDER BY number DESC LIMIT \(limit)
      """, make: Self.entry)
  }

  /// The oldest entries after a number; for reading the whole log in parts.
  func entries(
    after: Int64?, limit: Int, in reader: ReadTransaction
  ) throws -> [AuditLogEntry] {
    try reader.rows(
      """
      SELECT number, at, actor_name, action, kind, subject, details, note FROM staff_log
      WHERE number > \(after ?? 0) ORDER BY number LIMIT \(limit)
      """, make: Self.entry)
  }

  private static func entry(_ row: inout RowReader) throws -> AuditLogEntry {
    AuditLogEntry(
      number: try row.next(), at: try row.next(), actor: try row.next(), action: try row.next(),
      kind: try row.next(),
      subject: try row.next([UInt8]?.self).flatMap { ID<ReportTarget>(bytes: $0) }?.description
        ?? "",
      details: try row.next(), note: try row.next())
  }
}
