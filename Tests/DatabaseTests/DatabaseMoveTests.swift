import Foundation
import PostgreSQLServer
import Testing

@testable import Database

@Suite("Copies of a database in the other engine")
struct DatabaseMoveTests {
  private static let migrations = [
    Migration(
      "things 1",
      """
      CREATE TABLE owners (id BLOB PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE things (
        id INTEGER PRIMARY KEY, owner_id BLOB REFERENCES owners (id), size REAL, note TEXT
      ) STRICT;
      CREATE INDEX things_by_owner ON things (owner_id) WHERE owner_id IS NOT NULL;
      CREATE UNIQUE INDEX things_by_note ON things (note);
      CREATE TABLE changes (id INTEGER PRIMARY KEY, thing_id INTEGER NOT NULL) STRICT;
      CREATE TRIGGER things_made AFTER INSERT ON things BEGIN
        INSERT INTO changes (thing_id) VALUES (NEW.id);
      END;
      INSERT INTO owners (id, name) VALUES (x'00', 'of the migration');
      """)
  ]

  /// A database with more rows than are read at a time.
  private func filled(_ engine: TestEngine) throws -> (place: String, database: Database) {
    let place = try engine.place()
    let database = try engine.open(place)
    try database.migrate(Self.migrations)
    let sizes: [Double?] = [nil, 0, -0.5, 1e300, 12_345.678]
    try database.write { writer in
      try writer.execute("DELETE FROM owners")
      for number in 0..<250 {
        let id: [UInt8] = [UInt8(number), 0, 255]
        let (name, note) = ("纸 ' \\ \" \t\n \(number)", number == 0 ? "" : "note \(number)")
        let owner: [UInt8]? = number % 3 == 0 ? nil : id
        let size = sizes[number % sizes.count]
        try writer.execute("INSERT INTO owners (id, name) VALUES (\(id), \(name))")
        try writer.execute(
          """
          INSERT INTO things (id, owner_id, size, note)
          VALUES (\(1000 - number), \(owner), \(size), \(note))
          """)
      }
    }
    return (place, database)
  }

  private func digests(_ database: Database) throws -> [TableDigest] {
    try database.read { reader in
      try reader.tableLayouts().map { try reader.digest(of: $0) }
    }
  }

  private func move(
    _ source: Database, to engine: TestEngine, _ place: String
  ) throws -> [DatabaseMove.CopiedTable] {
    try source.read { reader in
      let move = DatabaseMove(from: reader, migrations: Self.migrations)
      switch engine {
      case .sqlite: return try move.fill(file: place)
      case .postgresql: return try move.fill(server: place)
      }
    }
  }

  @Test(
    "All rows are the same, no trigger ran again, and the source is not changed",
    arguments: TestEngine.allCases)
  func copied(from engine: TestEngine) throws {
    let other: TestEngine = engine == .sqlite ? .postgresql : .sqlite
    let source = try filled(engine).database
    let before = try digests(source)
    let place = try other.place()
    let tables = try move(source, to: other, place)
    #expect(tables.map(\.name) == ["changes", "owners", "things"])
    #expect(tables.map(\.source.rowCount) == [250, 250, 250])
    #expect(tables.filter { !$0.isEqual }.isEmpty)
    #expect(Set(tables.map(\.source.sha256)).count == 3)
    #expect(try digests(source) == before)

    let target = try other.open(place)
    #expect(try digests(target) == before)
    #expect(try target.read { try $0.appliedMigrations() } == ["things 1"])
    try target.refuseUnfinished()
    // Numbers go on, and triggers, unique indexes and foreign keys are there again.
    try target.write { try $0.execute("INSERT INTO things (note) VALUES ('next')") }
    #expect(try target.read { try $0.count("SELECT max(id) FROM things") } == 1001)
    #expect(try target.read { try $0.count("SELECT count(*) FROM changes") } == 251)
    #expect(throws: StorageError.self) {
      try target.write { try $0.execute("INSERT INTO things (note) VALUES ('next')") }
    }
    #expect(throws: StorageError.self) {
      try target.write { try $0.execute("INSERT INTO things (owner_id) VALUES (\([UInt8(9)]))") }
    }
  }

  @Test("The digest of a table depends on each value, its type and its place")
  func digest() {
    let rows: [[Value]] = [
      [.integer(1), .null], [.null, .integer(1)], [.integer(1), .text("")],
      [.integer(1), .blob([])], [.integer(2), .null], [.real(1), .null],
      [.text("ab"), .text("c")], [.text("a"), .text("bc")], [.blob([97]), .null],
      [.text("a"), .null],
    ]
    func digest(_ rows: [[Value]]) -> TableDigest {
      var digest = RunningTableDigest()
      for row in rows { digest.add(row) }
      return digest.finish()
    }
    #expect(Set(rows.map { digest([$0]).sha256 }).count == rows.count)
    #expect(digest(rows) != digest(rows.reversed()))
    #expect(digest([[.real(-0.0)]]) == digest([[.real(0)]]))
  }

  @Test("A target that is not empty is refused, and stays as it is")
  func notEmpty() throws {
    let source = try filled(.sqlite).database
    let (place, full) = try filled(.postgresql)
    let before = try digests(full)
    let refused = #expect(throws: StorageError.self) {
      try move(source, to: .postgresql, place)
    }
    #expect(refused?.description.contains("not empty") == true)
    #expect(try digests(full) == before)
    let file = try TestEngine.sqlite.place()
    try "mine".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(throws: DatabaseMove.Failed.self) { try move(full, to: .sqlite, file) }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test("A row that PostgreSQL refuses is named, and the target is empty as before")
  func refusedRow() throws {
    let source = try filled(.sqlite).database
    try source.write { try $0.execute("INSERT INTO things (note) VALUES (\("a\0b"))") }
    let place = try TestEngine.postgresql.place()
    let error = #expect(throws: DatabaseMove.Failed.self) {
      try move(source, to: .postgresql, place)
    }
    #expect(error?.description.contains("table things") == true)
    try source.write { try $0.execute("DELETE FROM things WHERE note = \("a\0b")") }
    #expect(try move(source, to: .postgresql, place).filter { !$0.isEqual }.isEmpty)
  }

  @Test("A file that differs from the source does not get its name")
  func different() throws {
    let source = try filled(.postgresql).database
    // SQLite has no such number and stores NULL.
    try source.write { try $0.execute("UPDATE things SET size = 'NaN' WHERE id = 1000") }
    let file = try TestEngine.sqlite.place()
    let tables = try move(source, to: .sqlite, file)
    #expect(tables.filter { !$0.isEqual }.map(\.name) == ["things"])
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(FileManager.default.fileExists(atPath: DatabaseMove.unfinished(file)))
    // The next move replaces it.
    try source.write { try $0.execute("UPDATE things SET size = 1 WHERE id = 1000") }
    #expect(try move(source, to: .sqlite, file).filter { !$0.isEqual }.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: DatabaseMove.unfinished(file)))
  }

  @Test("A database that was not filled completely is recognised and not filled again")
  func unfinished() throws {
    let database = try TestEngine.postgresql.database()
    try database.refuseUnfinished()
    try database.beginFilling()
    #expect(throws: StorageError.self) { try database.refuseUnfinished() }
    #expect(throws: StorageError.self) { try database.beginFilling() }
    try database.endFilling()
    try database.refuseUnfinished()
    try database.beginFilling()
  }
}
