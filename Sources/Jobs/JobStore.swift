import Core
import Database

/// The job queue in the database.
public struct JobStore: Sendable {
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
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (unique_key) DO NOTHING
      """, ID<Job>(now: now), kind, payload, uniqueKey, runAt, now) == 1
  }

  /// Whether a job of this kind with this payload is queued under its key, now or later.
  public static func has(
    _ kind: String, payload: String, uniqueKey: String, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM jobs WHERE unique_key = ? AND kind = ? AND payload = ?", uniqueKey, kind,
      payload)
  }

  /// Adds a job, due at once, and replaces any job with its key.
  public static func addAnew(
    _ kind: String, payload: String = "", uniqueKey: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute("DELETE FROM jobs WHERE unique_key = ?", uniqueKey)
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
        "SELECT 1 FROM jobs WHERE run_at <= ? AND (kind IN (?, ?)) = ? LIMIT 1", now,
        queue.kinds.0, queue.kinds.1, queue.isOnly)
    }
    guard waiting else { return nil }
    return try database.write { writer in
      let due = try writer.first(
        """
        SELECT id, kind, payload, attempts, created_at FROM jobs
        WHERE run_at <= ? AND (kind IN (?, ?)) = ? ORDER BY run_at, id LIMIT 1
        """, now, queue.kinds.0, queue.kinds.1, queue.isOnly
      ) { row in
        (
          id: try row.id(0, Job.self), kind: row.text(1), payload: row.text(2),
          attempts: row.int(3), createdAt: row.instant(4)
        )
      }
      guard let due else { return nil }
      let lease = ID<Job>.random().bytes
      // A kind unknown to this version may be known to the next one.
      let length = kinds[due.kind]?.lease ?? .hours(1)
      try writer.execute(
        "UPDATE jobs SET run_at = ?, lease = ?, attempts = attempts + 1 WHERE id = ?",
        now.adding(seconds: length), lease, due.id)
      return Job(
        id: due.id, kind: due.kind, payload: due.payload, attempts: due.attempts + 1,
        createdAt: due.createdAt, lease: lease)
    }
  }

  /// Ends a job in the transaction that stores its effects, so that a crash can't repeat it; false
  /// if another worker has claimed it.
  public static func end(_ job: Job, in writer: WriteTransaction) throws -> Bool {
    try writer.execute("DELETE FROM jobs WHERE id = ? AND lease = ?", job.id, job.lease) == 1
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
          UPDATE jobs SET run_at = ?, lease = NULL, attempts = 0, last_error = NULL
          WHERE id = ? AND lease = ?
          """, moment, job.id, job.lease)
      case .retry(let seconds, let reason):
        try writer.execute(
          "UPDATE jobs SET run_at = ?, lease = NULL, last_error = ? WHERE id = ? AND lease = ?",
          now.adding(seconds: seconds), String(reason.prefix(500)), job.id, job.lease)
      }
    }
  }

  /// The number of jobs that are due and not started.
  public func dueCount(now: Instant) throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM jobs WHERE run_at <= ?", now) }
  }

  /// Whether a worker runs a job of a queue within its lease: such a queue sends no heartbeat, but
  /// is healthy.
  public func isBusy(_ queue: JobQueue, now: Instant) throws -> Bool {
    try database.read {
      try $0.exists(
        "SELECT 1 FROM jobs WHERE run_at > ? AND lease IS NOT NULL AND (kind IN (?, ?)) = ?", now,
        queue.kinds.0, queue.kinds.1, queue.isOnly)
    }
  }

  // MARK: Heartbeats

  public func beat(_ name: String, now: Instant) throws {
    try database.write { try Self.beat(name, now: now, in: $0) }
  }

  public static func beat(_ name: String, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO heartbeats (name, at) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET at = excluded.at
      """, name, now)
  }

  /// Records since when a condition holds, unless that is recorded already.
  public static func beatOnce(_ name: String, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "INSERT INTO heartbeats (name, at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, now)
  }

  /// Deletes a heartbeat.
  public static func forgetBeat(_ name: String, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM heartbeats WHERE name = ?", name)
  }

  public func lastBeat(_ name: String) throws -> Instant? {
    try database.read { try Self.lastBeat(name, in: $0) }
  }

  public static func lastBeat(_ name: String, in reader: ReadTransaction) throws -> Instant? {
    try reader.first("SELECT at FROM heartbeats WHERE name = ?", name) { $0.instant(0) }
  }
}
