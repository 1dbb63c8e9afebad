import Core
import GRDB
import GRDBSQLite

/// Reads within one transaction, with a consistent view of the database.
public struct ReadTransaction {
  let connection: GRDB.Database
  let log: StatementLog?

  /// All rows of a query, each converted by `make`.
  public func rows<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try run(sql, values) { results.append(try make($0)) }
    return results
  }

  /// All rows of a query with a variable number of parameters.
  public func rows<Result>(
    _ sql: String, values: [any Bindable], make: (Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try run(sql, values) { results.append(try make($0)) }
    return results
  }

  /// The first row of a query; nil if there is none.
  public func first<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> Result? {
    var result: Result?
    try run(sql, values, limit: 1) { result = try make($0) }
    return result
  }

  /// The number in the first column of the first row; 0 if there is none.
  public func count(_ sql: String, _ values: any Bindable...) throws -> Int {
    var result = 0
    try run(sql, values, limit: 1) { result = $0.int(0) }
    return result
  }

  /// Whether the query has a row.
  public func exists(_ sql: String, _ values: any Bindable...) throws -> Bool {
    var found = false
    try run(sql, values, limit: 1) { _ in found = true }
    return found
  }

  /// The query plan, one line for each step (EXPLAIN QUERY PLAN).
  public func plan(of sql: String) throws -> [String] {
    try rows("EXPLAIN QUERY PLAN \(sql)") { $0.text(3) }
  }

  /// Binds, steps and resets a cached statement. GRDB manages the connection and the statement
  /// cache; stepping directly makes rows cheap.
  func run(
    _ sql: String, _ values: [any Bindable], limit: Int = .max, each: (Row) throws -> Void
  ) throws {
    log?.note(sql)
    let statement = try connection.cachedStatement(sql: sql).sqliteStatement
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    try bind(values, to: statement, sql)
    var left = limit
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        try each(Row(statement: statement))
        left -= 1
        if left == 0 { return }
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func bind(_ values: [any Bindable], to statement: OpaquePointer, _ sql: String) throws {
    guard Int(sqlite3_bind_parameter_count(statement)) == values.count else {
      throw StorageError.other(
        code: SQLITE_MISUSE, "\(values.count) values for the parameters of: \(sql)")
    }
    for (position, bindable) in values.enumerated() {
      guard bind(bindable.value, to: statement, at: Int32(position + 1)) == SQLITE_OK else {
        throw failure()
      }
    }
  }

  private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
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

  private func failure() -> StorageError {
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
