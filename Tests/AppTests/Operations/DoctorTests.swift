import Database
import Foundation
import PostgreSQLServer
import Secrets
import Synchronization
import Testing

@testable import App

@Suite("The doctor")
struct DoctorTests {
  private func found(_ instance: TestInstance) throws -> [String] {
    try instance.instance.doctorChecks.flatMap { try $0.find(instance.database) }
  }

  private func repair(_ instance: TestInstance) throws {
    for check in instance.instance.doctorChecks { try check.repair?(instance.database) }
  }

  @Test("Finds nothing on a used instance")
  func well() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    let post = try ann.writeWithPicture("Words")
    try sam.write("First")
    sam.post("\(post)/like")
    #expect(try found(instance) == [])
  }

  @Test(
    "Finds a wrong count and mends it",
    arguments: ["like_count = 7", "like_count = 0", "image_count = 3"] as [Query])
  func counts(wrong: Query) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    ann.post("\(post)/like")
    try instance.database.write { try $0.execute("UPDATE posts SET \(wrong)") }
    #expect(try found(instance).count == 1)
    try repair(instance)
    #expect(try found(instance) == [])
    #expect(try instance.count("SELECT like_count + image_count FROM posts") == 2)
  }

  @Test("Finds a couple that lacks a member, and leaves it to a person")
  func members() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE couple_side = 2")
    }
    #expect(try found(instance).count == 1)
    try repair(instance)
    #expect(try found(instance).count == 1)
  }

  @Test("Finds a user with two couples in the history")
  func twoCouples() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Cy & Di", "cy", "di")
    try instance.database.write {
      try $0.execute(
        """
        UPDATE couple_members SET user_id = (SELECT id FROM users WHERE display_name = 'Ann')
        WHERE user_id = (SELECT id FROM users WHERE display_name = 'Cy')
        """)
    }
    // Ann is in two couples, and Cy is in one without a history row.
    #expect(try found(instance).count == 2)
  }
}

@Suite("The doctor's round")
struct DoctorRoundTests {
  private struct Broken: Error {}

  private func round(
    _ instance: TestInstance, _ checks: [DoctorCheck], repair: Bool = false
  ) -> (isHealthy: Bool, said: [String]) {
    var said: [String] = []
    let isHealthy = Doctor(instance.database, checks).run(repair: repair) { said.append($0) }
    return (isHealthy, said)
  }

  @Test("A failing check is reported and prevents neither other checks nor their repair")
  func oneFails() throws {
    let instance = try TestInstance()
    let checks = [
      DoctorCheck("broken", find: { _ in throw Broken() }),
      DoctorCheck("mended badly", find: { _ in ["x"] }, repair: { _ in throw Broken() }),
      DoctorCheck("never mended", find: { _ in ["y"] }, repair: { _ in }),
      DoctorCheck(
        "a job too many",
        find: { try $0.exists("SELECT 1 FROM jobs WHERE kind = 'x'") ? ["z"] : [] },
        repair: { try $0.execute("DELETE FROM jobs WHERE kind = 'x'") }),
    ]
    try instance.database.write {
      try $0.execute(
        "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (\([0] as [UInt8]), 'x', '', 0, 0)"
      )
    }
    let (isHealthy, said) = round(instance, checks, repair: true)
    #expect(!isHealthy)
    #expect(said.first?.hasPrefix("broken: check failed") == true)
    #expect(said.contains { $0.hasPrefix("mended badly: check failed") })
    #expect(said.contains("never mended: not repaired: y"))
    #expect(said.last == "a job too many: repaired")
    #expect(round(instance, Array(checks.suffix(1))).isHealthy)
  }

  private func checks(_ instance: TestInstance) -> [DoctorCheck] {
    DataDoctor(instance.instance.configuration).checks
  }

  @Test("Secrets readable by others are reported and protected, before they are needed")
  func secrets() throws {
    let instance = try TestInstance()
    let folder = instance.instance.configuration.secretsFolder
    func look(repair: Bool = false) throws -> (isHealthy: Bool, said: [String]) {
      var said: [String] = []
      let isHealthy = try instance.look(repair: repair) { said.append($0) }
      // A test server has other settings than one that is in use.
      return (isHealthy, said.filter { !$0.hasPrefix("note: ") })
    }
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(try look() == (true, []))
    try Data().write(to: URL(filePath: "\(folder)/demo"))
    chmod("\(folder)/demo", 0o644)
    chmod(folder, 0o711)
    let open = try look()
    #expect(!open.isHealthy && open.said.count == 2)
    chmod("\(folder)/keys.json", 0o640)
    var said: [String] = []
    #expect(throws: KeyFileError.tooOpen("\(folder)/keys.json")) {
      _ = try instance.look(repair: false) { said.append($0) }
    }
    #expect(
      said.count == 3 && said.last?.hasSuffix("keys.json is accessible to other users") == true)
    #expect(mode("\(folder)/keys.json") == 0o640)
    let mended = try look(repair: true)
    #expect(mended.isHealthy && mended.said.last == "\(SecretsDoctor.name): repaired")
    #expect(mode("\(folder)/keys.json") == 0o600 && mode("\(folder)/demo") == 0o600)
    #expect(mode(folder) == 0o700)
    #expect(try look() == (true, []))
  }

  @Test("A full disk is reported, for each of the folders, and one without free inodes")
  func disk() throws {
    let instance = try TestInstance()
    let configuration = instance.instance.configuration
    func shortages(_ space: @escaping @Sendable (String) -> DiskSpaceMonitor.FreeSpace) -> [String]
    {
      var disks = DiskSpaceMonitor(configuration)
      disks.space = space
      return round(instance, DataDoctor(configuration, disks: disks).checks).said
    }
    let spacious = DiskSpaceMonitor.FreeSpace(bytes: 1 << 40, files: 1 << 20)
    let name = "enough disk space is free"
    let hasFile = TestEngine.ofInstances == .sqlite
    let places = ["PAIRSPOT_DATA", "media/"] + (hasFile ? ["pairspot.sqlite"] : [])
    #expect(shortages { _ in spacious } == [])
    #expect(shortages { _ in .init(bytes: 1 << 40, files: nil) } == [])
    #expect(
      shortages { _ in .init(bytes: 1000, files: 1 << 20) }
        == places.map {
          "\(name): less than 100 MiB free for \($0)"
        })
    #expect(
      shortages { $0.hasSuffix("/media") ? .init(bytes: 1 << 40, files: 999) : spacious }
        == ["\(name): fewer than 1000 files can be created for media/"])
    #expect(
      shortages { $0.hasSuffix(".sqlite") ? .init(bytes: 1 << 20, files: nil) : spacious }
        == (hasFile ? ["\(name): less than 100 MiB free for pairspot.sqlite"] : []))
  }

  @Test("A missing picture is reported; orphaned files are moved aside after a day")
  func media() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").writeWithPicture("Words")
    #expect(round(instance, checks(instance)).isHealthy)
    let media = instance.instance.configuration.mediaFolder
    let picture = try #require(try instance.mediaFiles().first { $0.contains("/medium_") })
    let stranger = (picture as NSString).deletingLastPathComponent + "/stranger.jpg"
    try Data([1]).write(to: URL(filePath: "\(media)/\(stranger)"))
    // Too new to be an orphan: its row may not be committed yet.
    #expect(round(instance, checks(instance), repair: true).isHealthy)
    // A file's change time cannot be set, so the doctor runs with a clock two days ahead.
    let later = Date().addingTimeInterval(2 * 86_400)
    var old = DataDoctor(instance.instance.configuration)
    old.today = { later }
    #expect(round(instance, old.checks).said.count == 1)
    #expect(round(instance, old.checks, repair: true).isHealthy)
    let data = instance.instance.configuration.data
    let aside = try #require(
      try FileManager.default.contentsOfDirectory(atPath: data).first { $0.hasPrefix("nobodys-") })
    #expect(FileManager.default.fileExists(atPath: "\(data)/\(aside)/\(stranger)"))
    #expect(!FileManager.default.fileExists(atPath: "\(media)/\(stranger)"))
    try FileManager.default.removeItem(atPath: "\(media)/\(picture)")
    let (isHealthy, said) = round(instance, old.checks, repair: true)
    #expect(!isHealthy && said.contains { $0.hasSuffix("media/\(picture) is missing") })
  }

  @Test("A file that its row releases during the check is not missing")
  func unblock() throws {
    let instance = try TestInstance()
    let looks = Mutex(0)
    let named = ReferencedFiles("posts") { _ in
      looks.withLock {
        $0 += 1
        return $0 == 1 ? ["a.jpg", "b.jpg"] : ["b.jpg"]
      }
    }
    let doctor = DataDoctor(instance.instance.configuration, named: [named])
    let check = try #require(
      doctor.checks.first { $0.name == "every file in the database exists" })
    #expect(try check.find(instance.database) == ["media/b.jpg is missing"])
    #expect(looks.withLock { $0 } == 2)
  }
}

@Suite("Opening an instance")
struct OpeningTests {
  @Test("Migrations run once, however often it is opened, and nothing is lost")
  func twice() throws {
    let instance = try TestInstance()
    try instance.couple()
    func applied() throws -> Int {
      try instance.database.read { try $0.appliedMigrations().count }
    }
    let ran = try applied()
    let again = try Instance(instance.instance.configuration)
    #expect(try again.database.missing(of: Migrations.all) == [])
    try again.database.migrate(Migrations.all)
    #expect(try applied() == ran)
    #expect(ran == Migrations.all.count)
    #expect(try instance.count("SELECT count(*) FROM users") == 2)
  }

  @Test("An upgrade whose templates can't be read leaves the database to the program before")
  func unreadableTemplates() throws {
    let share = FileManager.default.temporaryDirectory.appending(path: "share-\(UUID())")
    defer { try? FileManager.default.removeItem(at: share) }
    try FileManager.default.createDirectory(at: share, withIntermediateDirectories: true)
    for name in ["public", "templates"] {
      try FileManager.default.copyItem(
        at: TestInstance.checkout.appending(path: name), to: share.appending(path: name))
    }
    let data = share.appending(path: "data").path
    let page = share.appending(path: "templates/errors/problem.mustache")
    let whole = try Data(contentsOf: page)
    try Data("{{#begins}}".utf8).write(to: page)
    #expect(throws: (any Error).self) {
      try TestInstance(variables: ["PAIRSPOT_SHARE": share.path, "PAIRSPOT_DATA": data])
    }
    #expect(FileManager.default.fileExists(atPath: "\(data)/secrets"))
    #expect(!FileManager.default.fileExists(atPath: "\(data)/pairspot.sqlite"))
    try whole.write(to: page)
    let mended = try TestInstance(variables: ["PAIRSPOT_SHARE": share.path, "PAIRSPOT_DATA": data])
    #expect(try mended.database.missing(of: Migrations.all) == [])
  }

  @Test("Each migration has a name of its own")
  func names() {
    let names = Migrations.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test("The data folder is for its owner alone")
  func modes() throws {
    let instance = try TestInstance()
    let configuration = instance.instance.configuration
    for path in [configuration.data, configuration.secretsFolder, configuration.mailFolder] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700, "\(path)")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: configuration.secretsFolder) {
      let path = "\(configuration.secretsFolder)/\(name)"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test("Every job of the timetable has a name of its own, and a first run leaves none in error")
  func timetable() throws {
    let instance = try TestInstance()
    try instance.work()
    #expect(Set(instance.instance.jobs.map(\.name)).count == instance.instance.jobs.count)
    #expect(try instance.count("SELECT count(*) FROM jobs WHERE last_error IS NOT NULL") == 0)
  }
}
