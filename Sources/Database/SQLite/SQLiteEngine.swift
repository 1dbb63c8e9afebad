import Core
import GRDB

/// The SQLite file of an instance: concurrent readers and one writer, all in transactions.
final class SQLiteEngine: Sendable {
  let writer: DatabaseQueue
  let path: String
  let commits = GroupCommit()
  private let idleReaders = PThreadLocked<[DatabaseQueue]>([])
  private let log: StatementLog?

  /// Opens the file at `path`, and creates it if it does not exist. Throws `StorageError`.
  init(path: String, log: StatementLog?) throws {
    self.path = path
    self.log = log
    writer = try StorageError.translating(opening: path) { try Pragmas.openWriter(path) }
  }

  /// Runs `body` in a read transaction, on a read-only connection.
  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    let queue = try takeReader()
    defer { idleReaders.withLock { $0.append(queue) } }
    return try StorageError.translating {
      // The connection is read-only, so GRDB's own `read` would only add the cost of preparing
      // BEGIN and COMMIT each time.
      try queue.writeWithoutTransaction { connection in
        try StorageError.translating(on: connection) {
          try connection.step("BEGIN")
          defer { try? connection.step("COMMIT") }
          return try body(ReadTransaction(.sqlite(connection), log: log))
        }
      }
    }
  }

  /// Runs `body` in a `BEGIN IMMEDIATE` transaction, which may be shared with other threads
  /// (`GroupCommit`).
  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let start = ContinuousClock.now
    commits.announceChange()
    let (result, group) = try StorageError.translating {
      try writer.writeWithoutTransaction { connection in
        try commits.make(on: connection, begin: { try begin(on: connection, start: start) }) {
          let writer = WriteTransaction(.sqlite(connection), log: log)
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
