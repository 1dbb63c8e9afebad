import Core
import GRDBSQLite

/// Reads the columns of a row, in their order. It is valid only inside the closure that receives
/// it.
///
/// The closure reads each column once; a debug build checks the number.
public struct RowReader {
  let statement: OpaquePointer
  var column: Int32 = 0

  /// The value of the next column. Throws `StorageError.unreadable` for an identifier of the wrong
  /// length. Another type is converted as SQLite does.
  public mutating func next<Result: ColumnValue>(_: Result.Type = Result.self) throws -> Result {
    defer { column += 1 }
    return try Result(column: Column(statement: statement, index: column))
  }

  /// Passes over columns.
  public mutating func skip(_ count: Int32 = 1) {
    column += count
  }

  /// Passes over all columns.
  mutating func skipAll() {
    column = sqlite3_column_count(statement)
  }

  /// Whether the next column is NULL; does not pass over it.
  public var isNextNull: Bool { Column(statement: statement, index: column).isNull }

  /// Traps if columns were left out.
  func checkCount() {
    assert(
      column == sqlite3_column_count(statement),
      "read \(column) of \(sqlite3_column_count(statement)) columns")
  }
}

/// A column of the current row.
public struct Column {
  let statement: OpaquePointer
  let index: Int32

  var isNull: Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

  var integer: Int64 { sqlite3_column_int64(statement, index) }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let start = sqlite3_column_blob(statement, index)?.assumingMemoryBound(to: UInt8.self)
    return body(
      UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }
}

/// A type that can be read from a column.
public protocol ColumnValue {
  init(column: Column) throws
}

extension Int: ColumnValue {
  public init(column: Column) { self = Int(column.integer) }
}

extension Int64: ColumnValue {
  public init(column: Column) { self = column.integer }
}

extension Bool: ColumnValue {
  public init(column: Column) { self = column.integer != 0 }
}

extension Double: ColumnValue {
  public init(column: Column) { self = sqlite3_column_double(column.statement, column.index) }
}

extension String: ColumnValue {
  public init(column: Column) {
    guard let start = sqlite3_column_text(column.statement, column.index) else {
      self = ""
      return
    }
    let count = Int(sqlite3_column_bytes(column.statement, column.index))
    self.init(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

extension [UInt8]: ColumnValue {
  public init(column: Column) { self = column.withBytes { Array($0) } }
}

extension ID: ColumnValue {
  public init(column: Column) throws {
    guard let start = sqlite3_column_blob(column.statement, column.index),
      sqlite3_column_bytes(column.statement, column.index) == ID.count
    else {
      throw StorageError.unreadable("column \(column.index) holds no identifier")
    }
    self.init(at: start)
  }
}

extension Instant: ColumnValue {
  public init(column: Column) { self.init(milliseconds: column.integer) }
}

extension LocalDay: ColumnValue {
  public init(column: Column) { self.init(number: Int(column.integer)) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  public init(column: Column) throws {
    self = column.isNull ? nil : try Wrapped(column: column)
  }
}
