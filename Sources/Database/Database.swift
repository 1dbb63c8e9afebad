import Basics
import GRDB
import Synchronization

/// The one database of an instance: many readers at once, one writer, each kept whole.
///
/// Features see `read`, `write`, `Row` and bound values; that GRDB and SQLite stand behind it is
/// this room's own business (architecture.md, "Rules of the house").
public final class Database: Sendable {
  let writer: DatabaseQueue
  let path: String
  private let idleReaders = Mutex<[DatabaseQueue]>([])
  private let log: StatementLog?
  /// Kept as long as this is open.
  private let held: (any Sendable)?

  /// Opens the file at `path`, makes it when it isn't there. `log` collects the statements for
  /// tests of their plans. What is `holding` stays alive as long as this does: a lock, which must
  /// not be let go of before the last who works with the database has ended, however little else
  /// that one needs. Throws `DatabaseFailure`.
  public init(path: String, log: StatementLog? = nil, holding held: (any Sendable)? = nil) throws {
    self.path = path
    self.log = log
    self.held = held
    writer = try DatabaseFailure.translating(opening: path) { try Pragmas.openWriter(path) }
  }

  /// Asks questions in one consistent view, on a connection that cannot write.
  public func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    let queue = try takeReader()
    defer { idleReaders.withLock { $0.append(queue) } }
    return try DatabaseFailure.translating {
      try queue.read { connection in
        try DatabaseFailure.translating(on: connection) {
          try body(Reader(connection: connection, log: log))
        }
      }
    }
  }

  /// Changes the database in one `BEGIN IMMEDIATE` transaction, which is on the disk when this
  /// returns and undone when `body` throws.
  @discardableResult
  public func write<Result>(_ body: (Writer) throws -> Result) throws -> Result {
    let asked = ContinuousClock.now
    return try DatabaseFailure.translating {
      try writer.writeWithoutTransaction { connection in
        // Who waited here behind others waits the less for a lock of another program's: none holds
        // a thread for the patience of all who were before.
        Pragmas.wait(Pragmas.patience - asked.secondsPassed, on: connection)
        defer { Pragmas.wait(Pragmas.patience, on: connection) }
        var result: Result?
        try DatabaseFailure.translating(on: connection) {
          try connection.inTransaction(.immediate) {
            let writer = Writer(reader: Reader(connection: connection, log: log))
            let made = try body(writer)
            if let step = BeforeCommit.step { try step.run(writer, made) }
            result = made
            return .commit
          }
        }
        guard let result else { throw DatabaseFailure.unreadable("a transaction without a result") }
        return result
      }
    }
  }

  /// What a pragma says on the writer ("synchronous").
  public func writerPragma(_ name: String) throws -> String {
    try DatabaseFailure.translating {
      try writer.writeWithoutTransaction { connection in
        try String.fetchOne(connection, sql: "PRAGMA \(name)") ?? ""
      }
    }
  }

  /// Brings the write-ahead log into the main file, as far as readers let it.
  public func checkpoint() throws {
    try DatabaseFailure.translating {
      try writer.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    }
  }

  /// Closes the readers that wait for work.
  func closeReaders() throws {
    for reader in idleReaders.withLock({ $0 }) { try reader.close() }
    idleReaders.withLock { $0.removeAll() }
  }

  private func takeReader() throws -> DatabaseQueue {
    // The reader that was used last has the warmest cache.
    if let reader = idleReaders.withLock({ $0.popLast() }) { return reader }
    return try DatabaseFailure.translating(opening: path) { try Pragmas.openReader(path) }
  }
}

extension ContinuousClock.Instant {
  fileprivate var secondsPassed: Double {
    let passed = duration(to: .now).components
    return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
  }
}
