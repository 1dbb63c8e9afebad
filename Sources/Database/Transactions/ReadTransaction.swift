import Core
import GRDB
import GRDBSQLite

/// Reads within one transaction, with a consistent view of the database.
public class ReadTransaction {
  let connection: GRDB.Database
  let log: StatementLog?

  init(connection: GRDB.Database, log: StatementLog?) {
    self.connection = connection
    self.log = log
  }

  /// All rows of a query, or of a statement with RETURNING, each converted by `make`.
  public final func rows<Result>(
    _ query: Query, make: (inout RowReader) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try run(query) { results.append(try make(&$0)) }
    return results
  }

  /// The first row of a query; nil if there is none.
  public final func first<Result>(
    _ query: Query, make: (inout RowReader) throws -> Result
  ) throws -> Result? {
    var result: Result?
    try run(query, onlyFirst: true) { result = try make(&$0) }
    return result
  }

  /// The first column of all rows.
  public final func values<Result: ColumnValue>(
    _ query: Query, as: Result.Type = Result.self
  ) throws -> [Result] {
    try rows(query) { try $0.next() }
  }

  /// The first column of the first row; nil if there is no row.
  public final func value<Result: ColumnValue>(
    _ query: Query, as: Result.Type = Result.self
  ) throws -> Result? {
    try first(query) { try $0.next() }
  }

  /// The number in the first column of the first row; 0 if there is none.
  public final func count(_ query: Query) throws -> Int {
    try value(query) ?? 0
  }

  /// Whether the query has a row.
  public final func exists(_ query: Query) throws -> Bool {
    var found = false
    try run(query, onlyFirst: true) { row in
      row.skipAll()
      found = true
    }
    return found
  }

  /// The query plan of a statement with "?" for its values, one line for each step.
  public final func plan(of sql: String) throws -> [String] {
    let values = [Value](repeating: .null, count: sql.count { $0 == "?" })
    return try rows(Query(sql: "EXPLAIN QUERY PLAN \(sql)", values: values)) { row in
      row.skip(3)
      return try row.next()
    }
  }

  /// Binds, steps and resets a cached statement. GRDB manages the connection and the statement
  /// cache; stepping directly makes rows cheap.
  final func run(
    _ query: Query, onlyFirst: Bool = false, each: (inout RowReader) throws -> Void
  ) throws {
    log?.note(query.sql)
    let statement = try connection.cachedStatement(sql: query.sql).sqliteStatement
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    try bind(query.values, to: statement, query.sql)
    // A statement with RETURNING is complete only when stepped to its end.
    let stopsAfterFirst = onlyFirst && sqlite3_stmt_readonly(statement) != 0
    var isFirst = true
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        if isFirst || !onlyFirst {
          var row = RowReader(statement: statement)
          try each(&row)
          row.checkCount()
        }
        if stopsAfterFirst { return }
        isFirst = false
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private final func bind(_ values: [Value], to statement: OpaquePointer, _ sql: String) throws {
    guard Int(sqlite3_bind_parameter_count(statement)) == values.count else {
      throw StorageError.other(
        code: SQLITE_MISUSE, "\(values.count) values for the parameters of: \(sql)")
    }
    for (position, value) in values.enumerated() {
      guard bind(value, to: statement, at: Int32(position + 1)) == SQLITE_OK else {
        throw failure()
      }
    }
  }

  private final func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
    // SQLITE_TRANSIENT: SQLite copies the bytes.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .real(let real): return sqlite3_bind_double(statement, index, real)
    case .text(var text):
      return text.withUTF8 { buffer in
        buffer.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text(
            statement, index, characters.baseAddress ?? Self.empty, Int32(characters.count), copied)
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), copied)
      }
    }
  }

  private final func failure() -> StorageError {
    let handle = connection.sqliteConnection
    return StorageError(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)),
      system: sqlite3_system_errno(handle))
  }

  /// A pointer for empty text: a null pointer would bind NULL.
  nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
    // Never written to and never freed, so sharing it between threads is safe.
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
