import Database
import Foundation
import Testing

@testable import App

@Suite("Upgrades from every schema that landed", .onSQLite("the landed schemas are SQLite's"))
struct SchemaUpgradeTests {
  @Test("Every upgrade ends with the schema of a new instance and keeps all rows")
  func everyVersion() throws {
    let instance = try TestInstance()
    let new = try Self.schema(of: instance.database)
    let data = instance.folder.appending(path: "upgraded")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: instance.folder.appending(path: "secrets"), to: data.appending(path: "secrets"))
    let configuration = try instance.configuration(data: data.path)
    let path = instance.folder.appending(path: "old.sqlite").path
    for version in LandedSchemas.versions {
      try Self.extend(path, by: version)
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: configuration.databasePath + ending)
      }
      try FileManager.default.copyItem(atPath: path, toPath: configuration.databasePath)
      // As `pairspot migrate` does.
      let upgraded = try instance.opened(configuration).database
      let name = version.last?.name ?? ""
      #expect(try Self.schema(of: upgraded) == new, "\(name)")
      #expect(try Self.lost(from: Database(path: path), in: upgraded) == [], "\(name)")
      #expect(try DoctorCheck.integrity.find(upgraded) == [], "\(name)")
    }
  }

  @Test("The history of schemas names every migration once")
  func history() {
    let names = Array(LandedSchemas.known.joined())
    #expect(names.sorted() == Migrations.all.map(\.name).sorted())
    #expect(Set(SampleRows.byMigration.keys).isSubset(of: names))
  }

  /// Brings the database to the next version, and adds the rows of its new tables.
  private static func extend(_ path: String, by version: [Migration]) throws {
    let database = try Database(path: path)
    try database.migrate(version)
    try database.write { writer in
      for row in version.flatMap({ SampleRows.byMigration[$0.name] ?? [] }) {
        try writer.execute(row)
      }
    }
  }

  /// Columns of tables, and the statements of views, indexes and triggers; sorted, since the order
  /// of columns depends on the order of migrations.
  private static func schema(of database: Database) throws -> [String] {
    try database.read { reader in
      let others = try reader.rows(
        """
        SELECT type, name, sql FROM sqlite_schema
        WHERE type <> 'table' AND name NOT LIKE 'sqlite_%'
        """
      ) { try [$0.next(String.self), $0.next(String.self), $0.next(String.self)] }
      let columns = try reader.rows(
        """
        SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
        FROM sqlite_schema t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
        """
      ) { row in try (0..<6).map { _ in try row.next(String.self) } }
      return (others + columns).map { $0.joined(separator: " ") }.sorted()
    }
  }

  /// The rows of the older database that the newer one does not have, in the columns of both.
  private static func lost(from old: Database, in new: Database) throws -> [String] {
    let tables = try old.read {
      try $0.values(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        """, as: String.self)
    }
    return try tables.flatMap { table in
      let shared = try columns(of: table, in: old).intersection(columns(of: table, in: new))
        .sorted()
      guard !shared.isEmpty else { return ["the table \(table)"] }
      let before = try rows(of: table, shared, in: old)
      return try Set(before).subtracting(rows(of: table, shared, in: new))
        .map { "\(table): \($0)" }
    }
  }

  private static func columns(of table: String, in database: Database) throws -> Set<String> {
    try database.read {
      Set(try $0.values("SELECT name FROM pragma_table_info(\(table))", as: String.self))
    }
  }

  private static func rows(
    of table: String, _ columns: [String], in database: Database
  ) throws -> [String] {
    let row = columns.reduce("''" as Query) { "\($0) || quote(\(name: $1)) || ' '" }
    return try database.read { try $0.values("SELECT \(row) FROM \(name: table)") }
  }
}
