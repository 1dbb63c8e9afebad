import Core
import GRDBSQLite
import PostgreSQL

/// Reads the columns of a row, in their order. It is valid only inside the closure that receives
/// it.
///
/// The closure reads each column once; a debug build checks the number.
///
/// Reading is inlinable, so that other modules compile it for the types of their columns.
public struct RowReader {
  /// A statement of SQLite at its current row, or a result of PostgreSQL with the number of a row.
  @usableFromInline let source: OpaquePointer
  @usableFromInline let number: Int32
  @usableFromInline var column: Int32 = 0

  init(statement: OpaquePointer) {
    source = statement
    number = Column.isSQLite
  }

  init(_ row: PostgreSQLRow) {
    source = row.result
    number = row.number
  }

  @inlinable var next: Column { Column(source: source, number: number, index: column) }

  private var columnCount: Int32 { next.row?.columnCount ?? sqlite3_column_count(source) }

  /// The value of the next column. Throws `StorageError.unreadable` for an identifier of the wrong
  /// length. Another type is converted as SQLite does.
  @inlinable
  public mutating func next<Result: ColumnValue>(_: Result.Type = Result.self) throws -> Result {
    defer { column += 1 }
    return try Result(column: next)
  }

  /// Passes over columns.
  public mutating func skip(_ count: Int32 = 1) {
    column += count
  }

  /// Passes over all columns.
  mutating func skipAll() {
    column = columnCount
  }

  /// Whether the next column is NULL; does not pass over it.
  public var isNextNull: Bool { next.isNull }

  /// Traps if columns were left out.
  func checkCount() {
    assert(
      column == columnCount, "read \(column) of \(columnCount) columns")
  }
}

/// A column of the current row.
public struct Column {
  /// In place of a row's number.
  static let isSQLite: Int32 = -1

  @usableFromInline let source: OpaquePointer
  @usableFromInline let number: Int32
  @usableFromInline let index: Int32

  @inlinable
  init(source: OpaquePointer, number: Int32, index: Int32) {
    self.source = source
    self.number = number
    self.index = index
  }

  /// The row of a result of PostgreSQL; nil for SQLite. (An enum made reading SQLite's columns
  /// slower.)
  var row: PostgreSQLRow? {
    number == Self.isSQLite ? nil : PostgreSQLRow(result: source, number: number)
  }

  @usableFromInline var isNull: Bool {
    if let row { return row.isNull(index) }
    return sqlite3_column_type(source, index) == SQLITE_NULL
  }

  var integer: Int64 {
    if let row { return row.integer(index) }
    return sqlite3_column_int64(source, index)
  }

  var real: Double {
    if let row { return row.real(index) }
    return sqlite3_column_double(source, index)
  }

  var text: String {
    if let row { return row.text(index) }
    guard let start = sqlite3_column_text(source, index) else { return "" }
    let count = Int(sqlite3_column_bytes(source, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Valid until the next row.
  var bytes: UnsafeRawBufferPointer {
    if let row { return row.bytes(index) }
    guard let start = sqlite3_column_blob(source, index) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(source, index)))
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
  public init(column: Column) { self = column.real }
}

extension String: ColumnValue {
  public init(column: Column) { self = column.text }
}

extension [UInt8]: ColumnValue {
  public init(column: Column) { self = Array(column.bytes) }
}

extension ID: ColumnValue {
  public init(column: Column) throws {
    let bytes = column.bytes
    guard let start = bytes.baseAddress, bytes.count == ID.count else {
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
  @inlinable
  public init(column: Column) throws {
    self = column.isNull ? nil : try Wrapped(column: column)
  }
}
