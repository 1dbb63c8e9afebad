import Core
import Database
import Foundation
import Jobs
import PostgreSQLServer
import Testing

@testable import App
@testable import Backup

/// Each test has a server of its own, since drills of the same time have the same database.
@Suite("Backup, restore and drill of an instance with a PostgreSQL server")
struct ServerBackupTests {
  private static let url = "PAIRSPOT_DATABASE_URL"

  private let server: PostgreSQLServer

  init() throws {
    server = try PostgreSQLServer()
  }

  private func filled() throws -> TestInstance {
    let instance = try TestInstance(variables: [Self.url: server.newDatabase()])
    try instance.couple()
    return instance
  }

  private func restore(_ path: String, _ configuration: Configuration) throws {
    try BackupCommands(configuration).restore(from: path) { _ in }
  }

  private func drillDatabases(_ instance: TestInstance) throws -> Int {
    try instance.count("SELECT count(*) FROM pg_database WHERE datname LIKE 'pairspot_drill%'")
  }

  @Test("A backup is restored into an empty database, with its files and keys")
  func whole() throws {
    let instance = try filled()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let picture = try #require(
      ann.get(post).text.firstMatch(of: /\/media\/couples\/[^" ]+/).map { String($0.output) })
    #expect(try instance.backUp().count == 1)
    let backup = "\(instance.directory)/20260302T000000Z"
    let names = try FileManager.default.contentsOfDirectory(atPath: backup)
    #expect(names.sorted() == ["manifest.json", "media", "pairspot.dump", "secrets"])
    try ann.write("Too late")

    let configuration = try instance.configuration(
      data: "\(instance.folder.path)/restored", [Self.url: server.newDatabase()])
    try restore(instance.directory, configuration)
    let again = try instance.opened(configuration)
    let ben = TestClient(again.application)
    #expect(ben.signIn("ben@example.test", TestInstance.password).status == 303)
    #expect(ben.get(post).shows("Words") && !ben.get("/").shows("Too late"))
    #expect(ben.get(picture).status == 200)
    #expect(Doctor(again).run(repair: false) { Issue.record("\($0)") })
    #expect(!FileManager.default.fileExists(atPath: "\(configuration.data)/pairspot.dump"))
    // The restored database is no empty one.
    let other = try instance.configuration(
      data: "\(instance.folder.path)/other", [Self.url: configuration.database.address ?? ""])
    let refused = errorMessage { try restore(instance.directory, other) }
    #expect(refused.contains("must name an empty database"), "\(refused)")
    #expect(ben.get(post).shows("Words"))
  }

  @Test("A restore that fails before its dump leaves the database empty")
  func damaged() throws {
    let instance = try filled()
    try instance.backUp()
    let key = "\(instance.directory)/20260302T000000Z/secrets/keys.json"
    try FileManager.default.removeItem(atPath: key)
    let configuration = try instance.configuration(
      data: "\(instance.folder.path)/restored", [Self.url: server.newDatabase()])
    #expect(errorMessage { try restore(instance.directory, configuration) }.contains("is missing"))
    try configuration.database.open().beginFilling()
  }

  @Test("A restore that fails after its dump leaves a database on which no instance runs")
  func otherKeys() throws {
    let (instance, other) = (try filled(), try TestInstance())
    let key = "\(instance.instance.configuration.secretsFolder)/keys.json"
    try FileManager.default.removeItem(atPath: key)
    try FileManager.default.copyItem(
      atPath: "\(other.instance.configuration.secretsFolder)/keys.json", toPath: key)
    let faulty = "20260302T000000Z.faulty"
    #expect(errorMessage { try instance.backUp() }.contains(faulty))
    let configuration = try instance.configuration(
      data: "\(instance.folder.path)/restored", [Self.url: server.newDatabase()])
    let refused = errorMessage { try restore("\(instance.directory)/\(faulty)", configuration) }
    #expect(refused.contains("the keys do not match") && refused.contains("use another one"))
    #expect(!FileManager.default.fileExists(atPath: configuration.mediaFolder))
    #expect(errorMessage { _ = try instance.opened(configuration) }.contains("completely"))
    #expect(errorMessage { try restore(instance.directory, configuration) } != "")
  }

  @Test(
    "A backup of one engine is not restored into the other", .onSQLite("one of the two is a file"))
  func kinds() throws {
    let (file, instance) = (try TestInstance(), try filled())
    try file.backUp()
    try instance.backUp()
    let plain = try file.configuration(data: "\(file.folder.path)/restored")
    #expect(
      errorMessage { try restore(instance.directory, plain) }.contains("PAIRSPOT_DATABASE_URL"))
    let configuration = try instance.configuration(
      data: "\(instance.folder.path)/restored", [Self.url: server.newDatabase()])
    #expect(errorMessage { try restore(file.directory, configuration) }.contains("move-database"))
  }

  @Test("A drill passes in a database of its own, and removes it and that of a killed one alone")
  func drill() throws {
    let instance = try filled()
    try instance.backUp()
    let killed = "\(instance.directory)/20260301T000000Z.drill"
    try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: "\(killed)/pairspot.dump"))
    let address = try #require(instance.instance.configuration.database.address)
    let name = try #require(BackupName("20260301T000000Z"))
    try Database.create(DatabaseServer(address).drillDatabase(name), onServerOf: address)
    // Of another instance on the same server.
    let other = try ServerAddress(address).address(ofDatabase: "other")
    try Database.create(DatabaseServer(other).drillDatabase(name), onServerOf: address)
    #expect(try drillDatabases(instance) == 2)

    let said = try instance.drill()
    #expect(said.first == "removed an interrupted drill: \(killed)")
    #expect(said.last?.contains("passed") == true, "\(said)")
    #expect(try drillDatabases(instance) == 1)
    #expect(try instance.instance.jobStore.lastBeat("drill") == instance.clock.now())
  }

  @Test("Keys that several nodes share are in the backup, and a restore does not touch them")
  func sharedKeys() throws {
    let secrets = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: secrets) }
    let instance = try TestInstance(
      variables: [Self.url: server.newDatabase(), "PAIRSPOT_SECRETS": secrets])
    try instance.couple()
    #expect(try instance.backUp().count == 1)
    let copied = "\(instance.directory)/20260302T000000Z/secrets/keys.json"
    let kept = try Data(contentsOf: URL(filePath: "\(secrets)/keys.json"))
    #expect(try Data(contentsOf: URL(filePath: copied)) == kept)
    #expect(try instance.drill().last?.contains("passed") == true)

    let configuration = try instance.configuration(
      data: "\(instance.folder.path)/restored", [Self.url: server.newDatabase()])
    let refused = errorMessage { try restore(instance.directory, configuration) }
    #expect(refused.hasPrefix("unset PAIRSPOT_SECRETS"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: configuration.data))
  }

  @Test("Without the right to create databases no drill begins, and one sentence says so")
  func noDrill() throws {
    let instance = try filled()
    try instance.backUp()
    try instance.database.write { try $0.execute("CREATE ROLE plain LOGIN") }
    let address = try #require(instance.instance.configuration.database.address)
    let configuration = try instance.configuration(
      data: instance.folder.path, [Self.url: address.replacing("tests@", with: "plain@")])
    let refused = errorMessage {
      try DrillCommands(configuration).run(of: instance.directory, in: nil) { _ in }
    }
    #expect(refused.contains("CREATEDB") && !refused.contains("failed"), "\(refused)")
    #expect(try instance.instance.jobStore.lastBeat("drill failed") == nil)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: instance.directory).sorted() == [
        ".pairspot-backups", ".pairspot-drill", "20260302T000000Z",
      ])
  }
}
