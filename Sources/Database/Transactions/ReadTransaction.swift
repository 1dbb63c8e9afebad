import GRDB
import PostgreSQL

/// Reads within one transaction, with a consistent view of the database.
public class ReadTransaction {
  /// The connection of the transaction.
  enum Session {
    case sqlite(GRDB.Database)
    case postgresql(PostgreSQLConnection)
  }

  let session: Session
  let log: StatementLog?

  init(_ session: Session, log: StatementLog?) {
    self.session = session
    self.log = log
  }

  /// All rows of a query, or of a statement with RETURNING, each converted by `make`.
  @inlinable
  public final func rows<Result>(
    _ query: Query, make: (inout RowReader) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try run(query) { results.append(try make(&$0)) }
    return results
  }

  /// The first row of a query; nil if there is none.
  @inlinable
  public final func first<Result>(
    _ query: Query, make: (inout RowReader) throws -> Result
  ) throws -> Result? {
    var result: Result?
    try run(query, onlyFirst: true) { result = try make(&$0) }
    return result
  }

  /// The first column of all rows.
  @inlinable
  public final func values<Result: ColumnValue>(
    _ query: Query, as: Result.Type = Result.self
  ) throws -> [Result] {
    try rows(query) { try $0.next() }
  }

  /// The first column of the first row; nil if there is no row.
  @inlinable
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

  /// The query plan of a statement with "?" for its values, one line for each step. SQLite only.
  public final func plan(of sql: String) throws -> [String] {
    let values = [Value](repeating: .null, count: sql.count { $0 == "?" })
    return try rows(Query(sql: "EXPLAIN QUERY PLAN \(sql)", values: values)) { row in
      row.skip(3)
      return try row.next()
    }
  }

  @usableFromInline
  final func run(
    _ query: Query, onlyFirst: Bool = false, each: (inout RowReader) throws -> Void
  ) throws {
    log?.note(query)
    switch session {
    case .sqlite(let connection): try connection.run(query, onlyFirst: onlyFirst, each: each)
    case .postgresql(let connection): try connection.run(query, onlyFirst: onlyFirst, each: each)
    }
  }
}
