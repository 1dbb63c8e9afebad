import Core
import Glibc
import PostgreSQL

/// A database of a PostgreSQL server: connections that are used for one transaction at a time, as
/// many as transactions run at once (docs/developer/postgresql.md).
final class PostgreSQLEngine: Sendable {
  /// How often a write transaction runs, and the longest pause before the first repetition, in µs.
  /// It doubles each time.
  private static let maximumAttempts = 10
  private static let firstPause: UInt32 = 2_000
  /// The number of attempts beside other transactions. The later ones run alone.
  private static let attemptsBeside = 6

  private static let beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  private static let beginWrite =
    "BEGIN ISOLATION LEVEL SERIALIZABLE; \(lock) IN ROW SHARE MODE"
  /// Waits for the end of all writing transactions, and keeps new ones waiting. What runs alone needs
  /// no check for conflicts, which fails without any while other databases have long transactions.
  private static let beginAlone =
    "BEGIN ISOLATION LEVEL REPEATABLE READ; \(lock) IN EXCLUSIVE MODE"
  /// `LOCK` takes no snapshot: the transaction sees what was committed while it waited.
  private static let lock = "LOCK TABLE \(PostgreSQLSchema.ledger)"

  private let address: String
  private let log: StatementLog?
  private let idle = PThreadLocked<[PostgreSQLConnection]>([])

  /// Connects once, so that a wrong address is found at the start. Throws `StorageError`.
  init(address: String, log: StatementLog?) throws {
    self.address = address
    self.log = log
    idle.withLock { [connection = try connect()] in $0.append(connection) }
  }

  /// The numbers of the server's processes that serve idle connections of this one.
  var idleProcesses: [Int] { idle.withLock { $0.map { Int($0.serverProcess) } } }

  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    let connection = try begin(Self.beginRead)
    defer { finish(connection, "COMMIT") }
    return try body(ReadTransaction(.postgresql(connection), log: log))
  }

  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    var pause = Self.firstPause
    for number in 1...Self.maximumAttempts {
      if let result = try attempt(body, number) { return result }
      usleep(.random(in: 0...pause))
      pause *= 2
    }
    throw StorageError.busy
  }

  /// Runs `body` in a transaction; nil if another transaction got in its way.
  private func attempt<Result>(
    _ body: (WriteTransaction) throws -> Result, _ number: Int
  ) throws -> Result? {
    let connection = try begin(number > Self.attemptsBeside ? Self.beginAlone : Self.beginWrite)
    do {
      let writer = WriteTransaction(.postgresql(connection), log: log)
      let result = try body(writer)
      if let step = TransactionHook.step { try step.run(writer, result) }
      try commit(connection)
      giveBack(connection)
      return result
    } catch {
      finish(connection, "ROLLBACK")
      // `body` may have thrown an error of its own because of it.
      if let failure = connection.failure, failure.isConflict || number == 1 && failure.isDuplicate
      {
        return nil
      }
      throw error
    }
  }

  private func commit(_ connection: PostgreSQLConnection) throws {
    do {
      // After a failed statement, COMMIT succeeds as a rollback.
      guard try connection.run("COMMIT").command == "COMMIT" else {
        throw connection.failure.map { StorageError($0) } ?? StorageError.busy
      }
    } catch let error as PostgreSQLError {
      throw error.isUncertain ? StorageError.uncertain : StorageError(error)
    }
  }

  /// Applies migrations, each in its own transaction, unless they are applied already.
  func apply(_ migrations: [Migration]) throws {
    try migrating { _ in [PostgreSQLSchema.createLedger, PostgreSQLFunctions.definitions] }
    let applied = Set(try read { try $0.appliedMigrations() })
    for migration in migrations where !applied.contains(migration.name) {
      try migrating { writer in
        if try writer.appliedMigrations().contains(migration.name) { return [] }
        try writer.execute(
          "INSERT INTO applied_migrations (identifier) VALUES (\(migration.name))")
        return [try PostgreSQLSchema.statements(of: migration)]
      }
    }
  }

  /// Applies all migrations to a database without tables, in the transaction of `exclusively`.
  static func applyAll(_ migrations: [Migration], on connection: PostgreSQLConnection) throws {
    let writer = WriteTransaction(.postgresql(connection), log: nil)
    for statements in [PostgreSQLSchema.createLedger, PostgreSQLFunctions.definitions] {
      try connection.run(statements)
    }
    for migration in migrations {
      try connection.run(PostgreSQLSchema.statements(of: migration))
      try writer.execute(
        "INSERT INTO applied_migrations (identifier) VALUES (\(migration.name))")
    }
  }

  /// Runs the statements that `body` returns in a transaction, while no other process does so.
  private func migrating(_ body: (WriteTransaction) throws -> [String]) throws {
    try exclusively { connection in
      for statements in try body(WriteTransaction(.postgresql(connection), log: nil)) {
        try connection.run(statements)
      }
    }
  }

  /// Runs `body` in a transaction, while no other process migrates the database.
  func exclusively<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    // With READ COMMITTED a statement sees what was committed while it waited for the lock.
    let connection = try begin("BEGIN ISOLATION LEVEL READ COMMITTED")
    do {
      let result = try StorageError.translatingPostgreSQL {
        try connection.run(PostgreSQLSchema.lock)
        return try body(connection)
      }
      try commit(connection)
      giveBack(connection)
      return result
    } catch {
      finish(connection, "ROLLBACK")
      throw error
    }
  }

  /// Begins a transaction on an idle connection, or on a new one if there is none or the server was
  /// restarted since.
  private func begin(_ statement: String) throws -> PostgreSQLConnection {
    while let connection = idle.withLock({ $0.popLast() }) {
      connection.forgetFailure()
      do {
        try connection.run(statement)
        return connection
      } catch let error as PostgreSQLError where !connection.isLost {
        finish(connection, "ROLLBACK")
        throw StorageError(error)
      } catch {}
    }
    let connection = try connect()
    try StorageError.translatingPostgreSQL { try connection.run(statement) }
    return connection
  }

  private func connect() throws -> PostgreSQLConnection { try Self.connect(to: address) }

  /// A new connection. Throws `StorageError`.
  static func connect(to address: String) throws -> PostgreSQLConnection {
    do {
      let connection = try PostgreSQLConnection(address, defaults: PostgreSQLSettings.connection)
      guard connection.serverVersion >= PostgreSQLSettings.minimumVersion else {
        throw StorageError.unsupported("PostgreSQL 15 or later is needed")
      }
      try connection.run(PostgreSQLSettings.session)
      return connection
    } catch let error as PostgreSQLError {
      throw StorageError.unavailable(error.description)
    }
  }

  private func finish(_ connection: PostgreSQLConnection, _ statement: String) {
    _ = try? connection.run(statement)
    giveBack(connection)
  }

  /// Keeps a connection for the next transaction, unless it is lost or its prepared statements are
  /// not valid any more.
  private func giveBack(_ connection: PostgreSQLConnection) {
    guard connection.isIdle, connection.failure?.isAboutPreparedStatements != true else { return }
    idle.withLock { $0.append(connection) }
  }
}
