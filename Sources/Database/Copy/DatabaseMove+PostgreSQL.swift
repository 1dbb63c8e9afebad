import PostgreSQL

extension DatabaseMove {
  /// Fills the database of a server, in one transaction: if it is interrupted, the database is
  /// empty as before. One that differs from the source is marked, and PairSpot does not run on it.
  /// Throws `Failed` and `StorageError`, also for a database that is not empty.
  public func fill(server address: String) throws -> [CopiedTable] {
    try PostgreSQLEngine(address: address, log: nil).exclusively { connection -> [CopiedTable] in
      let target = WriteTransaction(.postgresql(connection), log: nil)
      try target.refuseTables()
      try connection.run(UnfinishedMark.create)
      try PostgreSQLEngine.applyAll(migrations, on: connection)
      let tables = try matchedTables(of: target)
      let parts = try target.rows(Self.parts) { row in
        row.skip()
        return (drop: try row.next(String.self), restore: try row.next(String.self))
      }
      for part in parts { try connection.run(part.drop) }
      // Rows that migrations made.
      try connection.run("TRUNCATE \(tables.map(\.quotedName).joined(separator: ", "))")
      let copied = try tables.map { try copyRows(of: $0, into: Self.sink($0, connection)) }
      try connection.run("SET LOCAL maintenance_work_mem = '256MB'")
      for part in parts.reversed() { try connection.run(part.restore) }
      for statement in try target.values(Self.sequences, as: String.self) {
        try connection.run(statement)
      }
      try connection.run("ANALYZE")
      let compared = try compare(copied, in: target)
      if compared.allSatisfy(\.isEqual) { try connection.run(UnfinishedMark.drop) }
      return compared
    }
  }

  private static func sink(_ table: TableLayout, _ connection: PostgreSQLConnection) throws -> Sink
  {
    let copy = try PostgreSQLCopy(
      "COPY \(table.quotedName) (\(table.quotedFields))", on: connection)
    return Sink(
      add: { row in
        try StorageError.translatingPostgreSQL { try copy.send(row.map(\.parameter)) }
      },
      finish: { _ = try StorageError.translatingPostgreSQL { try copy.finish() } })
  }

  /// The statements that take foreign keys, indexes and triggers off, and those that put them back,
  /// in the order in which they are taken off. Indexes of primary keys and of unique columns stay.
  private static let parts: Query = """
    SELECT 1, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname),
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname,
        pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
    WHERE n.nspname = current_schema() AND k.contype = 'f'
    UNION ALL
    SELECT 2, format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r' AND NOT EXISTS (
      SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype <> 'f')
    UNION ALL
    SELECT 3, format('ALTER TABLE %s DISABLE TRIGGER %I', t.tgrelid::regclass, t.tgname),
      format('ALTER TABLE %s ENABLE TRIGGER %I', t.tgrelid::regclass, t.tgname)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND NOT t.tgisinternal
    ORDER BY 1, 2
    """

  /// The statements that set the next number of each identity column.
  private static let sequences: Query = """
    SELECT format('SELECT setval(%L, greatest((SELECT max(%I) + 1 FROM %s), 1), false)',
      pg_get_serial_sequence(c.oid::regclass::text, a.attname), a.attname, c.oid::regclass)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attidentity = 'd'
    """
}
