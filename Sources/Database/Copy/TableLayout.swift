import PostgreSQL

/// A table as a copy of a database sees it: the same on both engines.
struct TableLayout: Equatable {
  enum Kind: Equatable {
    case integer, real, text, bytes

    /// Nil for another type than those of `STRICT` tables and what PostgreSQL has for them.
    init?(type: String) {
      switch type {
      case "INTEGER", "bigint": self = .integer
      case "REAL", "double precision": self = .real
      case "TEXT", "text": self = .text
      case "BLOB", "bytea": self = .bytes
      default: return nil
      }
    }
  }

  struct Field: Equatable {
    let name: String
    let kind: Kind
  }

  let name: String
  /// Sorted by name: their order in the table depends on the order of migrations.
  let fields: [Field]
  /// The names of the columns of the primary key.
  let key: [String]

  var quotedName: String { Self.quoted(name) }
  /// The columns, separated by commas.
  var quotedFields: String { fields.map { Self.quoted($0.name) }.joined(separator: ", ") }

  /// All rows in the order of the primary key, which is the same on both engines.
  var allRows: Query {
    let order = key.map(Self.quoted).joined(separator: ", ")
    return Query(
      sql: "SELECT \(quotedFields) FROM \(quotedName) ORDER BY \(order)", values: [])
  }

  /// The values of a row of `allRows`.
  func values(of row: inout RowReader) throws -> [Value] {
    try fields.map { field in
      switch field.kind {
      case .integer: try row.next(Int64?.self).value
      case .real: try row.next(Double?.self).value
      case .text: try row.next(String?.self).value
      case .bytes: try row.next([UInt8]?.self).value
      }
    }
  }

  private static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension ReadTransaction {
  /// The tables of the migrated schema, sorted by name. The list of migrations is not among them,
  /// since each engine has its own. The full-text indexes of SQLite count as the tables that they
  /// are with PostgreSQL.
  func tableLayouts() throws -> [TableLayout] {
    let query: Query =
      switch session {
      case .sqlite: Self.sqliteLayouts
      case .postgresql: Self.postgresqlLayouts
      }
    let columns = try rows(query) { row in
      (
        table: try row.next(String.self), name: try row.next(String.self),
        type: try row.next(String.self), place: try row.next(Int.self)
      )
    }
    let tables = Dictionary(grouping: columns) { $0.table }.sorted { $0.key < $1.key }
    return try tables.map { table, columns in
      let fields = try columns.map { column in
        guard let kind = TableLayout.Kind(type: column.type) else {
          throw StorageError.unsupported("\(table).\(column.name) has the type \(column.type)")
        }
        return TableLayout.Field(name: column.name, kind: kind)
      }
      let key = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }
      return TableLayout(
        name: table, fields: fields.sorted { $0.name < $1.name }, key: key.map { $0.name })
    }
  }

  private static let sqliteLayouts: Query = """
    SELECT t.name, c.name, c.type, c.pk FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
      AND t.name <> 'grdb_migrations'
    UNION ALL
    SELECT t.name, c.name, 'TEXT', 0 FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'virtual'
    UNION ALL
    SELECT name, 'rowid', 'INTEGER', 1 FROM pragma_table_list
    WHERE schema = 'main' AND type = 'virtual'
    """

  private static let postgresqlLayouts: Query = """
    SELECT c.relname, a.attname, a.atttypid::regtype::text,
      coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE n.nspname = current_schema() AND c.relkind = 'r'
      AND c.relname NOT IN ('applied_migrations', 'pairspot_unfinished')
    """

  /// Reads the rows of a query without values, of which few are in memory at a time.
  func stream(_ query: Query, each: (inout RowReader) throws -> Void) throws {
    guard case .postgresql(let connection) = session else { return try run(query, each: each) }
    try StorageError.translatingPostgreSQL {
      // All rows are wanted, not the first ones soon.
      try connection.run("SET LOCAL cursor_tuple_fraction = 1")
      try connection.run("DECLARE stream NO SCROLL CURSOR FOR \(query.forPostgreSQL.sql)")
      var piece: PostgreSQLResult
      repeat {
        piece = try connection.runOnce("FETCH \(Self.streamedRows) FROM stream")
        for number in 0..<piece.rowCount {
          var row = RowReader(piece.row(number))
          try each(&row)
          row.checkCount()
        }
      } while piece.rowCount == Self.streamedRows
      try connection.run("CLOSE stream")
    }
  }

  private static let streamedRows: Int32 = 100
}
