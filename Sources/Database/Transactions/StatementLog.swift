import Synchronization

/// Records all executed statements, so that a test can check their query plans.
public final class StatementLog: Sendable {
  /// Statements differ in their text for SQLite, and in which values are NULL: that is part of the
  /// text for PostgreSQL.
  private struct Key: Hashable {
    let sql: String
    let nulls: [Bool]
  }

  private let statements = Mutex<[Key: Query]>([:])
  private let runs = Mutex(0)

  public init() {}

  /// The distinct texts for SQLite so far, sorted.
  public var all: [String] { Set(queries.map(\.sql)).sorted() }

  /// The statements so far, each with the values of its first execution.
  public var queries: [Query] { statements.withLock { Array($0.values) } }

  /// The number of executions so far, including repeated ones.
  public var count: Int { runs.withLock { $0 } }

  func note(_ query: Query) {
    runs.withLock { $0 += 1 }
    let key = Key(sql: query.sql, nulls: query.values.map { $0 == .null })
    statements.withLock { if $0[key] == nil { $0[key] = query } }
  }
}
