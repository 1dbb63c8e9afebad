import Foundation
import PostgreSQLServer
import Testing

@testable import App
@testable import Database

@Suite("The schema of PostgreSQL is that of SQLite")
struct PostgreSQLMigrationTests {
  private let sqlite: Database
  private let postgresql: Database

  init() throws {
    sqlite = try Database(path: NSTemporaryDirectory() + "schema-\(UUID().uuidString).sqlite")
    try sqlite.migrate(Migrations.all)
    postgresql = try Database(server: PostgreSQLServer.shared.newDatabase())
    try postgresql.migrate(Migrations.all)
  }

  private func compare(_ one: Query, _ other: Query) throws {
    let (ours, theirs): ([String], [String]) = (
      try sqlite.read { try $0.values(one) }, try postgresql.read { try $0.values(other) }
    )
    #expect(!ours.isEmpty)
    #expect(Set(ours).subtracting(theirs).sorted() == [])
    #expect(Set(theirs).subtracting(ours).sorted() == [])
  }

  /// The indexes of the search are virtual tables in SQLite, which are several tables, and tables
  /// with an index in PostgreSQL.
  private static let isNotSearch: Query = "NOT LIKE '%\\_words%' ESCAPE '\\'"

  @Test("The same columns with the same types, of which the same may be NULL")
  func columns() throws {
    try compare(
      """
      SELECT m.name || '.' || c.name || ' ' || CASE c.type WHEN 'BLOB' THEN 'bytea'
          WHEN 'INTEGER' THEN 'bigint' WHEN 'REAL' THEN 'double precision' ELSE lower(c.type) END
        || CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN '' ELSE ' or NULL' END
      FROM sqlite_master m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name <> 'grdb_migrations' AND m.name \(Self.isNotSearch)
      """,
      """
      SELECT c.table_name || '.' || c.column_name || ' ' || c.data_type
        || CASE c.is_nullable WHEN 'NO' THEN '' ELSE ' or NULL' END
      FROM information_schema.columns c JOIN information_schema.tables t
        ON t.table_name = c.table_name AND t.table_schema = c.table_schema
      WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE'
        AND t.table_name <> 'applied_migrations' AND t.table_name \(Self.isNotSearch)
      """)
  }

  @Test("The same views, named indexes and triggers")
  func names() throws {
    try compare(
      """
      SELECT type || ' ' || name FROM sqlite_master
      WHERE type IN ('view', 'trigger') OR (type = 'index' AND sql IS NOT NULL)
      """,
      """
      SELECT 'view ' || viewname FROM pg_views WHERE schemaname = 'public'
      UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT 'index ' || c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relname \(Self.isNotSearch)
        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
      """)
  }

  @Test("The same foreign keys, with the same effect of a deletion")
  func foreignKeys() throws {
    try compare(
      """
      SELECT m.name || '.' || group_concat(k."from") || ' ' || k."table" || ' ' || k.on_delete
      FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) k
      WHERE m.type = 'table' GROUP BY m.name, k.id
      """,
      """
      SELECT k.conrelid::regclass::text || '.' || (
          SELECT string_agg(a.attname, ',' ORDER BY p.place)
          FROM unnest(k.conkey) WITH ORDINALITY AS p (number, place)
          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number)
        || ' ' || k.confrelid::regclass::text || ' ' || CASE k.confdeltype WHEN 'a' THEN 'NO ACTION'
          WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'r' THEN 'RESTRICT' END
      FROM pg_constraint k WHERE k.contype = 'f'
      """)
  }

  /// The server reads the functions of triggers when they run.
  @Test("The functions of triggers have statements that PostgreSQL takes")
  func triggers() throws {
    let functions = try postgresql.read { reader in
      try reader.rows(
        """
        SELECT t.tgname, t.tgrelid::regclass::text, p.prosrc FROM pg_trigger t
        JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal
        """
      ) { (try $0.next(String.self), try $0.next(String.self), try $0.next(String.self)) }
    }
    try #require(functions.count > 50)
    for (name, table, source) in functions {
      for statement in Self.statements(of: source, on: table) {
        #expect(throws: Never.self, "\(name): \(statement)") {
          try postgresql.read { try $0.values("EXPLAIN \(statement)", as: String.self) }
        }
      }
    }
  }

  /// The statements of a function of a trigger, with a row of NULL. A condition becomes a query.
  private static func statements(of source: String, on table: String) -> [Query] {
    let queries = source.replacing(/(?s)^\s*BEGIN|RETURN \w+;\s*END\s*$|END IF;/, with: "")
      .replacing(/^\s*IF\b/, with: "SELECT 1 WHERE")
      .replacing(/\nTHEN\b/, with: ";\n")
      .replacing(/(?i)\b(?:NEW|OLD)\./, with: "(NULL::\(table)).")
    return SQLTokens.statements(SQLTokens(queries).all[...]).compactMap { tokens in
      let words = tokens.filter { !$0.isSpace && $0.text != ";" }
      guard let first = words.first, first.text != "RAISE" else { return nil }
      return Query(stringLiteral: SQLTokens.text(tokens.filter { $0.text != ";" }))
    }
  }
}
