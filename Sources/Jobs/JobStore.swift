import Core
import Database

/// The job queue in the database.
public struct JobStore: Sendable {
  /// Passes over the jobs that workers on other nodes are claiming, instead of waiting for them.
  /// SQLite has one writer at a time.
  private static let notBeingClaimed = Query(sqlite: "", postgresql: "FOR UPDATE SKIP LOCKED")

  let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Adds a job within the transaction that makes it necessary. With a unique key it is there at
  /// most once; returns whether it is new.
  @discardableResult
  public static func add(
    _ kind: String, payload: String = "", uniqueKey: String? = nil, runAt: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO jobs (id, kind, payload, unique_key, run_at, created_at)
      VALUES (\(ID<Job>(now: now)), \(kind), \(payload), \(uniqueKey), \(runAt), \(now))
      ON CONFLICT (unique_key) DO NOTHING
      """) == 1
  }

  /// Whether a job of this kind with this payload is queued under its key, now or later.
  public static func has(
    _ kind: String, payload: String, uniqueKey: String, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM jobs WHERE unique_key = \(uniqueKey) AND kind = \(kind) AND payload = \(payload)
      """)
  }

  /// Adds a job, due at once, and replaces any job with its key.
  public static func addReplacing(
    _ kind: String, payload: String = "", uniqueKey: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute("DELETE FROM jobs WHERE unique_key = \(uniqueKey)")
    try add(kind, payload: payload, uniqueKey: uniqueKey, runAt: now, now: now, in: writer)
  }

  /// Claims the job of a queue that has been due longest, for its kind's lease. The lease is the
  /// due time moved into the future: the job of a worker that dies becomes due again by itself.
  func claim(
    _ kinds: [String: JobKind], queue: JobQueue = .all, now: Instant
  ) throws -> Job? {
    // Reading first takes no lock, and usually no job is due.
    let waiting = try database.read {
      try $0.exists(
        """
        SELECT 1 FROM jobs WHERE run_at <= \(now)
          AND (kind IN (\(queue.kinds.0), \(queue.kinds.1))) = (\(queue.isOnly) = 1) LIMIT 1
        """)
    }
    guard waiting else { return nil }
    return try database.write { writer in
      let due = try writer.first(
        """
        SELECT id, kind, payload, attempts, created_at FROM jobs
        WHERE run_at <= \(now)
          AND (kind IN (\(queue.kinds.0), \(queue.kinds.1))) = (\(queue.isOnly) = 1)
        ORDER BY run_at, id LIMIT 1 \(Self.notBeingClaimed)
        """
      ) { row in
        (
          id: try row.next(ID<Job>.self), kind: try row.next(String.self),
          payload: try row.next(String.self),
          attempts: try row.next(Int.self), createdAt: try row.next(Instant.self)
        )
      }
      guard let due else { return nil }
      let lease = ID<Job>.random().bytes
      // A kind unknown to this version may be known to the next one.
      let length = kinds[due.kind]?.lease ?? .hours(1)
      try writer.execute(
        """
        UPDATE jobs SET run_at = \(now.adding(seconds: length)), lease = \(lease),
          attempts = attempts + 1 WHERE id = \(due.id)
        """)
      return Job(
        id: due.id, kind: due.kind, payload: due.payload, attempts: due.attempts + 1,
        createdAt: due.createdAt, lease: lease)
    }
  }

  /// Ends a job in the transaction that stores its effects, so that a crash can't repeat it; false
  /// if another worker has claimed it.
  public static func end(_ job: Job, in writer: WriteTransaction) throws -> Bool {
    try writer.execute("DELETE FROM jobs WHERE id = \(job.id) AND lease = \(job.lease)") == 1
  }

  /// Stores the result of a job, if this worker still holds it.
  func finish(_ job: Job, _ outcome: JobOutcome, now: Instant) throws {
    try database.write { writer in
      switch outcome {
      case .done:
        _ = try Self.end(job, in: writer)
      case .again(let moment):
        try writer.execute(
          """
          UPDATE jobs SET run_at = \(moment), lease = NULL, attempts = 0, last_error = NULL
          WHERE id = \(job.id) AND lease = \(job.lease)
          """)
      case .retry(let seconds, let reason):
        try writer.execute(
          """
          UPDATE jobs SET run_at = \(now.adding(seconds: seconds)), lease = NULL,
            last_error = \(String(reason.prefix(500))) WHERE id = \(job.id) AND lease = \(job.lease)
          """)
      }
    }
  }

  /// The number of jobs that are due and not started.
  public func dueCount(now: Instant) throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM jobs WHERE run_at <= \(now)") }
  }

  /// Whether a worker runs a job of a queue within its lease: such a queue sends no heartbeat, but
  /// is healthy.
  public func isBusy(_ queue: JobQueue, now: Instant) throws -> Bool {
    try database.read {
      try $0.exists(
        """
        SELECT 1 FROM jobs WHERE run_at > \(now) AND lease IS NOT NULL
          AND (kind IN (\(queue.kinds.0), \(queue.kinds.1))) = (\(queue.isOnly) = 1)
        """)
    }
  }

  // MARK: Heartbeats

  public func beat(_ name: String, now: Instant) throws {
    try database.write { try Self.beat(name, now: now, in: $0) }
  }

  public static func beat(_ name: String, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO heartbeats (name, at) VALUES (\(name), \(now))
      ON CONFLICT (name) DO UPDATE SET at = excluded.at
      """)
  }

  /// Records since when a condition holds, unless that is recorded already.
  public static func beatOnce(_ name: String, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "INSERT INTO heartbeats (name, at) VALUES (\(name), \(now)) ON CONFLICT (name) DO NOTHING")
  }

  /// Deletes a heartbeat.
  public static func forgetBeat(_ name: String, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM heartbeats WHERE name = \(name)")
  }

  public func lastBeat(_ name: String) throws -> Instant? {
    try database.read { try Self.lastBeat(name, in: $0) }
  }

  public static func lastBeat(_ name: String, in reader: ReadTransaction) throws -> Instant? {
    try reader.value("SELECT at FROM heartbeats WHERE name = \(name)", as: Instant.self)
  }
}
