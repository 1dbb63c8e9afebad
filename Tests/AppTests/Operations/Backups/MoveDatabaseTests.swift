import Backup
import Core
import Database
import Foundation
import PostgreSQLServer
import Testing

@testable import App

@Suite("pairspot move-database", .onSQLite("they begin with a file"))
struct MoveDatabaseTests {
  private let instance: TestInstance

  init() throws {
    instance = try TestInstance()
  }

  /// A stopped instance with a database without rows.
  private func stopped(_ migrations: [Migration] = Migrations.all) throws -> Configuration {
    let configuration = try instance.configuration(data: "\(instance.folder.path)/stopped")
    try FileManager.default.createDirectory(
      atPath: configuration.data, withIntermediateDirectories: false)
    try Database(path: configuration.databasePath).migrate(migrations)
    return configuration
  }

  /// A stopped instance with rows in many tables, which came by all versions that landed.
  private func upgraded() throws -> Configuration {
    let configuration = try stopped([])
    let database = try Database(path: configuration.databasePath)
    for version in LandedSchemas.versions {
      try database.migrate(version)
      try database.write { writer in
        for row in version.flatMap({ SampleRows.byMigration[$0.name] ?? [] }) {
          try writer.execute(row)
        }
      }
    }
    return configuration
  }

  private func onServer(_ address: String) throws -> Configuration {
    try instance.configuration(
      data: "\(instance.folder.path)/stopped", ["PAIRSPOT_DATABASE_URL": address])
  }

  private func move(_ configuration: Configuration, to target: String) throws -> [String] {
    var said: [String] = []
    try MoveDatabase(configuration).run(to: target) { said.append($0) }
    return said
  }

  @Test("All tables are the same there and back again, and the passwords are not printed")
  func thereAndBack() throws {
    let configuration = try upgraded()
    let before = try Data(contentsOf: URL(filePath: configuration.databasePath))
    let address = try PostgreSQLServer.shared.newDatabase()
    let there = try move(
      configuration, to: address.replacing("tests@", with: "tests:lantern@"))
    let equal = there.filter { $0.hasSuffix("equal") }
    #expect(equal.count > 100 && there.allSatisfy { !$0.contains("lantern") }, "\(there)")
    #expect(there.last?.contains("tables are equal") == true)
    #expect(try Data(contentsOf: URL(filePath: configuration.databasePath)) == before)

    let target = "\(instance.folder.path)/back.sqlite"
    let back = try move(onServer(address), to: "sqlite:\(target)")
    #expect(back.filter { $0.hasSuffix("equal") } == equal)
    #expect(try DoctorCheck.integrity.find(Database(path: target)) == [])
    let users = try Database(path: target).read { try $0.count("SELECT count(*) FROM users") }
    #expect(users == 2)
  }

  @Test("An instance that runs on the same machine or on another one is refused")
  func running() throws {
    let address = try PostgreSQLServer.shared.newDatabase()
    let refused = errorMessage { _ = try move(instance.instance.configuration, to: address) }
    #expect(refused.contains("stop it before the move"), "\(refused)")

    _ = try move(stopped(), to: address)
    let other = try Database(server: address)
    let again = errorMessage {
      _ = try move(onServer(address), to: "sqlite:\(instance.folder.path)/back.sqlite")
    }
    #expect(again.contains("another machine"), "\(again)")
    withExtendedLifetime(other) {}
  }

  @Test("A database with an older schema is refused, and the target stays empty")
  func older() throws {
    let address = try PostgreSQLServer.shared.newDatabase()
    let configuration = try stopped(Array(Migrations.all.dropLast()))
    #expect(errorMessage { _ = try move(configuration, to: address) }.contains("pairspot migrate"))
    try Database(server: address).beginFilling()
  }

  @Test("A database with a newer schema is refused")
  func newer() throws {
    let later = Migration("later 1", "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;")
    let configuration = try stopped(Migrations.all + [later])
    let refused = errorMessage {
      _ = try move(configuration, to: "sqlite:\(instance.folder.path)/moved.sqlite")
    }
    #expect(refused.contains("newer PairSpot (“later 1”)"), "\(refused)")
  }

  @Test(
    "A target that is no empty place is refused",
    arguments: [
      ("mysql://db/pairspot", "must be postgresql://"), ("sqlite:", "must be postgresql://"),
      ("sqlite:DATA/pairspot.sqlite", "in use"), ("sqlite:DATA/lock", "exists already"),
      ("FULL", "not empty"), ("postgresql:///none?host=/nowhere", "not available"),
    ])
  func targets(target: String, message: String) throws {
    let configuration = try stopped()
    try Data().write(to: URL(filePath: "\(configuration.data)/lock"))
    let full = try PostgreSQLServer.shared.newDatabase()
    if target == "FULL" { try Database(server: full).migrate(Migrations.all) }
    let refused = errorMessage {
      _ = try move(
        configuration,
        to: target.replacing("DATA", with: configuration.data).replacing("FULL", with: full))
    }
    #expect(refused.contains(message), "\(refused)")
  }
}
