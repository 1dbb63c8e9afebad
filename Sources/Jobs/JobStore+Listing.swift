import Core
import Database

/// A job in the queue, as an operator sees it.
public struct QueuedJob: Sendable {
  /// The state of a job.
  public enum State: String, Sendable, CaseIterable {
    case running
    case due
    case waiting
  }

  public let id: ID<Job>
  public let kind: String
  public let state: State
  /// How often it was started.
  public let attempts: Int
  public let createdAt: Instant
  /// When it is due; while it runs, when its lease ends.
  public let runAt: Instant
  /// The error of the last attempt, if that failed.
  public let lastError: String?
}

/// The reasons for which a job is not made due.
public enum JobError: Error, CustomStringConvertible {
  case unknown
  case running

  public var description: String {
    switch self {
    case .unknown: "there is no such job; it may be done"
    case .running: "that job is running"
    }
  }
}

extension JobStore {
  private static let columns: Query = """
    id, kind, lease IS NOT NULL, run_at, attempts, created_at, last_error
    """

  /// The queued jobs, the first due first; `failed` are those whose last attempt failed.
  public func all(failed: Bool, limit: Int, now: Instant) throws -> [QueuedJob] {
    try database.read { reader in
      try reader.rows(
        """
        SELECT \(Self.columns) FROM jobs WHERE last_error IS NOT NULL OR \(failed) = 0
        ORDER BY run_at, id LIMIT \(limit)
        """
      ) { try Self.queued(&$0, now: now) }
    }
  }

  /// Makes a job due at once; returns it. The attempts count on. Throws `JobError`.
  public static func retry(
    _ id: ID<Job>, now: Instant, in writer: WriteTransaction
  ) throws -> QueuedJob {
    let found = try writer.first("SELECT \(columns) FROM jobs WHERE id = \(id)") {
      try queued(&$0, now: now)
    }
    guard let found else { throw JobError.unknown }
    guard found.state != .running else { throw JobError.running }
    try writer.execute("UPDATE jobs SET run_at = \(now), lease = NULL WHERE id = \(id)")
    return found
  }

  /// When the job with a unique key is due; nil if there is none.
  public static func dueAt(uniqueKey: String, in reader: ReadTransaction) throws -> Instant? {
    try reader.value("SELECT run_at FROM jobs WHERE unique_key = \(uniqueKey)", as: Instant.self)
  }

  private static func queued(_ row: inout RowReader, now: Instant) throws -> QueuedJob {
    let (id, kind) = (try row.next(ID<Job>.self), try row.next(String.self))
    let (isClaimed, runAt) = (try row.next(Bool.self), try row.next(Instant.self))
    return QueuedJob(
      id: id, kind: kind, state: runAt <= now ? .due : isClaimed ? .running : .waiting,
      attempts: try row.next(), createdAt: try row.next(), runAt: runAt,
      lastError: try row.next())
  }
}
