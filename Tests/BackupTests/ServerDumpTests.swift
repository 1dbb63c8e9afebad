import Database
import Foundation
import PostgreSQLServer
import Testing

@testable import Backup

@Suite("Dumps of a server's database")
struct ServerDumpTests {
  private func paths(_ database: Database) throws -> [String] {
    try database.read { try $0.values("SELECT path FROM pictures ORDER BY path") }
  }

  @Test("A dump and the files that are looked up are of the same moment")
  func snapshot() throws {
    let place = try Place()
    let address = try PostgreSQLServer.shared.newDatabase()
    let database = try Database(server: address)
    try database.migrate(Place.migrations)
    try database.write { try $0.execute("INSERT INTO pictures VALUES ('a')") }
    let dump = "\(place.root)/pairspot.dump"
    let seen: [String] = try DatabaseServer(address).dump(to: dump) { reader in
      try database.write { try $0.execute("INSERT INTO pictures VALUES ('b')") }
      return try reader.values("SELECT path FROM pictures")
    }
    #expect(seen == ["a"])
    #expect(try paths(database) == ["a", "b"])

    let other = try PostgreSQLServer.shared.newDatabase()
    try DatabaseServer(other).restore(dump)
    #expect(try paths(Database(server: other)) == ["a"])
  }

  @Test("A dump that was cut is refused, and the database stays empty")
  func cut() throws {
    let place = try Place()
    let address = try PostgreSQLServer.shared.newDatabase()
    let database = try Database(server: address)
    try database.migrate(Place.migrations)
    try database.write {
      try $0.execute(
        "INSERT INTO pictures SELECT md5(n::text) FROM generate_series(1, 20000) AS n")
    }
    let dump = "\(place.root)/pairspot.dump"
    try DatabaseServer(address).dump(to: dump) { _ in }
    let whole = try Data(contentsOf: URL(filePath: dump))
    try whole.dropLast(whole.count / 3).write(to: URL(filePath: dump))
    let other = try PostgreSQLServer.shared.newDatabase()
    #expect(throws: BackupError.self) { try DatabaseServer(other).restore(dump) }
    try Database(server: other).beginFilling()
  }
}
