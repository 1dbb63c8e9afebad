import Foundation
import Testing

@testable import Database

/// SQLite only: PostgreSQL checks its own files.
@Suite("A database whose file was damaged")
struct DamagedFileTests {
  /// The path of a closed database of some pages with an index.
  private func closed() throws -> String {
    let path = NSTemporaryDirectory() + "damaged-\(UUID().uuidString).sqlite"
    let database = try Database(path: path)
    try database.migrate([
      Migration(
        "things 1",
        """
        CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        CREATE INDEX things_by_name ON things (name);
        CREATE TABLE parts (thing_id INTEGER NOT NULL REFERENCES things (id)) STRICT;
        """)
    ])
    try database.write { writer in
      for number in 0..<2000 {
        try writer.execute("INSERT INTO things VALUES (\(number), \("thing number \(number)"))")
      }
      try writer.execute("INSERT INTO parts VALUES (7)")
    }
    try database.closeAsOneFile()
    return path
  }

  private func found(_ path: String) throws -> [String] {
    try DoctorCheck.integrity.find(try Database(path: path))
  }

  @Test("Damage by a disk is reported, and can't be repaired")
  func bytes() throws {
    let path = try closed()
    #expect(try found(path) == [])
    let damaged = try closed()
    let file = try FileHandle(forUpdating: URL(filePath: damaged))
    let length = try file.seekToEnd()
    // The last pages are full of entries; each page's header is kept.
    for page in 1...3 {
      try file.seek(toOffset: length - UInt64(page) * 4096 + 200)
      try file.write(contentsOf: [UInt8](repeating: 0xA5, count: 3000))
    }
    try file.close()
    #expect(try !found(damaged).isEmpty)
    #expect(DoctorCheck.integrity.repair == nil)
  }

  @Test("A row that references a missing one is reported")
  func keys() throws {
    let path = try closed()
    let database = try Database(path: path)
    // Other programs don't enforce foreign keys by default.
    try database.file().writer.writeWithoutTransaction { connection in
      try connection.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM things WHERE id = 7")
    }
    #expect(
      try DoctorCheck.integrity.find(database) == [
        "parts: a row refers to a missing row in things"
      ])
  }
}
