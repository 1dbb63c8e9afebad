import Core
import FastCGI
import Foundation
import Glibc
import Secrets
import Testing

@testable import App
@testable import Backup
@testable import Jobs

@Suite("Permissions, times and keys for backup and restore")
struct BackupErrorTests {
  @Test("A running instance can't be restored, and nothing has changed")
  func running() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.backUp()
    let said = errorMessage {
      try BackupCommands(instance.instance.configuration).restore(from: instance.directory) { _ in }
    }
    #expect(said.contains("is running"))
    #expect(try instance.count("SELECT count(*) FROM users") == 2)
  }

  @Test("During a restore no backup can be made")
  func beingRestored() throws {
    let instance = try TestInstance()
    try instance.backUp()
    let configuration = try instance.configuration(data: "\(instance.folder.path)/restored")
    let service = BackupCommands(configuration, clock: instance.clock)
    try service.restore(from: instance.directory) { _ in }
    let lock = try DataLock.alone(configuration.data)
    let said = errorMessage {
      try service.make(in: "\(instance.folder.path)/other", keep: false) { _ in }
    }
    #expect(said.contains("is being restored"), "\(said)")
    withExtendedLifetime(lock) {}
  }

  @Test("No restore while handlers without a lock answer, from before the lock existed")
  func answering() throws {
    let instance = try TestInstance()
    try instance.backUp()
    let configuration = try instance.configuration(data: "\(instance.folder.path)/new")
    try FileManager.default.createDirectory(
      atPath: configuration.runFolder, withIntermediateDirectories: true)
    let server = try FastCGIServer(socketPath: configuration.socketPath(0), threads: 1)
    let said = errorMessage {
      try BackupCommands(configuration, clock: instance.clock).restore(from: instance.directory) {
        _ in
      }
    }
    #expect(said.contains("is running"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: configuration.databasePath))
    withExtendedLifetime(server) {}
  }

  @Test("No restore while the doctor runs, even after the instance itself was closed")
  func doctorsLock() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.backUp()
    let configuration = try instance.configuration(data: "\(instance.folder.path)/restored")
    try BackupCommands(configuration, clock: instance.clock).restore(from: instance.directory) {
      _ in
    }
    let doctor = Doctor(try instance.opened(configuration))
    let said = errorMessage {
      try BackupCommands(configuration, clock: instance.clock).restore(from: instance.directory) {
        _ in
      }
    }
    #expect(said.contains("is running"))
    #expect(doctor.run(repair: false) { Issue.record("\($0)") })
  }

  @Test("Root neither backs up nor restores data of another system user")
  func foreign() throws {
    let instance = try TestInstance()
    try instance.backUp()
    // A user other than root owns it already.
    if geteuid() == 0 { try #require(chown(instance.folder.path, 65_534, 65_534) == 0) }
    let service = BackupCommands(instance.instance.configuration, clock: instance.clock, user: 0)
    instance.clock.advance(seconds: 60)
    let said = [
      errorMessage { try service.make(in: instance.directory, keep: false) { _ in } },
      errorMessage { try service.restore(from: instance.directory) { _ in } },
    ]
    #expect(said.allSatisfy { $0.contains("run this as that user") }, "\(said)")
  }

  @Test(
    "Root refuses a restore that production could not open, and explains how to do it",
    .onSQLite("ServerBackupTests covers restores into a server"))
  func root() throws {
    let instance = try TestInstance()
    try instance.backUp()
    let configuration = try Configuration(
      environment: [
        "PAIRSPOT_SHARE": TestInstance.checkout.path,
        "PAIRSPOT_DATA": "\(instance.folder.path)/new",
        "PAIRSPOT_BASE_URL": "https://pairspot.example", "FROM_EMAIL": "us@pairspot.example",
        "PAIRSPOT_MAIL": "smtp", "SMTP_HOST": "mail.example",
      ], now: TestInstance.start, cores: 2)
    let said = errorMessage {
      try BackupCommands(configuration, clock: instance.clock, user: 0)
        .restore(from: instance.directory) { _ in }
    }
    #expect(said.contains("sudo -u"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: configuration.data))
    try BackupCommands(configuration, clock: instance.clock, user: 1000)
      .restore(from: instance.directory) { _ in }
  }

  @Test("Keys of another instance are refused")
  func keys() throws {
    let (instance, other) = (try TestInstance(), try TestInstance())
    try instance.couple()
    try instance.backUp()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: instance.directory).first {
        $0.hasSuffix("Z")
      })
    let folder = "\(instance.directory)/\(name)"
    let path = "\(folder)/secrets/keys.json"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(
      atPath: "\(other.instance.configuration.secretsFolder)/keys.json", toPath: path)
    try rewrite("\(folder)/manifest.json", as: path, named: "secrets/keys.json")
    let said = errorMessage { _ = try instance.restored() }
    #expect(said.contains("the keys do not match the database"), "\(said)")
    #expect(
      !FileManager.default.fileExists(atPath: "\(instance.folder.path)/restored/pairspot.sqlite"))
  }

  /// Updates a file's entry in a manifest to its current content.
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
    let (instance, other) = (try TestInstance(), try TestInstance())
    try instance.couple()
    try instance.backUp()
    let beat = try instance.instance.jobStore.lastBeat(BackupCommands.heartbeat)
    instance.clock.advance(seconds: .days(1))
    let keys = "\(instance.instance.configuration.secretsFolder)/keys.json"
    try FileManager.default.removeItem(atPath: keys)
    if strange {
      try FileManager.default.copyItem(
        atPath: "\(other.instance.configuration.secretsFolder)/keys.json", toPath: keys)
    }
    let said = errorMessage { try instance.backUp() }
    #expect(
      said.contains(strange ? "the keys do not match the database" : "\(keys) is missing"),
      "\(said)")
    #expect(try instance.instance.jobStore.lastBeat(BackupCommands.heartbeat) == beat)
    // Only yesterday's backup is left.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: instance.directory).filter {
        $0.hasSuffix("Z")
      }.count == 1)
  }

  @Test("Keys from before a rotation are refused, though nothing was sealed with the new ones")
  func keysBeforeRotation() throws {
    let instance = try TestInstance()
    let secrets = instance.instance.configuration.secretsFolder
    let before = try Data(contentsOf: URL(filePath: "\(secrets)/keys.json"))
    _ = try KeyRotation(instance.instance).run()
    try SecretFiles.replace(Array(before), name: "keys.json", in: secrets)
    let said = errorMessage { try instance.backUp() }
    #expect(said.contains("older than the database"), "\(said)")
  }

  @Test("Keys whose rotation stopped before its last step are those of the database")
  func rotation() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (grown, newest) = try KeyRotation(instance.instance).prepare()
    _ = try KeyRotation.change(instance.database, from: grown, to: newest)
    #expect(try instance.backUp().count == 1)
    let ben = TestClient(try instance.restored().application)
    #expect(ben.signIn("ben@example.test", TestInstance.password).status == 303)
  }
}
