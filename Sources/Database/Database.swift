import GRDB

/// The database of an instance: an SQLite file, or a database of a PostgreSQL server.
///
/// Features use `read`, `write`, `Row` and bound values. The engines are an internal detail of this
/// module (docs/developer/architecture.md#rules).
public final class Database: Sendable {
  enum Engine: Sendable {
    case sqlite(SQLiteEngine)
    case postgresql(PostgreSQLEngine)
  }

  let engine: Engine
  /// Retained while the database is open.
  private let retained: (any Sendable)?

  /// Opens the file at `path`, and creates it if it does not exist. `log` collects statements for
  /// tests of query plans. `holding` is retained as long as this object: a lock that must not be
  /// released before the last user of the database is done. Throws `StorageError`.
  public init(path: String, log: StatementLog? = nil, holding retained: (any Sendable)? = nil)
    throws
  {
    engine = .sqlite(try SQLiteEngine(path: path, log: log))
    self.retained = retained
  }

  /// Opens the database of a PostgreSQL server, version 15 or later, at a connection URI
  /// (docs/developer/postgresql.md#connections). Throws `StorageError`.
  public init(
    server address: String, log: StatementLog? = nil, holding retained: (any Sendable)? = nil
  ) throws {
    engine = .postgresql(try PostgreSQLEngine(address: address, log: log))
    self.retained = retained
  }

  /// Runs `body` in a read transaction, on a connection that can't write.
  public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    switch engine {
    case .sqlite(let engine): try engine.read(body)
    case .postgresql(let engine): try engine.read(body)
    }
  }

  /// Runs `body` in a write transaction. All changes are on disk when this returns, and rolled back
  /// if `body` throws.
  ///
  /// SQLite: the transaction may be shared with other threads (`GroupCommit`). PostgreSQL: `body`
  /// runs again if another transaction got in its way, so it must have no effect outside of the
  /// transaction.
  @discardableResult
  public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    #if DEBUG
      rehearse(body)
    #endif
    switch engine {
    case .sqlite(let engine): return try engine.write(body)
    case .postgresql(let engine): return try engine.write(body)
    }
  }

  /// Whether this is an SQLite file: for what only one engine has, such as FTS5's commands.
  public var isSQLite: Bool {
    if case .sqlite = engine { true } else { false }
  }

  /// The SQLite file. Throws `StorageError.unsupported` for PostgreSQL.
  func file() throws -> SQLiteEngine {
    guard case .sqlite(let engine) = engine else {
      throw StorageError.unsupported("PostgreSQL has no database file")
    }
    return engine
  }

  /// The value of a pragma on the writer ("synchronous"). SQLite only.
  public func writerPragma(_ name: String) throws -> String {
    try file().withWriter { try String.fetchOne($0, sql: "PRAGMA \(name)") ?? "" }
  }

  /// Moves the write-ahead log into the main file, as far as readers permit. SQLite only.
  public func checkpoint() throws {
    try file().withWriter { _ = try $0.checkpoint(.passive) }
  }
}
