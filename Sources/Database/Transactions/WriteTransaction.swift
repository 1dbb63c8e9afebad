import Core
import GRDB

/// Reads and writes within one atomic transaction. Reads see its uncommitted changes.
public final class WriteTransaction: ReadTransaction {
  /// Runs a statement; returns the number of rows that it changed directly, without triggers and
  /// foreign keys.
  @discardableResult
  public func execute(_ query: Query) throws -> Int {
    // Other statements leave the count of the previous one unchanged.
    try executeCountingAll(query) > 0 ? connection.changesCount : 0
  }

  /// Runs a statement; returns the number of all changed rows, including triggers, foreign keys and
  /// virtual tables.
  public func executeCountingAll(_ query: Query) throws -> Int {
    let before = connection.totalChangesCount
    try run(query) { $0.skipAll() }
    return connection.totalChangesCount - before
  }
}
