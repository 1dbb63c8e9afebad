import Core
import GRDB

/// Asks and changes inside one transaction that is kept whole or not at all.
public struct WriteTransaction {
  /// The questions that can be asked in between; they see what was changed so far.
  public let reader: ReadTransaction

  /// Runs one statement; answers how many rows it changed itself, those of triggers and of foreign
  /// keys aside.
  @discardableResult
  public func execute(_ sql: String, _ values: any Bindable...) throws -> Int {
    let before = reader.connection.totalChangesCount
    try reader.run(sql, values) { _ in }
    // What isn't about rows leaves the count of the statement before.
    guard reader.connection.totalChangesCount > before else { return 0 }
    return reader.connection.changesCount
  }

  /// Runs one statement; answers how many rows it changed in all, those of triggers, of foreign keys
  /// and of virtual tables among them.
  public func executeCountingAll(_ sql: String, _ values: any Bindable...) throws -> Int {
    let before = reader.connection.totalChangesCount
    try reader.run(sql, values) { _ in }
    return reader.connection.totalChangesCount - before
  }

  /// All rows of an answer, or of a statement with RETURNING.
  public func rows<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try reader.run(sql, values) { results.append(try make($0)) }
    return results
  }

  /// The first row of an answer, or of a statement with RETURNING that changes one row.
  public func first<Result>(
    _ sql: String, _ values: any Bindable..., make: (Row) throws -> Result
  ) throws -> Result? {
    // A statement with RETURNING is done only once it was stepped to its end.
    var result: Result?
    try reader.run(sql, values) { row in
      if result == nil { result = try make(row) }
    }
    return result
  }

  /// The number in the first column of the first row, 0 when there is none.
  public func count(_ sql: String, _ values: any Bindable...) throws -> Int {
    var result = 0
    try reader.run(sql, values, limit: 1) { result = $0.int(0) }
    return result
  }

  /// Whether the answer has a row.
  public func exists(_ sql: String, _ values: any Bindable...) throws -> Bool {
    var found = false
    try reader.run(sql, values, limit: 1) { _ in found = true }
    return found
  }
}
