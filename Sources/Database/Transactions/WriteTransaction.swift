import GRDB

/// Reads and writes within one atomic transaction. Reads see its uncommitted changes.
public final class WriteTransaction: ReadTransaction {
  /// Runs a statement; returns the number of rows that it changed directly, without triggers and
  /// foreign keys.
  @discardableResult
  public func execute(_ query: Query) throws -> Int {
    switch session {
    case .sqlite(let connection):
      // Other statements leave the count of the previous one unchanged.
      return try executeCountingAll(query, on: connection) > 0 ? connection.changesCount : 0
    case .postgresql(let connection):
      log?.note(query)
      return try connection.changedRows(query)
    }
  }

  /// Runs a statement; returns the number of all changed rows, including triggers, foreign keys and
  /// virtual tables. SQLite only.
  public func executeCountingAll(_ query: Query) throws -> Int {
    guard case .sqlite(let connection) = session else {
      throw StorageError.unsupported("PostgreSQL does not count the rows of triggers")
    }
    return try executeCountingAll(query, on: connection)
  }

  /// Runs a part of the transaction that may fail alone: then its changes are undone, and the error
  /// is thrown. Without it a failed statement makes all later ones fail on PostgreSQL.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    switch session {
    case .sqlite(let connection):
      try connection.step("SAVEPOINT part")
      do {
        let result = try body()
        try connection.step("RELEASE part")
        return result
      } catch {
        try? connection.step("ROLLBACK TO part")
        try? connection.step("RELEASE part")
        throw error
      }
    case .postgresql(let connection):
      try StorageError.translatingPostgreSQL { try connection.run("SAVEPOINT part") }
      do {
        let result = try body()
        try StorageError.translatingPostgreSQL { try connection.run("RELEASE SAVEPOINT part") }
        return result
      } catch {
        // After a conflict the whole transaction is repeated.
        if connection.failure?.isConflict != true,
          (try? connection.run("ROLLBACK TO SAVEPOINT part")) != nil
        {
          connection.forgetFailure()
        }
        throw error
      }
    }
  }

  private func executeCountingAll(_ query: Query, on connection: GRDB.Database) throws -> Int {
    let before = connection.totalChangesCount
    try run(query) { $0.skipAll() }
    return connection.totalChangesCount - before
  }
}
