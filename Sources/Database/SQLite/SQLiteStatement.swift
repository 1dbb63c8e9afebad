import GRDB
import GRDBSQLite

extension GRDB.Database {
  /// Binds, steps and resets a cached statement. GRDB manages the connection and the statement
  /// cache; stepping directly makes rows cheap.
  func run(
    _ query: Query, onlyFirst: Bool = false, each: (inout RowReader) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql: query.sql).sqliteStatement
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

  private func bind(_ values: [Value], to statement: OpaquePointer, _ sql: String) throws {
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
            statement, index, characters.baseAddress ?? emptyText, Int32(characters.count), copied)
        }
      }
    case .list: return SQLITE_MISUSE
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), copied)
      }
    }
  }

  private func failure() -> StorageError {
    StorageError(
      code: sqlite3_extended_errcode(sqliteConnection),
      message: String(cString: sqlite3_errmsg(sqliteConnection)),
      system: sqlite3_system_errno(sqliteConnection))
  }
}

/// A pointer for empty text: a null pointer would bind NULL.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  // Never written to and never freed, so sharing it between threads is safe.
  let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  byte.initialize(to: 0)
  return UnsafePointer(byte)
}()
