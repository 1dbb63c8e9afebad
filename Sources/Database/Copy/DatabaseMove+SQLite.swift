import GRDB
import Glibc

extension DatabaseMove {
  /// Fills a new SQLite file. Until it is complete, and equal to the source, its name ends in
  /// `.unfinished`. Throws `Failed` and `StorageError`, also for a file that exists already.
  public func fill(file path: String) throws -> [CopiedTable] {
    for name in Database.files(of: path) where access(name, F_OK) == 0 {
      throw Failed("\(name) exists already")
    }
    let unfinished = Self.unfinished(path)
    // That of a move that was interrupted.
    Database.removeFile(unfinished)
    do {
      let compared = try fillNewFile(unfinished)
      guard compared.allSatisfy(\.isEqual) else { return compared }
      guard rename(unfinished, path) == 0 else {
        throw Failed("\(path): \(String(cString: strerror(errno)))")
      }
      return compared
    } catch {
      Database.removeFile(unfinished)
      throw error
    }
  }

  /// The name of a file that is not complete, or differs from the source.
  public static func unfinished(_ path: String) -> String { "\(path).unfinished" }

  private func fillNewFile(_ path: String) throws -> [CopiedTable] {
    let database = try Database(path: path)
    try database.migrate(migrations)
    let tables = try database.read { try matchedTables(of: $0) }
    let copied = try database.file().withWriter { connection -> [ReadTable] in
      // All references are checked at the end.
      try connection.execute(sql: "PRAGMA foreign_keys = OFF")
      return try fill(tables, connection)
    }
    let compared = try database.read { try compare(copied, in: $0) }
    try database.closeAsOneFile()
    return compared
  }

  private func fill(_ tables: [TableLayout], _ connection: GRDB.Database) throws -> [ReadTable] {
    let target = ReadTransaction(.sqlite(connection), log: nil)
    var copied: [ReadTable] = []
    try connection.inTransaction(.immediate) {
      let parts = try target.rows(
        """
        SELECT type, name, sql FROM sqlite_schema
        WHERE type IN ('trigger', 'index') AND sql IS NOT NULL ORDER BY rowid
        """
      ) { row in
        (
          type: try row.next(String.self), name: try row.next(String.self),
          sql: try row.next(String.self)
        )
      }
      for part in parts { try connection.execute(sql: "DROP \(part.type) \"\(part.name)\"") }
      for table in tables {
        // Rows that migrations made.
        try connection.execute(sql: "DELETE FROM \(table.quotedName)")
        copied.append(try copyRows(of: table, into: Self.sink(table, connection)))
      }
      for part in parts { try connection.execute(sql: part.sql) }
      let broken = try target.values(
        "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1", as: String.self)
      if let table = broken.first {
        throw Failed("the table \(table): a row refers to a missing row")
      }
      return .commit
    }
    return copied
  }

  private static func sink(_ table: TableLayout, _ connection: GRDB.Database) -> Sink {
    let places = table.fields.map { _ in "?" }.joined(separator: ", ")
    let insert = "INSERT INTO \(table.quotedName) (\(table.quotedFields)) VALUES (\(places))"
    return Sink(
      add: { row in
        try connection.run(Query(sql: insert, values: row)) { $0.skipAll() }
      },
      finish: {})
  }
}
