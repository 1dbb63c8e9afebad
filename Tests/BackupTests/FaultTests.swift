import Core
import Database
import Foundation
import Glibc
import Testing

@testable import Backup

@Suite("Backups that could not be restored, or would lack something, are none")
struct FaultTests {
  private static let day = Int64.days(1)
  /// Keeps only the latest backup.
  private static let rule = RetentionPolicy(days: 1, weeks: 0)
  private static let second = "20260303T000000Z"

  /// Expects that a second backup is faulty: it is kept for the operator, the first one stays, and
  /// a restore uses that.
  private func expectFaulty(_ said: String?, _ words: String..., of place: Place) throws {
    for word in words + ["the backup cannot be used", "doctor", "\(Self.second).faulty"] {
      #expect(said?.contains(word) == true, "\(word): \(said ?? "nothing")")
    }
    #expect(
      place.names(place.directory) == [
        ".pairspot-backups", "20260302T000000Z", "\(Self.second).faulty",
      ])
    #expect(try place.restore(into: "\(place.root)/new").backup == place.first)
  }

  private func damage(_ place: Place) throws {
    try place.database().closeAsOneFile()
    let file = URL(filePath: place.data.database)
    var bytes = try Data(contentsOf: file)
    for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index) }
    try bytes.write(to: file)
  }

  @Test("A damaged database fails loudly, no good backup is removed, and the data are kept")
  func damaged() throws {
    let place = try Place()
    try place.back()
    try damage(place)
    let said = errorMessage {
      try place.back(up: Self.day, keep: Self.rule) { _, reader in
        #expect(reader == nil, "a damaged database was asked")
        throw BackupError("no keys either")
      }
    }
    try expectFaulty(said, "damaged", "no keys either", of: place)
    let faulty = "\(place.directory)/\(Self.second).faulty"
    #expect(place.text("media/couples/a/one.jpg", in: faulty) == "one")
    // Only by its name.
    let taken = errorMessage { _ = try place.restore(faulty, into: "\(place.root)/other") }
    #expect(taken?.contains("damaged") == true)
  }

  @Test("An index without all rows of its table is damage too, though every page can be read")
  func damagedIndex() throws {
    let place = try Place()
    try place.back()
    try place.database().write { writer in
      try writer.execute("CREATE INDEX some ON pictures (path) WHERE path = 'none'")
      try writer.execute("PRAGMA writable_schema = ON")
      try writer.execute(
        """
        UPDATE sqlite_schema SET sql = 'CREATE INDEX some ON pictures (path)' WHERE name = 'some'
        """)
    }
    let said = errorMessage { try place.back(up: Self.day, keep: Self.rule) }
    try expectFaulty(said, "damaged", "index some", of: place)
  }

  @Test("A database that this program has yet to bring up to date is copied, and not asked")
  func olderDatabase() throws {
    let place = try Place()
    let strange = ReferencedFiles("words") {
      Set(try $0.values("SELECT word FROM words", as: String.self))
    }
    let made = try Backups(in: place.directory).make(
      of: place.data, migrations: Place.migrations.map(\.name) + ["test 2: words"],
      named: [strange], now: Place.moment, keep: nil, keysFit: { #expect($1 == nil, "\($0)") })
    #expect(try place.pictures(in: made.folder) == ["couples/a/one.jpg"])
  }

  @Test("Backups with faults have a retention of their own, and are reported")
  func manyFaults() throws {
    let place = try Place()
    try place.back()
    for time in 1...3 {
      _ = errorMessage {
        try place.back(up: Int64(time) * Self.day, keep: Self.rule) { _, _ in
          throw BackupError("no keys")
        }
      }
    }
    #expect(
      place.names(place.directory) == [
        ".pairspot-backups", "20260302T000000Z", "20260305T000000Z.faulty",
      ])
    let made = try place.back(up: 4 * Self.day, keep: Self.rule)
    #expect(made.faulty == ["\(place.directory)/20260305T000000Z.faulty"])
    #expect(made.removed == ["20260302T000000Z"])
    try FileManager.default.removeItem(atPath: made.folder)
    let said = errorMessage { _ = try place.restore() }
    #expect(said?.contains("faulty") == true, "\(said ?? "nothing")")
  }

  @Test("Keys that a restore would refuse are found by the backup, and where they are to be mended")
  func keys() throws {
    let place = try Place()
    try place.back()
    let said = errorMessage {
      try place.back(up: Self.day, keep: Self.rule) { places, reader in
        #expect(reader != nil)
        #expect(FileManager.default.fileExists(atPath: "\(places.secrets)/keys.json"))
        throw BackupError("\(places.secrets)/keys.json fits nothing")
      }
    }
    try expectFaulty(said, "\(place.data.secrets)/keys.json fits nothing", of: place)
  }

  @Test("Files that went though the database speaks of them, and the last backup has, are a fault")
  func lost() throws {
    let place = try Place()
    try place.picture("couples/a/two.jpg", "two")
    try place.back()
    try FileManager.default.removeItem(atPath: place.data.media)
    let said = errorMessage { try place.back(up: Self.day, keep: Self.rule) }
    try expectFaulty(
      said, "2 files in the database are missing", "media/couples/a/one.jpg",
      "the last backup, \(place.first)", of: place)
    // After they are restored there is no finding.
    try FileManager.default.copyItem(atPath: "\(place.first)/media", toPath: place.data.media)
    #expect(try place.back(up: 2 * Self.day).missing == [])
  }

  @Test("Deletions during a backup are no fault")
  func deleted() throws {
    let place = try Place()
    try place.picture("couples/a/two.jpg", "two")
    try place.back()
    let path = "\(place.data.media)/couples/a/two.jpg"
    // The first copy of the database still has the row, but the file is gone.
    try FileManager.default.removeItem(atPath: path)
    let named = ReferencedFiles("pictures") { reader in
      let found = try Place.named.find(reader)
      try place.database().write {
        try $0.execute(
          "DELETE FROM pictures WHERE path LIKE '%two%'")
      }
      return found
    }
    let made = try place.back(up: Self.day, named: [named])
    #expect(made.missing == [])
    #expect(try place.pictures(in: made.folder) == ["couples/a/one.jpg"])
  }

  @Test("A file missing in the last backup too is reported, also by the restore, and no fault")
  func missingStill() throws {
    let place = try Place()
    try FileManager.default.removeItem(atPath: "\(place.data.media)/couples/a/one.jpg")
    try place.back()
    #expect(try place.back(up: Self.day, keep: Self.rule).missing == ["couples/a/one.jpg"])
    let notes = try place.restore(into: "\(place.root)/new").notes
    #expect(notes.contains { $0.contains("media/couples/a/one.jpg is not in the backup") })
  }

  @Test("Names that a manifest can't hold are skipped and reported; all others are restored")
  func names() throws {
    let place = try Place()
    let folder = "\(place.data.media)/couples/a"
    try place.write("composed", to: "media/couples/a/caf\u{e9}.jpg")
    try place.write("decomposed", to: "media/couples/a/cafe\u{301}.jpg")
    try place.write("x", to: "media/couples/a/two\nlines.jpg")
    try place.write("x", to: "media/bad\u{1b}folder/one.jpg")
    let bytes: [UInt8] = Array("\(folder)/".utf8) + [0x66, 0xE9, 0x2E, 0x6A, 0x70, 0x67, 0]
    let latin = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) } ?? -1
      }
    }
    try #require(latin >= 0)
    close(latin)
    let made = try place.back()
    #expect(made.leftOut.count == 4, "\(made.leftOut)")
    #expect(made.leftOut.contains("media/bad folder"))
    #expect(made.leftOut.contains("media/couples/a/two lines.jpg"))
    #expect(made.leftOut.contains("media/couples/a/f\u{FFFD}.jpg"))
    #expect(made.leftOut.contains("media/couples/a/caf\u{e9}.jpg"))
    let new = "\(place.root)/new"
    _ = try place.restore(into: new)
    #expect(place.text("media/couples/a/one.jpg", in: new) == "one")
    #expect(place.names("\(new)/media/couples/a").count == 2)
  }
}
