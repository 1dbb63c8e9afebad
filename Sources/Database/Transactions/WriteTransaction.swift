import Core
import GRDB

/// Reads and writes within one atomic transaction.
public struct WriteTransaction {
  /// Reads within the write transaction; they see its uncommitted changes.
  public let reader: ReadTransaction

  /// Runs a statement; returns the number of rows that it changed directly, without triggers and
  /// foreign keys.
  @discardableResult
  public func execute(_ sql: String, _ values: any Bindable...) throws -> Int {
    let before = reader.connection.totalChangesCount
    try reader.run(sql, values) { _ in }
    // Other statements leave the count of the previous one unchanged.
    guard reader.connection.totalChangesCount > before else { return 0 }
    return reader.connection.changesCount
  }

  /// Runs a statement; returns the number of all changed rows, including triggers, foreign keys and
  /// virtual tables.
  public func executeCountingAll(_ sql: String, _ values: any Bindable...) throws -> Int {
    let before = reader.connection.totalChangesCount
    try reader.run(sql, values) { _ in }
    return reader.connection.totalChangesCount - before
  }

  /// All rows of a query, or of a statement with RETURNING.
  public func rows<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try reader.run(sql, values) { results.append(try make($0)) }
    return results
  }

  /// The first row of a query, or of a statement with RETURNING that changes one row.
  public func first<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> Result? {
    // A statement with RETURNING is complete only when stepped to its end.
    var result: Result?
    try reader.run(sql, values) { row in
      if result == nil { result = try make(row) }
    }
    return result
  }

  /// The number in the first column of the first row; 0 if there is none.
  public func count(_ sql: String, _ values: any Bindable...) throws -> Int {
    var result = 0
    try reader.run(sql, values, limit: 1) { result = $0.int(0) }
    return result
  }

  /// Whether the query has a row.
  public func exists(_ sql: String, _ values: any Bindable...) throws -> Bool {
    var found = false
    try reader.run(sql, values, limit: 1) { _ in found = true }
    return found
  }
}
