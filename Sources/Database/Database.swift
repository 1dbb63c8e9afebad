import Core
import GRDB

/// The one database of an instance: many readers at once, one writer, each kept whole.
///
/// Features see `read`, `write`, `Row` and bound values; that GRDB and SQLite stand behind it is
/// an internal detail of this module (docs/developer/architecture.md#rules).
public final class Database: Sendable {
  let writer: DatabaseQueue
  let path: String
  let turns = GroupCommit()
  private let idleReaders = PThreadLocked<[DatabaseQueue]>([])
  private let log: StatementLog?
  /// Kept as long as this is open.
  private let held: (any Sendable)?

  /// Opens the file at `path`, makes it when it isn't there. `log` collects the statements for
  /// tests of their plans. What is `holding` stays alive as long as this does: a lock, which must
  /// not be let go of before the last who works with the database has ended, however little else
  /// that one needs. Throws `StorageError`.
  public init(path: String, log: StatementLog? = nil, holding held: (any Sendable)? = nil) throws {
    self.path = path
    self.log = log
    self.held = held
    writer = try StorageError.translating(opening: path) { try Pragmas.openWriter(path) }
  }

  /// Asks questions in one consistent view, on a connection that cannot write.
  public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    let queue = try takeReader()
    defer { idleReaders.withLock { $0.append(queue) } }
    return try StorageError.translating {
      // Such a connection can't write, so that GRDB's own `read` would add nothing but preparing
      // the beginning and the end anew each time.
      try queue.writeWithoutTransaction { connection in
        try StorageError.translating(on: connection) {
          try connection.step("BEGIN")
          defer { try? connection.step("COMMIT") }
          return try body(ReadTransaction(connection: connection, log: log))
        }
      }
    }
  }

  /// Changes the database in a `BEGIN IMMEDIATE` transaction, whose commit may be that of changes
  /// of other threads too (`GroupCommit`): all of it is on the disk when this returns, and undone
  /// when `body` throws.
  @discardableResult
  public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let asked = ContinuousClock.now
    turns.wantSlot()
    let (result, group) = try StorageError.translating {
      try writer.writeWithoutTransaction { connection in
        try turns.make(on: connection, begin: { try begin(on: connection, asked: asked) }) {
          let writer = WriteTransaction(reader: ReadTransaction(connection: connection, log: log))
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
    on connection: GRDB.Database, asked: ContinuousClock.Instant
  ) throws {
    // Who waited here behind others waits the less for a lock of another program's: none holds a
    // thread for the patience of all who were before.
    Pragmas.wait(Pragmas.timeout - asked.secondsPassed, on: connection)
    defer { Pragmas.wait(Pragmas.timeout, on: connection) }
    try connection.step("BEGIN IMMEDIATE")
  }

  /// The writer's connection outside of any transaction.
  func withWriter<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
    try StorageError.translating {
      try writer.writeWithoutTransaction { connection in
        turns.settle(on: connection)
        return try StorageError.translating(on: connection) { try body(connection) }
      }
    }
  }

  /// What a pragma says on the writer ("synchronous").
  public func writerPragma(_ name: String) throws -> String {
    try withWriter { try String.fetchOne($0, sql: "PRAGMA \(name)") ?? "" }
  }

  /// Brings the write-ahead log into the main file, as far as readers let it.
  public func checkpoint() throws {
    try withWriter { _ = try $0.checkpoint(.passive) }
  }

  /// Closes the readers that wait for work.
  func closeReaders() throws {
    for reader in idleReaders.withLock({ $0 }) { try reader.close() }
    idleReaders.withLock { $0.removeAll() }
  }

  private func takeReader() throws -> DatabaseQueue {
    // The reader that was used last has the warmest cache.
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
