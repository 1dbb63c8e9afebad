import Core
import GRDB

/// The database of an instance: concurrent readers and one writer, all in transactions.
///
/// Features use `read`, `write`, `Row` and bound values. GRDB and SQLite are an internal detail of
/// this module (docs/developer/architecture.md#rules).
public final class Database: Sendable {
  let writer: DatabaseQueue
  let path: String
  let commits = GroupCommit()
  private let idleReaders = PThreadLocked<[DatabaseQueue]>([])
  private let log: StatementLog?
  /// Retained while the database is open.
  private let retained: (any Sendable)?

  /// Opens the file at `path`, and creates it if it does not exist. `log` collects statements for
  /// tests of query plans. `holding` is retained as long as this object: a lock that must not be
  /// released before the last user of the database is done. Throws `StorageError`.
  public init(path: String, log: StatementLog? = nil, holding retained: (any Sendable)? = nil)
    throws
  {
    self.path = path
    self.log = log
    self.retained = retained
    writer = try StorageError.translating(opening: path) { try Pragmas.openWriter(path) }
  }

  /// Runs `body` in a read transaction, on a read-only connection.
  public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    let queue = try takeReader()
    defer { idleReaders.withLock { $0.append(queue) } }
    return try StorageError.translating {
      // The connection is read-only, so GRDB's own `read` would only add the cost of preparing
      // BEGIN and COMMIT each time.
      try queue.writeWithoutTransaction { connection in
        try StorageError.translating(on: connection) {
          try connection.step("BEGIN")
          defer { try? connection.step("COMMIT") }
          return try body(ReadTransaction(connection: connection, log: log))
        }
      }
    }
  }

  /// Runs `body` in a `BEGIN IMMEDIATE` transaction, which may be shared with other threads
  /// (`GroupCommit`). All changes are on disk when this returns, and rolled back if `body` throws.
  @discardableResult
  public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let start = ContinuousClock.now
    commits.announceChange()
    let (result, group) = try StorageError.translating {
      try writer.writeWithoutTransaction { connection in
        try commits.make(on: connection, begin: { try begin(on: connection, start: start) }) {
          let writer = WriteTransaction(connection: connection, log: log)
          let made = try body(writer)
          if let step = TransactionHook.step { try step.run(writer, made) }
          return made
        }
      }
    }
    try group.wait()
    return result
  }

  private func begin(
    on connection: GRDB.Database, start: ContinuousClock.Instant
  ) throws {
    // Time spent waiting for other threads is deducted from the lock timeout, so a thread does not
    // wait for the sum of both.
    Pragmas.wait(Pragmas.timeout - start.secondsPassed, on: connection)
    defer { Pragmas.wait(Pragmas.timeout, on: connection) }
    try connection.step("BEGIN IMMEDIATE")
  }

  /// Calls `body` with the writer's connection, outside of any transaction.
  func withWriter<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
    try StorageError.translating {
      try writer.writeWithoutTransaction { connection in
        commits.finishOpenGroup(on: connection)
        return try StorageError.translating(on: connection) { try body(connection) }
      }
    }
  }

  /// The value of a pragma on the writer ("synchronous").
  public func writerPragma(_ name: String) throws -> String {
    try withWriter { try String.fetchOne($0, sql: "PRAGMA \(name)") ?? "" }
  }

  /// Moves the write-ahead log into the main file, as far as readers permit.
  public func checkpoint() throws {
    try withWriter { _ = try $0.checkpoint(.passive) }
  }

  /// Closes the idle readers.
  func closeReaders() throws {
    for reader in idleReaders.withLock({ $0 }) { try reader.close() }
    idleReaders.withLock { $0.removeAll() }
  }

  private func takeReader() throws -> DatabaseQueue {
    // The most recently used reader has the warmest cache.
    if let reader = idleReaders.withLock({ $0.popLast() }) { return reader }
    return try StorageError.translating(opening: path) { try Pragmas.openReader(path) }
  }
}

extension ContinuousClock.Instant {
  fileprivate var secondsPassed: Double {
    let passed = duration(to: .now).components
    return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
  }
}
