import Core
import Database
import Foundation
import Testing

@testable import Backup

@Suite("Restoring")
struct RestoreTests {
  @Test("Brings everything into an empty folder, for its owner alone, and nothing is in the way")
  func empty() throws {
    let place = try Place()
    try place.back()
    let new = "\(place.root)/new"
    let outcome = try place.restore(into: new)
    #expect(outcome.before == [] && outcome.madeAt == Place.moment)
    #expect(place.text("media/couples/a/one.jpg", in: new) == "one")
    #expect(place.text("secrets/keys.json", in: new) == "the key")
    #expect(try place.pictures(in: new) == ["couples/a/one.jpg"])
    #expect(place.names(new) == ["lock", "media", "pairspot.sqlite", "secrets"])
    #expect(try place.mode("\(new)/secrets") == 0o700)
    #expect(try place.mode("\(new)/secrets/keys.json") == 0o600)
  }

  @Test("The previous data are kept aside, complete")
  func aside() throws {
    let place = try Place()
    try place.back()
    try place.picture("couples/a/later.jpg", "later")
    try place.write("another key", to: "secrets/keys.json")
    let before = try #require(try place.restore().before.first)
    #expect(before == "\(place.data.folder)/before-restore-20260302T010000Z")
    #expect(try place.pictures() == ["couples/a/one.jpg"])
    #expect(place.text("media/couples/a/later.jpg") == nil)
    #expect(try place.pictures(in: before) == ["couples/a/later.jpg", "couples/a/one.jpg"])
    #expect(place.text("media/couples/a/later.jpg", in: before) == "later")
    #expect(place.text("secrets/keys.json", in: before) == "another key")
    #expect(errorMessage { _ = try place.restore() }?.contains("same second") == true)
  }

  @Test("Of a folder of backups the newest whole one is taken")
  func newest() throws {
    let place = try Place()
    try place.back()
    try place.picture("couples/a/later.jpg", "later")
    try place.back(up: 60)
    try FileManager.default.copyItem(
      atPath: place.first, toPath: "\(place.directory)/20270101T000000Z.partial")
    let new = "\(place.root)/new"
    #expect(try place.restore(into: new).backup.hasSuffix("20260302T000100Z"))
    #expect(try place.pictures(in: new).count == 2)
  }

  @Test("An interrupted backup is never taken for one")
  func interrupted() throws {
    let place = try Place()
    try place.back()
    let partial = "\(place.first).partial"
    try FileManager.default.moveItem(atPath: place.first, toPath: partial)
    #expect(errorMessage { _ = try place.restore() }?.contains("interrupted") == true)
    #expect(errorMessage { _ = try place.restore(partial) }?.contains("not complete") == true)
    #expect(
      errorMessage { _ = try place.restore("\(place.root)/nowhere") }?.contains("no backup") == true
    )
  }

  /// A corruption of a backup, and a word of the expected error.
  enum Corruption: CaseIterable {
    case changedFile, shorterFile, lostFile, strangeFile, link, linkedFolder, badManifest
    case escapingPath, absolutePath, otherPlace, twicePath, newerFormat, cutDatabase, noDatabase
    case damagedDatabase, strangeDatabase, otherProgram, negativeSize, unnamedDatabase

    var word: String {
      switch self {
      case .changedFile, .shorterFile, .cutDatabase: "differs from the manifest"
      case .lostFile, .noDatabase: "missing"
      case .strangeFile: "not in the manifest"
      case .link, .linkedFolder: "not a regular file"
      case .badManifest, .otherProgram: "damaged, or not a PairSpot manifest"
      case .escapingPath, .absolutePath, .otherPlace, .twicePath, .negativeSize:
        "invalid path"
      case .unnamedDatabase: "lists no database"
      case .newerFormat: "unknown format 2"
      case .damagedDatabase: "database"
      case .strangeDatabase: "not a PairSpot database"
      }
    }
  }

  private func replace(_ old: String, _ new: String, in path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(old))
    try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func corruption(_ corruption: Corruption, _ place: Place) throws {
    let files = FileManager.default
    let (backup, picture) = (place.first, "\(place.first)/media/couples/a/one.jpg")
    let (manifest, database) = ("\(backup)/manifest.json", "\(backup)/pairspot.sqlite")
    switch corruption {
    case .changedFile: try place.write("oNe", to: "media/couples/a/one.jpg", in: backup)
    case .shorterFile: try place.write("on", to: "media/couples/a/one.jpg", in: backup)
    case .lostFile: try files.removeItem(atPath: picture)
    case .strangeFile: try place.write("x", to: "secrets/more.json", in: backup)
    case .link:
      try files.removeItem(atPath: picture)
      try files.createSymbolicLink(atPath: picture, withDestinationPath: "/etc/hostname")
    case .linkedFolder:
      try files.moveItem(atPath: "\(backup)/media/couples", toPath: "\(place.root)/couples")
      try files.createSymbolicLink(
        atPath: "\(backup)/media/couples", withDestinationPath: "\(place.root)/couples")
    case .badManifest: try place.write("{", to: "manifest.json", in: backup)
    case .escapingPath:
      try replace("media/couples/a/one.jpg", "media/../../../one.jpg", in: manifest)
    case .absolutePath: try replace("media/couples/a/one.jpg", "/etc/hostname", in: manifest)
    case .otherPlace: try replace("media/couples/a/one.jpg", "run/one.jpg", in: manifest)
    case .twicePath: try replace("media/couples/a/one.jpg", "secrets/keys.json", in: manifest)
    case .newerFormat: try replace("\"format\" : 1", "\"format\" : 2", in: manifest)
    case .cutDatabase:
      let bytes = try Data(contentsOf: URL(filePath: database))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: database))
    case .noDatabase: try files.removeItem(atPath: database)
    case .damagedDatabase:
      try refit(place) { bytes in
        for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index) }
      }
    case .otherProgram: try replace("\"PairSpot\"", "\"Another\"", in: manifest)
    case .negativeSize: try replace("\"size\" : 3\n", "\"size\" : -3\n", in: manifest)
    case .unnamedDatabase: try replace("pairspot.sqlite", "media/pairspot.sqlite", in: manifest)
    case .strangeDatabase:
      try files.removeItem(atPath: database)
      try Database(path: database).write { try $0.execute("CREATE TABLE other (id INTEGER)") }
      try Database(path: database).closeAsOneFile()
      try refit(place) { _ in }
    }
  }

  /// Changes the backup's database, and its manifest accordingly.
  private func refit(_ place: Place, _ change: (inout Data) -> Void) throws {
    let path = "\(place.first)/pairspot.sqlite"
    let old = try #require(
      try Manifest.read(in: place.first).files.first { $0.path == "pairspot.sqlite" })
    var bytes = try Data(contentsOf: URL(filePath: path))
    change(&bytes)
    try bytes.write(to: URL(filePath: path))
    let new = try PlainFile.measure(path)
    try replace(old.sha256, new.sha256, in: "\(place.first)/manifest.json")
    if old.size != new.size {
      try replace(
        "\"size\" : \(old.size)", "\"size\" : \(new.size)", in: "\(place.first)/manifest.json")
    }
  }

  @Test(
    "A backup that isn't as it was made is refused, and nothing has changed",
    arguments: Corruption.allCases)
  func refused(corruption kind: Corruption) throws {
    let place = try Place()
    try place.back()
    try place.picture("couples/a/later.jpg", "later")
    try corruption(kind, place)
    let said = errorMessage { _ = try place.restore(place.first) }
    #expect(said?.contains(kind.word) == true, "\(said ?? "nothing")")
    #expect(try place.pictures().count == 2)
    #expect(place.text("media/couples/a/later.jpg") == "later")
    #expect(!place.names(place.data.folder).contains { $0.contains("restore") })
  }

  @Test("One of a newer program is refused; an older one is brought up to date")
  func schemas() throws {
    let place = try Place()
    try place.back()
    let said = errorMessage { _ = try place.restore(migrations: []) }
    #expect(said?.contains("newer PairSpot") == true && said?.contains("test 1") == true)
    let newer =
      Place.migrations + [
        Migration("test 2: words", "CREATE TABLE words (word TEXT) STRICT;")
      ]
    let new = "\(place.root)/new"
    _ = try place.restore(into: new, migrations: newer)
    #expect(try Database(path: "\(new)/pairspot.sqlite").missing(of: newer) == [])
  }

  @Test("Keys that don't fit are refused, and steps that fail undo all")
  func keys() throws {
    let place = try Place()
    try place.back()
    let keys = errorMessage {
      _ = try place.restore(keysFit: { places, _ in
        #expect(FileManager.default.fileExists(atPath: "\(places.secrets)/keys.json"))
        throw BackupError("other keys")
      })
    }
    #expect(keys == "other keys")
    let step = RestoreStep("fails") { writer, _ in
      try writer.execute("DELETE FROM pictures")
      throw BackupError("no")
    }
    #expect(errorMessage { _ = try place.restore(steps: [step]) } == "no")
    #expect(try place.pictures().count == 1)
  }

  @Test("Modules change data that must not apply now, before the instance opens")
  func steps() throws {
    let place = try Place()
    try place.back()
    let step = RestoreStep("room") { writer, backup in
      #expect(backup.madeAt == Place.moment && backup.now == Place.moment.adding(seconds: 3600))
      try writer.execute("INSERT INTO pictures VALUES ('restored')")
      return "told"
    }
    let silent = RestoreStep("silent") { _, _ in nil }
    #expect(try place.restore(steps: [step, silent]).notes == ["told"])
    #expect(try place.pictures().contains("restored"))
  }

  @Test("An open folder can't be restored, and a folder being restored can't be opened")
  func locked() throws {
    let place = try Place()
    try place.back()
    var open: FolderLock? = try DataLock.open(place.data.folder)
    let second = try DataLock.open(place.data.folder)
    #expect(errorMessage { _ = try place.restore() }?.contains("is running") == true)
    withExtendedLifetime(second) {}
    withExtendedLifetime(open) {}
    open = nil
  }

  @Test("While a restore holds the folder, opening it is refused in words")
  func busy() throws {
    let place = try Place()
    let lock = try DataLock.alone(place.data.folder)
    let said = errorMessage { _ = try DataLock.open(place.data.folder) }
    #expect(said?.contains("being restored") == true)
    withExtendedLifetime(lock) {}
  }

  @Test("Killed before the decision, the old data are there; the next try removes the rest")
  func killedBefore() throws {
    let place = try Place()
    try place.back()
    let left = DataLayout(DataReplacement.newFolder(place.data.folder, BackupName(Place.moment)))
    try StoredBackup(at: place.first).stage(into: left)
    try place.picture("couples/a/later.jpg", "later")
    _ = try DataLock.open(place.data.folder) { _ in Issue.record("nothing was restored") }
    #expect(try place.pictures().count == 2)
    _ = try place.restore()
    #expect(!place.names(place.data.folder).contains { $0.hasSuffix(".restored") })
  }

  @Test("Killed after the decision, the next restore finishes that one first, and says so")
  func killedBeforeAnother() throws {
    let place = try Place()
    try place.back()
    try place.picture("couples/a/later.jpg", "later")
    let name = BackupName(Place.moment)
    let new = DataLayout(DataReplacement.newFolder(place.data.folder, name))
    try StoredBackup(at: place.first).stage(into: new)
    try DataReplacement.decide(place.data.folder, name)
    let notes = try place.restore().notes
    #expect(notes.contains { $0.contains("finished an interrupted restore") }, "\(notes)")
    let before = DataReplacement.retiredFolder(place.data.folder, name)
    #expect(try place.pictures(in: before).count == 2)
  }

  @Test(
    "An unreliable record of the decision is left to the operator",
    arguments: [
      ("{", "damaged"), (#"{"new":"","before":"b"}"#, "damaged"),
      (#"{"new":"../other","before":"b"}"#, "damaged"),
      (#"{"new":"n","before":"b/../../other"}"#, "damaged"),
      (String(repeating: " ", count: 1 << 16) + "{}", "too large"),
    ])
  func strangeNote(text: String, word: String) throws {
    let place = try Place()
    try place.write("mine", to: "media/file", in: "\(place.root)/other")
    try place.write(text, to: DataReplacement.note)
    let said = errorMessage { _ = try DataLock.open(place.data.folder) }
    #expect(said?.contains(word) == true, "\(said ?? "nothing")")
    #expect(place.text(DataReplacement.note) == text)
    #expect(try place.pictures() == ["couples/a/one.jpg"])
    #expect(place.text("media/file", in: "\(place.root)/other") == "mine")
  }

  @Test("Killed at any time after the decision, the next opening program finds the new data whole")
  func killedAfter() throws {
    // The renamed paths, in order: the process is killed after each of them.
    let steps = [
      "", "pairspot.sqlite>", "pairspot.sqlite<", "media>", "media<", "secrets>", "secrets<",
    ]
    for last in steps.indices {
      let place = try Place()
      try place.back()
      try place.picture("couples/a/later.jpg", "later")
      let folder = place.data.folder
      let name = BackupName(Place.moment)
      let new = DataReplacement.newFolder(folder, name)
      let before = "\(folder)/before-restore-\(name.text)"
      try StoredBackup(at: place.first).stage(into: DataLayout(new))
      try DataReplacement.decide(folder, name)
      for step in steps[...last].dropFirst() {
        let item = String(step.dropLast())
        try PlainFile.makeFolder(before)
        let (from, to) =
          step.hasSuffix(">")
          ? ("\(folder)/\(item)", "\(before)/\(item)") : ("\(new)/\(item)", "\(folder)/\(item)")
        try FileManager.default.moveItem(atPath: from, toPath: to)
      }
      var said: [String] = []
      let lock = try DataLock.open(folder) { said.append($0) }
      #expect(said.count == 1 && said[0].contains("before-restore-"), "\(steps[last])")
      #expect(try place.pictures() == ["couples/a/one.jpg"], "\(steps[last])")
      #expect(place.text("media/couples/a/later.jpg") == nil)
      #expect(place.text("secrets/keys.json") == "the key")
      #expect(try place.pictures(in: before).count == 2)
      #expect(place.text("media/couples/a/later.jpg", in: before) == "later")
      #expect(!place.names(folder).contains { $0.hasSuffix(".restored") || $0 == "restoring.json" })
      // Another process opens it at the same time.
      _ = try DataLock.open(folder) { _ in Issue.record("told twice") }
      withExtendedLifetime(lock) {}
    }
  }

  @Test(
    "A folder created between two renames is moved to another name, and the rest is done",
    arguments: ["", "pairspot.sqlite>", "pairspot.sqlite<", "media>", "media<", "secrets>"])
  func madeMeanwhile(last: String) throws {
    let place = try Place()
    try place.back()
    try place.picture("couples/a/later.jpg", "later")
    let folder = place.data.folder
    let name = BackupName(Place.moment)
    let (new, before) = (
      DataReplacement.newFolder(folder, name), DataReplacement.retiredFolder(folder, name)
    )
    try StoredBackup(at: place.first).stage(into: DataLayout(new))
    try DataReplacement.decide(folder, name)
    for step in [
      "pairspot.sqlite>", "pairspot.sqlite<", "media>", "media<", "secrets>",
    ] where last != "" {
      let item = String(step.dropLast())
      try PlainFile.makeFolder(before)
      let (from, to) =
        step.hasSuffix(">")
        ? ("\(folder)/\(item)", "\(before)/\(item)") : ("\(new)/\(item)", "\(folder)/\(item)")
      try FileManager.default.moveItem(atPath: from, toPath: to)
      if step == last { break }
    }
    // An older program without decisions opens the folder.
    for part in [place.data.media, place.data.secrets] { try PlainFile.makeFolder(part) }
    try place.write("mine", to: "media/meanwhile.jpg")
    try place.write("mine", to: "secrets/meanwhile.json")
    let database = try place.database()
    if try database.missing(of: Place.migrations) != [] {
      try database.migrate(Place.migrations)
      try database.write { try $0.execute("INSERT INTO pictures VALUES ('meanwhile.jpg')") }
    }

    var said: [String] = []
    let lock = try DataLock.open(folder) { said.append($0) }
    defer { withExtendedLifetime((lock, database)) {} }
    #expect(said.count == 1 && said[0].contains(before))
    #expect(try place.pictures() == ["couples/a/one.jpg"])
    #expect(place.text("media/couples/a/one.jpg") == "one")
    #expect(place.text("secrets/keys.json") == "the key")
    #expect(!place.names(folder).contains { $0.hasSuffix(".restored") || $0 == "restoring.json" })
    // Nothing is lost: neither the previous data nor the data added since.
    #expect(try place.pictures(in: before).count == 2)
    #expect(place.text("media/couples/a/later.jpg", in: before) == "later")
    #expect(place.text("secrets/keys.json", in: before) == "the key")
    let places = [folder, before, "\(before)-2"]
    #expect(places.contains { place.text("media/meanwhile.jpg", in: $0) == "mine" })
    #expect(places.contains { place.text("secrets/meanwhile.json", in: $0) == "mine" })
    if last == "pairspot.sqlite>" {
      #expect(try place.pictures(in: "\(before)-2") == ["meanwhile.jpg"])
    }
  }

  @Test("A log that SQLite keeps beside the restored database stays with it")
  func logStays() throws {
    let place = try Place()
    try place.back()
    let folder = place.data.folder
    let name = BackupName(Place.moment)
    let (new, before) = (
      DataReplacement.newFolder(folder, name), DataReplacement.retiredFolder(folder, name)
    )
    try StoredBackup(at: place.first).stage(into: DataLayout(new))
    try DataReplacement.decide(folder, name)
    try PlainFile.makeFolder(before)
    try PlainFile.move(place.data.database, to: "\(before)/pairspot.sqlite")
    try PlainFile.move("\(new)/pairspot.sqlite", to: place.data.database)
    let database = try place.database()
    try database.write { try $0.execute("INSERT INTO pictures VALUES ('since')") }
    _ = try DataLock.open(folder)
    #expect(try place.pictures().contains("since"))
    withExtendedLifetime(database) {}
  }

  @Test("A log whose database was moved already follows it there, past special files")
  func logFollows() throws {
    let place = try Place()
    try place.back()
    let (folder, name) = (place.data.folder, BackupName(Place.moment))
    let before = DataReplacement.retiredFolder(folder, name)
    try StoredBackup(at: place.first).stage(
      into: DataLayout(DataReplacement.newFolder(folder, name)))
    try DataReplacement.decide(folder, name)
    // The state left by a killed process: the last write is in the log only.
    let database = try place.database()
    try database.write { try $0.execute("INSERT INTO pictures VALUES ('since')") }
    try place.write("mine", to: (before as NSString).lastPathComponent)
    try PlainFile.makeFolder("\(before)-2")
    let log = "\(place.data.database)-wal"
    try FileManager.default.copyItem(atPath: log, toPath: "\(place.root)/log")
    try FileManager.default.copyItem(
      atPath: place.data.database, toPath: "\(before)-2/pairspot.sqlite")
    try database.closeAsOneFile()
    try FileManager.default.removeItem(atPath: place.data.database)
    try FileManager.default.moveItem(atPath: "\(place.root)/log", toPath: log)

    _ = try DataLock.open(folder)
    #expect(try place.pictures() == ["couples/a/one.jpg"])
    #expect(try place.pictures(in: "\(before)-2") == ["couples/a/one.jpg", "since"])
    #expect(place.text((before as NSString).lastPathComponent) == "mine")
  }

  @Test("A media folder that is a link is left alone, and reported")
  func linked() throws {
    let place = try Place()
    try place.back()
    let elsewhere = "\(place.root)/elsewhere"
    try FileManager.default.moveItem(atPath: place.data.media, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: place.data.media, withDestinationPath: elsewhere)
    #expect(errorMessage { _ = try place.restore() }?.contains("another disk") == true)
  }
}
