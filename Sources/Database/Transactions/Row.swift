import Core
import GRDBSQLite

/// A row of a result, read by column position. It is valid only inside the closure that receives
/// it.
///
/// Columns are read directly from the statement. A column of another type is converted as SQLite
/// does; an identifier of the wrong length throws `StorageError.unreadable`.
public struct Row {
  let statement: OpaquePointer

  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  public func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  public func flag(_ column: Int32) -> Bool { sqlite3_column_int64(statement, column) != 0 }

  public func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  public func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

  public func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

  public func id<Kind>(_ column: Int32, _: Kind.Type = Kind.self) throws -> ID<Kind> {
    guard let id = withBytes(column, { ID<Kind>(bytes: UnsafeRawBufferPointer($0)) }) else {
      throw StorageError.unreadable("column \(column) holds no identifier")
    }
    return id
  }

  public func optionalID<Kind>(_ column: Int32, _: Kind.Type = Kind.self) throws -> ID<Kind>? {
    isNull(column) ? nil : try id(column)
  }

  public func instant(_ column: Int32) -> Instant { Instant(milliseconds: integer(column)) }

  public func optionalInstant(_ column: Int32) -> Instant? {
    isNull(column) ? nil : instant(column)
  }

  public func day(_ column: Int32) -> LocalDay { LocalDay(number: int(column)) }

  public func optionalDay(_ column: Int32) -> LocalDay? { isNull(column) ? nil : day(column) }

  private func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
    return body(
      UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
