import Core
import Database
import Foundation
import Synchronization
import Testing

@testable import Backup

@Suite("Restore drills")
struct DrillTests {
  private static let folder = "20260303T000000Z.drill"

  /// Runs a drill with the last backup; returns its output.
  @discardableResult
  private func drill(
    _ place: Place, of path: String? = nil, in folder: String? = nil,
    steps: [RestoreStep] = [], space: DiskReserve = DiskReserve(),
    examine: (DataLayout) throws -> Void = { _ in },
    keysFit: @escaping KeyCheck = { _, _ in }, onLine: (String) -> Void = { _ in }
  ) throws -> [String] {
    var said: [String] = []
    try Drill(
      of: path ?? place.directory, in: folder, migrations: Place.migrations, steps: steps,
      space: space, keysFit: keysFit
    ).run(
      now: Place.moment.adding(seconds: .days(1)),
      printLine: {
        said.append($0)
        onLine($0)
      }, examine: examine)
    return said
  }

  /// Checks that nothing is left in a folder of backups.
  private func expectClean(_ place: Place, and backups: [String] = ["20260302T000000Z"]) {
    #expect(
      place.names(place.directory) == [".pairspot-backups", ".pairspot-drill"] + backups)
  }

  @Test("Passes on a backup that was made under load, and the data in use are not changed")
  func underLoad() throws {
    let place = try Place()
    let database = try place.database()
    let isOver = Mutex(false)
    let count = Mutex(0)
    let writer = Thread {
      while !isOver.withLock({ $0 }) {
        let path = "couples/b/\(count.withLock { $0 }).jpg"
        do {
          try place.write("picture \(path)", to: "media/\(path)")
          try database.write { try $0.execute("INSERT INTO pictures VALUES (\(path))") }
        } catch { return }
        count.withLock { $0 += 1 }
      }
    }
    writer.start()
    while count.withLock({ $0 }) < 50 { usleep(1000) }
    try place.back()
    isOver.withLock { $0 = true }
    while !writer.isFinished { usleep(1000) }

    let live = [place.data.database, "\(place.data.database)-wal"].map { URL(filePath: $0) }
    let before = try live.map { try Data(contentsOf: $0) }
    let names = place.names(place.data.folder)
    var pictures: [String] = []
    let said = try drill(place) { copy in
      #expect(copy.folder == "\(place.directory)/\(Self.folder)")
      #expect(try place.mode(copy.folder) == 0o700)
      #expect(place.text("secrets/keys.json", in: copy.folder) == "the key")
      let rows = try place.pictures(in: copy.folder)
      for row in rows { #expect(place.text("media/\(row)", in: copy.folder) != nil, "\(row)") }
      pictures = rows
    }
    #expect(pictures.count >= 51)
    #expect(said.count == 6 && said.last?.contains("passed") == true, "\(said)")
    #expect(said.allSatisfy { $0.hasSuffix(" s)") || $0.contains(", made 2026-03-02") }, "\(said)")
    #expect(try live.map { try Data(contentsOf: $0) } == before)
    #expect(place.names(place.data.folder) == names)
    expectClean(place)
  }

  @Test("Tries the last backup of a folder, or the one that was named")
  func chosen() throws {
    let place = try Place()
    try place.back()
    try place.back(up: 60)
    let backups = ["20260302T000000Z", "20260302T000100Z"]
    #expect(try drill(place).first?.contains(backups[1]) == true)
    #expect(try drill(place, of: place.first).first?.contains(backups[0]) == true)
    expectClean(place, and: backups)
  }

  @Test("Restore steps run, as in a restore")
  func steps() throws {
    let place = try Place()
    try place.back()
    let step = RestoreStep("room") { writer, backup in
      #expect(backup.madeAt == Place.moment && backup.now == Place.moment.adding(seconds: .days(1)))
      try writer.execute("INSERT INTO pictures VALUES ('restored')")
      return nil
    }
    try drill(place, steps: [step]) { copy in
      let rows = try place.pictures(in: copy.folder)
      #expect(rows.contains("restored"))
    }
    #expect(try place.pictures() == ["couples/a/one.jpg"])
    #expect(try place.pictures(in: place.first) == ["couples/a/one.jpg"])
  }

  /// A corruption of a backup, and a word of the expected error.
  enum Corruption: String, CaseIterable {
    case flippedByte = "differs from the manifest"
    case lostKey = "keys.json is missing"
    case changedDatabase = "pairspot.sqlite differs"
    case damagedDatabase = "database"
    case otherMigrations = "0 migrations"
    case noBackup = "no backup in"
  }

  private func corrupt(_ place: Place, _ corruption: Corruption) throws {
    let database = URL(filePath: "\(place.first)/pairspot.sqlite")
    func damage() throws {
      var bytes = try Data(contentsOf: database)
      for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index) }
      try bytes.write(to: database)
    }
    switch corruption {
    case .flippedByte: try place.write("oNe", to: "media/couples/a/one.jpg", in: place.first)
    case .lostKey: try FileManager.default.removeItem(atPath: "\(place.first)/secrets/keys.json")
    case .changedDatabase: try damage()
    case .damagedDatabase:
      try damage()
      try rewrite(place) { $0 }
    case .otherMigrations: try rewrite(place) { _ in [] }
    case .noBackup: try FileManager.default.removeItem(atPath: place.first)
    }
  }

  /// Writes a manifest that matches the database as it is.
  private func rewrite(_ place: Place, migrations: ([String]) -> [String]) throws {
    let old = try Manifest.read(in: place.first)
    let measured = try PlainFile.measure("\(place.first)/pairspot.sqlite")
    let files = old.files.map { file in
      file.path != DataLayout.databaseName
        ? file
        : Manifest.File(
          path: file.path, size: measured.size, sha256: measured.sha256, mode: file.mode)
    }
    let new = Manifest(
      program: old.program, format: old.format, madeAt: old.madeAt, time: old.time,
      number: old.number, migrations: migrations(old.migrations), files: files,
      missing: old.missing, leftOut: old.leftOut)
    try Data(try new.encoded()).write(to: URL(filePath: "\(place.first)/manifest.json"))
  }

  @Test("Fails on every corruption, says why, and leaves nothing", arguments: Corruption.allCases)
  func corrupted(_ corruption: Corruption) throws {
    let place = try Place()
    try place.back()
    try corrupt(place, corruption)
    let said = errorMessage {
      try drill(place) { _ in Issue.record("a corrupted copy was examined") }
    }
    #expect(said?.contains(corruption.rawValue) == true, "\(said ?? "nothing")")
    expectClean(place, and: corruption == .noBackup ? [] : ["20260302T000000Z"])
  }

  @Test("Fails if the keys don't match, or the examination fails, and leaves nothing")
  func refused() throws {
    let place = try Place()
    try place.back()
    let keys = errorMessage { try drill(place, keysFit: { _, _ in throw BackupError("other") }) }
    #expect(keys == "other")
    let examined = errorMessage { try drill(place) { _ in throw BackupError("ill") } }
    #expect(examined == "ill")
    expectClean(place)
  }

  @Test("Isn't started on a disk without room for the copy")
  func space() throws {
    let place = try Place()
    try place.write(String(repeating: "x", count: 1 << 20), to: "media/couples/a/large.jpg")
    try place.back()
    func disk(_ free: Int64) -> DiskReserve {
      DiskReserve { _ in DiskReserve.Usage(total: 1 << 30, free: (1 << 30) / 20 + free) }
    }
    let said = errorMessage { try drill(place, space: disk(1 << 20)) }
    #expect(said?.contains("too little space") == true, "\(said ?? "nothing")")
    expectClean(place)
    try drill(place, space: disk(2 << 20))
  }

  @Test("Another folder is made for its owner alone, and the backups' folder stays as it is")
  func elsewhere() throws {
    let place = try Place()
    try place.back()
    let folder = "\(place.root)/a/b"
    try drill(place, in: folder) { #expect($0.folder == "\(folder)/\(Self.folder)") }
    #expect(try place.mode(folder) == 0o700)
    #expect(place.names(folder) == [".pairspot-drill"])
    #expect(place.names(place.directory) == [".pairspot-backups", "20260302T000000Z"])
  }

  @Test("One drill at a time in a folder; remains of killed ones are removed by the next")
  func interrupted() throws {
    let place = try Place()
    try place.back()
    let killed = "20260301T000000Z.drill"
    try place.write("half", to: "\(killed)/media/a", in: place.directory)
    try place.write("mine", to: "notes.drill/a", in: place.directory)
    try drill(place) { _ in
      #expect(!place.names(place.directory).contains(killed))
      #expect(throws: Drill.Busy.self) { try drill(place) }
    }
    expectClean(place, and: ["20260302T000000Z", "notes.drill"])
  }

  @Test("If a backup is removed by the retention meanwhile, the next one is tried")
  func pruned() throws {
    let place = try Place()
    try place.back()
    let said = try drill(
      place,
      onLine: { line in
        guard line.contains("20260302T000000Z, made") else { return }
        do {
          try place.back(up: 60)
          try FileManager.default.removeItem(atPath: place.first)
        } catch { Issue.record(error) }
      })
    #expect(said.contains { $0.contains("20260302T000100Z, made") }, "\(said)")
    expectClean(place, and: ["20260302T000100Z"])
  }
}
