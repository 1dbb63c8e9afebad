import Basics
import FastCGI
import Foundation
import Glibc
import Secrets
import Testing

@testable import App
@testable import Backup
@testable import Jobs

@Suite("Who may make and restore backups, when, and with which keys")
struct BackupRefusalTests {
  @Test("While the house is open nobody restores, and nothing has changed")
  func running() throws {
    let house = try TestHouse()
    try house.couple()
    try house.backUp()
    let said = complaint {
      try BackupDesk(house.house.configuration).restore(from: house.shelf) { _ in }
    }
    #expect(said.contains("is running"))
    #expect(try house.count("SELECT count(*) FROM users") == 2)
  }

  @Test("While data are being restored nobody backs them up")
  func beingRestored() throws {
    let house = try TestHouse()
    try house.backUp()
    let configuration = try house.configuration(data: "\(house.folder.path)/restored")
    let desk = BackupDesk(configuration, clock: house.clock)
    try desk.restore(from: house.shelf) { _ in }
    let lock = try DataLock.alone(configuration.data)
    let said = complaint { try desk.make(in: "\(house.folder.path)/other", keep: false) { _ in } }
    #expect(said.contains("is being restored"), "\(said)")
    withExtendedLifetime(lock) {}
  }

  @Test("Nobody restores while handlers answer that hold no lock, being of before there was one")
  func answering() throws {
    let house = try TestHouse()
    try house.backUp()
    let configuration = try house.configuration(data: "\(house.folder.path)/new")
    try FileManager.default.createDirectory(
      atPath: configuration.runFolder, withIntermediateDirectories: true)
    let server = try FastCGIServer(socketPath: configuration.socketPath(0), threads: 1)
    let said = complaint {
      try BackupDesk(configuration, clock: house.clock).restore(from: house.shelf) { _ in }
    }
    #expect(said.contains("is running"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: configuration.databasePath))
    withExtendedLifetime(server) {}
  }

  @Test("While the doctor looks nobody restores, though the house itself was let go of")
  func doctorsLock() throws {
    let house = try TestHouse()
    try house.couple()
    try house.backUp()
    let configuration = try house.configuration(data: "\(house.folder.path)/restored")
    try BackupDesk(configuration, clock: house.clock).restore(from: house.shelf) { _ in }
    let doctor = Doctor(try house.opened(configuration))
    let said = complaint {
      try BackupDesk(configuration, clock: house.clock).restore(from: house.shelf) { _ in }
    }
    #expect(said.contains("is running"))
    #expect(doctor.run(repair: false) { Issue.record("\($0)") })
  }

  @Test("Root neither backs up nor restores what belongs to somebody else")
  func foreign() throws {
    let house = try TestHouse()
    try house.backUp()
    // Who isn't root owns it already.
    if geteuid() == 0 { try #require(chown(house.folder.path, 65_534, 65_534) == 0) }
    let desk = BackupDesk(house.house.configuration, clock: house.clock, user: 0)
    house.clock.advance(seconds: 60)
    let said = [
      complaint { try desk.make(in: house.shelf, keep: false) { _ in } },
      complaint { try desk.restore(from: house.shelf) { _ in } },
    ]
    #expect(said.allSatisfy { $0.contains("run this as that user") }, "\(said)")
  }

  @Test("Root restores nothing that production may not open, and is told how it is done")
  func root() throws {
    let house = try TestHouse()
    try house.backUp()
    let configuration = try Configuration(
      environment: [
        "PAIRSPOT_SHARE": TestHouse.checkout.path, "PAIRSPOT_DATA": "\(house.folder.path)/new",
        "PAIRSPOT_BASE_URL": "https://pairspot.example", "FROM_EMAIL": "us@pairspot.example",
        "PAIRSPOT_MAIL": "smtp", "SMTP_HOST": "mail.example",
      ], now: TestHouse.start, cores: 2)
    let said = complaint {
      try BackupDesk(configuration, clock: house.clock, user: 0)
        .restore(from: house.shelf) { _ in }
    }
    #expect(said.contains("sudo -u"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: configuration.data))
    try BackupDesk(configuration, clock: house.clock, user: 1000)
      .restore(from: house.shelf) { _ in }
  }

  @Test("Keys of another house are refused")
  func keys() throws {
    let (house, other) = (try TestHouse(), try TestHouse())
    try house.couple()
    try house.backUp()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: house.shelf).first { $0.hasSuffix("Z") })
    let folder = "\(house.shelf)/\(name)"
    let path = "\(folder)/secrets/keys.json"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(
      atPath: "\(other.house.configuration.secretsFolder)/keys.json", toPath: path)
    try rewrite("\(folder)/manifest.json", as: path, named: "secrets/keys.json")
    let said = complaint { _ = try house.restored() }
    #expect(said.contains("the keys are not those of the database"), "\(said)")
    #expect(
      !FileManager.default.fileExists(atPath: "\(house.folder.path)/restored/pairspot.sqlite"))
  }

  /// Has a manifest say of a file what it is now.
  private func rewrite(_ manifest: String, as file: String, named name: String) throws {
    let content = try Data(contentsOf: URL(filePath: manifest))
    var fields = try #require(try JSONSerialization.jsonObject(with: content) as? [String: Any])
    var files = try #require(fields["files"] as? [[String: Any]])
    let place = try #require(files.firstIndex { $0["path"] as? String == name })
    files[place]["size"] = try Data(contentsOf: URL(filePath: file)).count
    files[place]["sha256"] = Hex.text(try Digests.sha256(file: file))
    fields["files"] = files
    try JSONSerialization.data(withJSONObject: fields).write(to: URL(filePath: manifest))
  }

  @Test(
    "A backup of which no restore would know the keys says so, and isn't the last one",
    arguments: [false, true])
  func backupWithoutKeys(strange: Bool) throws {
    let (house, other) = (try TestHouse(), try TestHouse())
    try house.couple()
    try house.backUp()
    let beat = try house.house.jobStore.lastBeat(BackupDesk.heartbeat)
    house.clock.advance(seconds: .days(1))
    let keys = "\(house.house.configuration.secretsFolder)/keys.json"
    try FileManager.default.removeItem(atPath: keys)
    if strange {
      try FileManager.default.copyItem(
        atPath: "\(other.house.configuration.secretsFolder)/keys.json", toPath: keys)
    }
    let said = complaint { try house.backUp() }
    #expect(
      said.contains(strange ? "the keys are not those of the database" : "\(keys) is missing"),
      "\(said)")
    #expect(try house.house.jobStore.lastBeat(BackupDesk.heartbeat) == beat)
    // What is left is yesterday's.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: house.shelf).filter {
        $0.hasSuffix("Z")
      }.count == 1)
  }

  @Test("Keys from before a rotation are refused, though nothing was sealed with the new ones")
  func keysBeforeRotation() throws {
    let house = try TestHouse()
    let secrets = house.house.configuration.secretsFolder
    let before = try Data(contentsOf: URL(filePath: "\(secrets)/keys.json"))
    _ = try KeyRotation(house.house).run()
    try SecretFiles.replace(Array(before), name: "keys.json", in: secrets)
    let said = complaint { try house.backUp() }
    #expect(said.contains("older than the database"), "\(said)")
  }

  @Test("Keys whose rotation stopped before its last step are those of the database")
  func rotation() throws {
    let house = try TestHouse()
    try house.couple()
    let (grown, newest) = try KeyRotation(house.house).prepare()
    _ = try KeyRotation.change(house.database, from: grown, to: newest)
    #expect(try house.backUp().count == 1)
    let ben = Browser(try house.restored().application)
    #expect(ben.signIn("ben@example.test", TestHouse.password).status == 303)
  }
}
