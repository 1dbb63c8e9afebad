import Core
import Database
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Backup

@Suite("Backups")
struct BackupTests {
  @Test("Holds database, media and secrets, for its owner alone, with a manifest of all")
  func whole() throws {
    let place = try Place()
    let made = try place.back()
    #expect(made.folder == place.first && made.files == 3 && made.missing == [])
    let manifest = try Manifest.read(in: made.folder)
    #expect(
      manifest.files.map(\.path) == [
        "media/couples/a/one.jpg", "pairspot.sqlite", "secrets/keys.json",
      ])
    #expect(manifest.migrations == ["test 1: pictures"])
    for file in manifest.files {
      let measured = try PlainFile.measure("\(made.folder)/\(file.path)")
      #expect(measured.sha256 == file.sha256 && measured.size == file.size)
      #expect(try place.mode("\(made.folder)/\(file.path)") == 0o600)
    }
    #expect(try place.mode("\(made.folder)/manifest.json") == 0o600)
    for folder in [made.folder, "\(made.folder)/secrets", "\(made.folder)/media", place.directory] {
      #expect(try place.mode(folder) == 0o700)
    }
    // No other files: the database is complete without a log, and nothing is partial.
    #expect(
      place.names(made.folder) == ["manifest.json", "media", "pairspot.sqlite", "secrets"])
    #expect(place.names(place.directory) == [".pairspot-backups", "20260302T000000Z"])
  }

  @Test("It contains everything committed before its start, while others write all the time")
  func underLoad() throws {
    let place = try Place()
    let database = try place.database()
    let isOver = Mutex(false)
    let written = Mutex<[String]>([])
    let writer = Thread {
      var count = 0
      while !isOver.withLock({ $0 }) {
        let path = "couples/b/\(count).jpg"
        count += 1
        do {
          try place.write("picture \(count)", to: "media/\(path)")
          try database.write { try $0.execute("INSERT INTO pictures VALUES (\(path))") }
          written.withLock { $0.append(path) }
        } catch { return }
      }
    }
    writer.start()
    while written.withLock({ $0.count }) < 50 { usleep(1000) }
    let before = written.withLock { $0 }
    let made = try place.back()
    isOver.withLock { $0 = true }
    while !writer.isFinished { usleep(1000) }
    #expect(made.missing == [])
    let rows = try place.pictures(in: made.folder)
    #expect(Set(rows).isSuperset(of: before))
    for row in rows {
      #expect(FileManager.default.fileExists(atPath: "\(made.folder)/media/\(row)"), "\(row)")
    }
  }

  @Test("A file that came and went while it was made is in neither: the database is copied again")
  func comesAndGoes() throws {
    let place = try Place()
    let looks = Mutex(0)
    // The row and its file are deleted between the copy of the database and the check of its rows.
    try place.picture("couples/a/short.jpg", "gone soon")
    let named = ReferencedFiles("pictures") { reader in
      let found = try Place.named.find(reader)
      let look = looks.withLock { count in
        count += 1
        return count
      }
      guard look == 1 else { return found }
      return found.union(["couples/a/never-copied.jpg"])
    }
    let made = try place.back(named: [named])
    #expect(looks.withLock { $0 } == 2 && made.missing == [])
  }

  @Test("A file that was missing before is reported and recorded, and harms nothing")
  func missing() throws {
    let place = try Place()
    try FileManager.default.removeItem(atPath: "\(place.data.media)/couples/a/one.jpg")
    let made = try place.back()
    #expect(made.missing == ["couples/a/one.jpg"])
    #expect(try Manifest.read(in: made.folder).missing == ["couples/a/one.jpg"])
    _ = try place.restore(into: "\(place.root)/new")
  }

  @Test("Links and other special files are reported, at once and in the manifest")
  func leftOut() throws {
    let place = try Place()
    try FileManager.default.createSymbolicLink(
      atPath: "\(place.data.media)/couples/elsewhere", withDestinationPath: "/etc")
    try #require(mkfifo("\(place.data.secrets)/pipe", 0o600) == 0)
    let made = try place.back()
    #expect(made.files == 3)
    #expect(made.leftOut == ["media/couples/elsewhere", "secrets/pipe"])
    #expect(try Manifest.read(in: made.folder).leftOut == made.leftOut)
    _ = try place.restore(into: "\(place.root)/new")
  }

  @Test("A manifest from before that was noted is read")
  func olderManifest() throws {
    let place = try Place()
    let path = "\(try place.back().folder)/manifest.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let older = text.replacing(/"leftOut" : \[\s*\],\s*/, with: "")
    #expect(older != text)
    try older.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try place.restore(into: "\(place.root)/new").madeAt == Place.moment)
  }

  @Test("Interrupted ones go with the next, without a rule too, but not while their maker lives")
  func interrupted() throws {
    let place = try Place()
    try place.write("half", to: "20200101T000001Z.partial/media/a", in: place.directory)
    try place.write("half", to: "20200101T000002Z.removing/media/a", in: place.directory)
    try place.write("mine", to: "notes.partial/file", in: place.directory)
    var maker = try FolderLock.take(.alone, place.directory, name: ".pairspot-backups")
    #expect(errorMessage { try place.back() }?.contains("another backup") == true)
    #expect(place.text("20200101T000001Z.partial/media/a", in: place.directory) == "half")
    withExtendedLifetime(maker) {}
    maker = nil
    try place.back()
    #expect(
      place.names(place.directory) == [".pairspot-backups", "20260302T000000Z", "notes.partial"])
  }

  @Test("Unfinished files are left out")
  func unfinished() throws {
    let place = try Place()
    try place.write("half", to: "media/couples/a/.medium_x.jpg.part")
    #expect(try place.back().files == 3)
  }

  @Test("Files that did not change are shared with the backup before, unless that one went bad")
  func shared() throws {
    let place = try Place()
    let (one, two, three) = (
      "media/couples/a/one.jpg", "media/couples/a/two.jpg", "media/couples/a/three.jpg"
    )
    try place.picture("couples/a/two.jpg", "two")
    try place.picture("couples/a/three.jpg", "three")
    let first = try place.back().folder
    try decay("\(first)/\(one)", to: "oNe")
    try place.write("newer", to: three)
    let second = try place.back(up: 60).folder
    func inode(_ folder: String, _ name: String) throws -> UInt64? {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
    }
    #expect(try inode(first, two) == inode(second, two))
    #expect(try inode(first, one) != inode(second, one))
    #expect(place.text(one, in: second) == "one")
    #expect(place.text(three, in: second) == "newer" && place.text(three, in: first) == "three")
    // Never with the live data, which may change, and never secrets.
    #expect(try inode(second, two) != inode(place.data.folder, two))
    #expect(try inode(first, "secrets/keys.json") != inode(second, "secrets/keys.json"))
  }

  /// Like a failing disk: neither size nor time of the file changes.
  private func decay(_ path: String, to text: String) throws {
    var status = stat()
    try #require(stat(path, &status) == 0 && status.st_size == text.utf8.count)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try #require(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
  }

  @Test("One that fails leaves nothing behind")
  func fails() throws {
    let place = try Place()
    let named = ReferencedFiles("pictures") { _ in throw BackupError("no") }
    #expect(errorMessage { try place.back(named: [named]) } == "no")
    #expect(place.names(place.directory) == [".pairspot-backups"])
    let nowhere = errorMessage {
      _ = try Backups(in: place.directory).make(
        of: DataLayout("\(place.root)/nowhere"), migrations: [], named: [], now: Place.moment,
        keep: nil, keysFit: { _, _ in })
    }
    #expect(nowhere?.contains("no database") == true)
    let inside = errorMessage {
      _ = try Backups(in: "\(place.data.media)/backups").make(
        of: place.data, migrations: [], named: [], now: Place.moment, keep: nil,
        keysFit: { _, _ in })
    }
    #expect(inside?.contains("inside") == true)
  }

  @Test("Two at once are not made in one folder, nor two of one second")
  func twice() throws {
    let place = try Place()
    try place.back()
    #expect(errorMessage { try place.back() }?.contains("already") == true)
    let faulty = errorMessage { try place.back(up: 30) { _, _ in throw BackupError("no keys") } }
    #expect(faulty?.contains("no keys") == true)
    #expect(errorMessage { try place.back(up: 30) }?.contains(".faulty already exists") == true)
    let lock = try FolderLock.take(.alone, place.directory, name: ".pairspot-backups")
    #expect(errorMessage { try place.back(up: 60) }?.contains("another backup") == true)
    withExtendedLifetime(lock) {}
  }

  @Test("Removal takes the program's old and interrupted backups, and nothing else")
  func tidying() throws {
    let place = try Place()
    let (day, rule) = (Int64.days(1), RetentionPolicy(days: 2, weeks: 0))
    try place.back()
    try place.back(up: day)
    for name in [
      "20200101T000000Z", "notes", "20200101T000001Z.partial", "20200101T000002Z.removing",
    ] {
      try place.write("mine", to: "\(name)/file", in: place.directory)
    }
    try place.write("{}", to: "20200102T000000Z/manifest.json", in: place.directory)
    try FileManager.default.createSymbolicLink(
      atPath: "\(place.directory)/20200103T000000Z", withDestinationPath: place.first)
    let made = try place.back(up: 2 * day, keep: rule)
    #expect(made.removed == ["20260302T000000Z"])
    #expect(
      place.names(place.directory) == [
        ".pairspot-backups", "20200101T000000Z", "20200102T000000Z", "20200103T000000Z",
        "20260303T000000Z", "20260304T000000Z", "notes",
      ])
  }
}
