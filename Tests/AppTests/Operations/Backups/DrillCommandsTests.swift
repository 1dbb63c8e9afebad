import Core
import Database
import Foundation
import Glibc
import Jobs
import Testing

@testable import App

@Suite("Restore drills of an instance")
struct DrillCommandsTests {
  /// An instance with people, pictures, a queued mail and a backup.
  private func prepared() throws -> TestInstance {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").writeWithPicture("Words")
    instance.browser().begin("Gia", contact: "kai@example.test")
    try instance.live()
    try instance.queueMail()
    try instance.backUp()
    return instance
  }

  /// Everything in the database except the heartbeats.
  private func content(_ instance: TestInstance) throws -> [String: Int] {
    try instance.database.read { reader in
      let tables = try reader.values(
        """
        SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'heartbeats'
          AND sql NOT LIKE 'CREATE VIRTUAL%'
        """, as: String.self)
      return try tables.reduce(into: [:]) { found, table in
        found[table] = try reader.count("SELECT count(*) FROM \(name: table)")
      }
    }
  }

  /// The heartbeats except those of drills.
  private func beats(_ instance: TestInstance) throws -> [String] {
    try instance.database.read {
      try $0.values(
        "SELECT name || at FROM heartbeats WHERE name NOT LIKE 'drill%' ORDER BY name",
        as: String.self)
    }
  }

  /// The files below the data folder except the database, with their contents.
  private func files(_ instance: TestInstance) -> [String: Data] {
    let walk = FileManager.default.enumerator(atPath: instance.folder.path)
    var found: [String: Data] = [:]
    while let path = walk?.nextObject() as? String {
      if path.hasPrefix("pairspot.sqlite") || path.hasSuffix(".pairspot-drill") { continue }
      if walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        found[path] = FileManager.default.contents(atPath: "\(instance.folder.path)/\(path)")
      }
    }
    return found
  }

  @Test(
    "A passed drill changes nothing but its record, and sends nothing",
    .onSQLite("ServerBackupTests covers drills on a server"))
  func passes() throws {
    let instance = try prepared()
    let (rows, beats, files) = (try content(instance), try beats(instance), files(instance))
    #expect(rows.count > 50 && files.count > 8)
    let said = try instance.drill()
    #expect(said.contains { $0.contains("the doctor found no errors") }, "\(said)")
    #expect(said.last?.contains("passed") == true, "\(said)")
    #expect(try content(instance) == rows)
    #expect(try self.beats(instance) == beats)
    #expect(self.files(instance) == files)
  }

  @Test("An instance without drills is well; the last pass is in the metrics and on the page")
  func known() throws {
    let instance = try prepared()
    let ada = try instance.admin()
    let metrics = { instance.browser().get("/metrics").text }
    #expect(metrics().contains("pairspot_last_drill_timestamp_seconds 0"))
    #expect(try instance.unwell() == [:])
    try instance.drill()
    #expect(
      metrics().contains(
        "pairspot_last_drill_timestamp_seconds \(instance.clock.now().milliseconds / 1000)"))
    #expect(try instance.unwell() == [:])
    #expect(ada.get("/admin/health").shows("Last passed restore drill"))
  }

  @Test("Eight days after the last pass the instance is not well, until a drill passes")
  func late() throws {
    let instance = try prepared()
    try instance.drill()
    instance.clock.advance(seconds: .days(8))
    try instance.live()
    #expect(try instance.unwell()["drill"] == nil)
    instance.clock.advance(seconds: 1)
    #expect(try instance.unwell()["drill"]?.contains("2026-03-02T00:00:00Z") == true)
    try instance.drill()
    #expect(try instance.unwell()["drill"] == nil)
    // A pass of before the clock was set back.
    instance.clock.advance(seconds: -.days(9))
    #expect(try instance.unwell()["drill"] != nil)
  }

  @Test("After a failed drill the instance is not well, until one passes")
  func failed() throws {
    let instance = try prepared()
    let picture = try #require(try instance.mediaFiles().min())
    let file = "\(instance.directory)/20260302T000000Z/media/\(picture)"
    let good = try Data(contentsOf: URL(filePath: file))
    var bad = good
    bad[bad.count / 2] ^= 1
    try bad.write(to: URL(filePath: file))
    #expect(
      errorMessage { try instance.drill() }.contains("the drill failed: \(file) differs from"))
    let said = try instance.unwell()
    #expect(Array(said.keys) == ["drill"])
    #expect(said["drill"]?.contains("failed at 2026-03-02T00:00:00Z") == true, "\(said)")
    #expect(try instance.instance.jobStore.lastBeat("drill") == nil)
    try good.write(to: URL(filePath: file))
    try instance.drill()
    #expect(try instance.unwell() == [:])
  }

  @Test("What the doctor finds in the copy fails the drill")
  func doctor() throws {
    let instance = try prepared()
    let picture = try #require(try instance.mediaFiles().min())
    try FileManager.default.removeItem(
      atPath: "\(instance.instance.configuration.mediaFolder)/\(picture)")
    instance.clock.advance(seconds: 60)
    try FileManager.default.removeItem(atPath: instance.directory)
    try instance.backUp()
    #expect(
      errorMessage { try instance.drill() } == "the drill failed: the doctor found errors (1)")
    #expect(try instance.unwell()["drill"] != nil)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: instance.directory).sorted() == [
        ".pairspot-backups", ".pairspot-drill", "20260302T000100Z",
      ])
  }

  @Test(
    "On another machine a drill passes without a record, and makes no data folder",
    .onSQLite("without its database there is no instance on a server"))
  func withoutData() throws {
    let instance = try prepared()
    let data = "\(instance.folder.path)/other"
    let said = try instance.drill(in: "\(instance.folder.path)/drills", data: data)
    #expect(said.last == "not recorded: no database in \(data)")
    #expect(!FileManager.default.fileExists(atPath: data))
    #expect(try instance.instance.jobStore.lastBeat("drill") == nil)
  }

  @Test("No drill among the data that the next backup copies, and none as root for another user")
  func refused() throws {
    let instance = try prepared()
    let media = instance.instance.configuration.mediaFolder
    #expect(
      errorMessage { try instance.drill(in: "\(media)/drill") }.contains("is inside \(media)"))
    try #require(chown(instance.folder.path, 12345, 12345) == 0)
    #expect(errorMessage { try instance.drill() }.contains("belongs to another user"))
    #expect(try instance.unwell() == [:])
  }

  @Test("A drill that was killed is removed by the next one")
  func killed() throws {
    let instance = try prepared()
    let configuration = instance.instance.configuration
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = URL(filePath: tests).deletingLastPathComponent().appending(path: "pairspot")
    let process = Process()
    process.executableURL = program
    process.arguments = ["drill", instance.directory]
    process.environment = configuration.variables
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    func drills() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: instance.directory)
        .filter { $0.hasSuffix(".drill") }
    }
    try process.run()
    let deadline = ContinuousClock.now + .seconds(60)
    while try drills().isEmpty, process.isRunning, ContinuousClock.now < deadline { usleep(1000) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(try drills().count == 1)
    let said = try instance.drill()
    #expect(said.contains { $0.hasPrefix("removed an interrupted drill: ") }, "\(said)")
    #expect(try drills() == [])
  }
}
