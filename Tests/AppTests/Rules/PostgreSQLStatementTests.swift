import Database
import PostgreSQLServer
import Testing

@testable import App

/// `StatementPlanTests` collects the statements and hands them over.
@Suite("PostgreSQL takes the statements of the product")
struct PostgreSQLStatementTests {
  /// Parts of statements that only SQLite runs, and why.
  private static let sqliteOnly: KeyValuePairs = [
    "VALUES ('merge', ?)": "FTS5 merges its segments; PostgreSQL cleans its index by itself",
    "sqlite_master": "the list of tables: has it been migrated?",
    "grdb_migrations": "the names of applied migrations are in another table",
    "INTO things": "a table that the test of idempotent calls makes",
  ]

  private static let migrated = Result {
    let database = try Database(server: PostgreSQLServer.shared.newDatabase())
    try database.migrate(Migrations.all)
    return database
  }

  /// The statements that PostgreSQL does not prepare and plan, with its errors.
  static func failures(of queries: [Query]) throws -> [String] {
    let database = try migrated.get()
    return queries.compactMap { query in
      if sqliteOnly.contains(where: { query.sql.contains($0.key) }) { return nil }
      do {
        // Plans a change as well, and does not make it.
        _ = try database.read { try $0.values("EXPLAIN \(query)", as: String.self) }
        return nil
      } catch {
        return "\(error)\nin: \(query.sql)"
      }
    }
  }

  @Test("A statement in SQLite's words alone is noticed, with the values that are NULL")
  func wrong() throws {
    let column: String? = nil
    #expect(
      try Self.failures(of: [
        "INSERT OR REPLACE INTO jobs (id) VALUES (\(1))", "SELECT id FROM no_such_table",
        "UPDATE posts SET hidden_at = CASE WHEN id = id THEN \(column) END",
        "SELECT id FROM posts WHERE NOT \(true)",
      ]).count == 4)
    #expect(
      try Self.failures(of: [
        "DELETE FROM posts WHERE hidden_at = \(column)", "SELECT id FROM posts WHERE \(true) = 1",
      ]) == [])
  }

  @Test("The doctor looks at a database of PostgreSQL")
  func doctor() throws {
    let instance = try TestInstance()
    let database = try Self.migrated.get()
    for check in instance.instance.features.doctorChecks {
      #expect(throws: Never.self, "\(check.name)") { try check.find(database) }
    }
  }
}
