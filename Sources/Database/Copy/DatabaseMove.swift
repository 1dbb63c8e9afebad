/// A copy of all rows of a database into an empty one, of either engine
/// (docs/developer/postgresql.md#moving).
///
/// Foreign keys, indexes and triggers are taken off before, and put back after: no trigger may run
/// again for copied rows, and the engine checks and sorts all rows at once. The rows are not in
/// memory.
public struct DatabaseMove {
  /// The reason why nothing was copied, in one line.
  public struct Failed: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// A table that was copied, as it was read and as the target has it.
  public struct CopiedTable: Sendable {
    public let name: String
    public let source: TableDigest
    public let target: TableDigest

    public var isEqual: Bool { source == target }
  }

  /// A table of the target, and its digest as it was read from the source.
  typealias ReadTable = (layout: TableLayout, digest: TableDigest)

  /// A way for rows into a table of the target.
  struct Sink {
    let add: ([Value]) throws -> Void
    let finish: () throws -> Void
  }

  let source: ReadTransaction
  let migrations: [Migration]

  /// A move of what a transaction sees. The schema must be that of all migrations.
  public init(from source: ReadTransaction, migrations: [Migration]) {
    self.source = source
    self.migrations = migrations
  }

  /// The tables of a target that was migrated. Throws `Failed` unless the source has the same.
  func matchedTables(of target: ReadTransaction) throws -> [TableLayout] {
    let theirs = try source.tableLayouts()
    return try target.tableLayouts().map { table in
      guard theirs.contains(table) else {
        throw Failed("the table \(table.name) is missing or has other columns")
      }
      return table
    }
  }

  /// Copies a table, and computes its digest on the way.
  func copyRows(of table: TableLayout, into sink: Sink) throws -> ReadTable {
    var digest = RunningTableDigest()
    do {
      try source.stream(table.allRows) { row in
        let values = try table.values(of: &row)
        digest.add(values)
        try sink.add(values)
      }
      try sink.finish()
    } catch {
      throw Failed("the table \(table.name): \(error)")
    }
    return (table, digest.finish())
  }

  /// Reads the copied tables.
  func compare(_ tables: [ReadTable], in target: ReadTransaction) throws -> [CopiedTable] {
    try tables.map { table, digest in
      CopiedTable(name: table.name, source: digest, target: try target.digest(of: table))
    }
  }
}
