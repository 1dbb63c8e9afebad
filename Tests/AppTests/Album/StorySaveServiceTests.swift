import Core
import Database
import Foundation
import PhotoMetadata
import Testing
import Web

@testable import Album
@testable import App

@Suite("Saving a story: row and file agree at every moment")
struct StorySaveServiceTests {
  private struct Killed: Error {}

  /// A user with one photo.
  private final class Fixture {
    let instance: TestInstance
    let viewer: Viewer
    let browser: TestClient
    let id: ID<Photo>

    init() throws {
      instance = try TestInstance()
      viewer = try instance.alone("sam")
      browser = try instance.signedIn("sam")
      browser.add(try SmallPhoto.png(story: "First"))
      let link = try #require(browser.album().first)
      id = try #require(ID<Photo>(link.suffix(36)))
    }

    var services: AlbumEnvironment { instance.instance.features.album.services }
    var saving: StorySaveService { StorySaveService(services: services) }

    func photo() throws -> Photo {
      try #require(try services.photos.visible(id, to: viewer))
    }

    /// The story in the file of the row.
    func storyInFile() throws -> String? {
      try PhotoFile.read(services.folders.original(photo().files)).story
    }

    func problems() throws -> [String] {
      try instance.instance.features.album.doctorChecks.flatMap { try $0.find(instance.database) }
    }
  }

  @Test("A new story is in the file, in the row and on the page; the old file is gone")
  func saving() throws {
    let fixture = try Fixture()
    let before = try fixture.photo()
    let after = try fixture.saving.save(
      PhotoStory("Second\n第二行"), into: before, ifVersion: before.version, by: fixture.viewer)
    #expect(after.story == "Second\n第二行" && after.version == before.version + 1)
    #expect(try fixture.storyInFile() == after.story)
    #expect(fixture.browser.get("/album/\(fixture.id)").shows("第二行"))
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(
      after.bytes
        == fixture.services.folders.size(of: fixture.services.folders.original(after.files)))
    #expect(try fixture.problems() == [])
  }

  @Test("A story is taken away, from the file too")
  func deleting() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    let after = try fixture.saving.save(nil, into: photo, ifVersion: nil, by: fixture.viewer)
    #expect(after.story == nil)
    #expect(try fixture.storyInFile() == nil)
    #expect(try fixture.problems() == [])
  }

  @Test("Saving from an outdated version is refused, and nothing changes")
  func conflict() throws {
    let fixture = try Fixture()
    let old = try fixture.photo()
    _ = try fixture.saving.save(PhotoStory("Second"), into: old, ifVersion: 1, by: fixture.viewer)
    for (photo, version) in [(old, 1), (try fixture.photo(), 1), (old, nil)] as [(Photo, Int?)] {
      #expect(throws: AlbumPhotoError.conflict) {
        try fixture.saving.save(
          PhotoStory("Third"), into: photo, ifVersion: version, by: fixture.viewer)
      }
    }
    #expect(try fixture.storyInFile() == "Second")
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("A save between the new file and its commit wins; the other one is refused")
  func race() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    let (quick, viewer) = (fixture.saving, fixture.viewer)
    var slow = quick
    slow.beforeCommit = {
      // The lock is released: the new file is there.
      _ = try quick.save(PhotoStory("Quick"), into: photo, ifVersion: nil, by: viewer)
    }
    #expect(throws: AlbumPhotoError.conflict) {
      try slow.save(PhotoStory("Slow"), into: photo, ifVersion: nil, by: fixture.viewer)
    }
    #expect(try fixture.storyInFile() == "Quick")
    #expect(try fixture.photo().story == "Quick")
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("Many saves at once: one story wins, in row and file, and nothing is left over")
  func many() async throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    let (saving, viewer) = (fixture.saving, fixture.viewer)
    let won = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          (try? saving.save(
            PhotoStory("Number \(number)"), into: photo, ifVersion: nil, by: viewer)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(won == 1)
    #expect(try fixture.photo().version == 2)
    #expect(try fixture.storyInFile() == fixture.photo().story)
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("A failure before the commit leaves the photo as it was")
  func beforeCommit() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    var saving = fixture.saving
    saving.beforeCommit = { throw Killed() }
    #expect(throws: Killed.self) {
      try saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: fixture.viewer)
    }
    #expect(throws: Killed.self) {
      try saving.copy(of: photo, with: nil, by: fixture.viewer, now: fixture.instance.clock.now())
    }
    #expect(try fixture.storyInFile() == "First")
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(try fixture.problems() == [])
  }

  @Test("A commit that may be stored leaves the new file, since the row may name it")
  func uncertain() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    var saving = fixture.saving
    saving.beforeCommit = { throw StorageError.uncertain }
    #expect(throws: StorageError.self) {
      try saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: fixture.viewer)
    }
    #expect(try fixture.instance.photoFiles().count == 4)
    #expect(try fixture.storyInFile() == "First")
    #expect(try fixture.problems() == [])
  }

  @Test("An owner who is deleted before the commit changes nothing, in row, file and album")
  func ownerGoes() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    let (database, viewer) = (fixture.instance.database, fixture.viewer)
    var saving = fixture.saving
    saving.beforeCommit = {
      _ = try database.write {
        try $0.execute("UPDATE users SET deleted_at = 1 WHERE id = \(viewer.id)")
      }
    }
    #expect(throws: AlbumPhotoError.conflict) {
      try saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: viewer)
    }
    #expect(throws: Problem.self) {
      try saving.copy(
        of: photo, with: PhotoStory("Second"), by: viewer, now: fixture.instance.clock.now())
    }
    try database.write { try $0.execute("UPDATE users SET deleted_at = NULL") }
    let after = try fixture.photo()
    #expect(after.version == 1 && after.story == "First" && after.files == photo.files)
    #expect(try fixture.storyInFile() == "First")
    #expect(try fixture.instance.count("SELECT count(*) FROM photos") == 1)
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(try fixture.problems() == [])
  }

  @Test("A disk that is nearly full takes no copy, and nothing is half done")
  func nearlyFull() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    var services = fixture.services
    services.disk = .nearlyFull
    let saving = StorySaveService(services: services)
    #expect(throws: AlbumPhotoError.photo(.write(.diskFull))) {
      try saving.copy(
        of: photo, with: PhotoStory("Second"), by: fixture.viewer, now: fixture.instance.clock.now()
      )
    }
    #expect(try fixture.instance.count("SELECT count(*) FROM photos") == 1)
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("A file that is damaged since is not overwritten")
  func damaged() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    let path = fixture.services.folders.original(photo.files)
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(bytes.count - 4).write(to: URL(filePath: path))
    #expect(throws: AlbumPhotoError.photo(.read(.damaged))) {
      try fixture.saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: fixture.viewer)
    }
    #expect(try fixture.photo().story == "First")
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(try !fixture.problems().isEmpty)
  }

  @Test("A copy is a photo of its own: both are in the album, and one can be deleted")
  func copy() throws {
    let fixture = try Fixture()
    let photo = try fixture.photo()
    fixture.instance.clock.advance(seconds: 60)
    let copy = try fixture.saving.copy(
      of: photo, with: PhotoStory("Another"), by: fixture.viewer, now: fixture.instance.clock.now())
    #expect(copy.id != photo.id && copy.story == "Another" && copy.version == 1)
    #expect(try fixture.storyInFile() == "First")
    #expect(fixture.browser.album() == ["/album/\(copy.id)", "/album/\(photo.id)"])
    #expect(try fixture.instance.photoFiles().count == 6)
    for way in ["delete", "erase"] { fixture.browser.post("/album/\(photo.id)/\(way)") }
    #expect(
      fixture.browser.get("/album/\(copy.id)").pictures.allSatisfy {
        fixture.browser.get($0).status == 200
      })
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(try fixture.problems() == [])
  }

  @Test("Three hundred saves make neither file grow nor more files")
  func growth() throws {
    let fixture = try Fixture()
    var photo = try fixture.photo()
    var sizes: Set<Int> = []
    for number in 100..<400 {
      photo = try fixture.saving.save(
        PhotoStory("Story \(number)"), into: photo, ifVersion: nil, by: fixture.viewer)
      sizes.insert(photo.bytes)
    }
    // Compressed texts differ by a few bytes.
    let (minimum, maximum) = (sizes.min() ?? 0, sizes.max() ?? .max)
    #expect(maximum - minimum < 32)
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  // MARK: Leftovers

  private func leave(_ name: String, _ fixture: Fixture, secondsAgo: Double) throws {
    let path = "\(fixture.services.folders.path(of: fixture.viewer.id))/\(name)"
    try Data([1]).write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: path)
  }

  /// Runs the hourly job, once a day.
  private func remove(_ fixture: Fixture, days: ClosedRange<Int>) throws {
    for day in days {
      let moment = Date(timeIntervalSinceNow: Double(day) * 86_400 + 4000)
      try PhotoCleanupJob(services: fixture.services).remove(now: Instant(date: moment))
    }
  }

  @Test("A file that never became a photo goes after an hour; a possible photo after a week")
  func cleanup() throws {
    let fixture = try Fixture()
    try leave("photo_\(ID<PhotoOriginal>.random()).png", fixture, secondsAgo: 4000)
    try leave(".photo_x.jpg.y.saving", fixture, secondsAgo: 4000)
    try leave(".medium_x.jpg.part", fixture, secondsAgo: 4000)
    // The kernel sets a file's change time: only the time of the check can be varied.
    try leave(".photo_z.jpg.y.saving", fixture, secondsAgo: -3940)
    try remove(fixture, days: 0...0)
    #expect(try fixture.instance.photoFiles().count == 5)
    try remove(fixture, days: 1...6)
    #expect(try fixture.instance.photoFiles().count == 4)
    try remove(fixture, days: 7...7)
    #expect(try fixture.instance.photoFiles().count == 3)
    #expect(try fixture.storyInFile() == "First")
    #expect(try fixture.problems() == [])
  }

  @Test("A restored older database costs no photo for a week, however old they are")
  func olderDatabase() throws {
    let fixture = try Fixture()
    try remove(fixture, days: 0...8)
    let files = try fixture.instance.photoFiles()
    try fixture.instance.database.write { writer in
      try writer.execute("DELETE FROM photos")
      // As it was six weeks ago.
      try writer.execute("UPDATE heartbeats SET at = at - 3600000000 WHERE name LIKE 'photos.%'")
    }
    try remove(fixture, days: 9...15)
    #expect(try fixture.instance.photoFiles() == files)
    // Nor does the doctor delete any.
    for check in fixture.instance.instance.features.album.doctorChecks {
      try check.repair?(fixture.instance.database)
    }
    #expect(try fixture.instance.photoFiles() == files)
    try remove(fixture, days: 16...16)
    #expect(try fixture.instance.photoFiles().isEmpty)
  }

  @Test("The pictures of a copy that is being made stay: links to old files, but young themselves")
  func links() throws {
    let fixture = try Fixture()
    let pictures = fixture.services.folders.names(of: try fixture.photo()).dropFirst()
    for path in pictures {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -9 * 86_400)], ofItemAtPath: path)
      try FileManager.default.linkItem(atPath: path, toPath: "\(path).copy.png")
    }
    try remove(fixture, days: 0...6)
    #expect(try fixture.instance.photoFiles().count == 5)
    try remove(fixture, days: 7...7)
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("A file that lost its story gets it back from its row, which loses nothing")
  func lostStory() throws {
    let fixture = try Fixture()
    let path = fixture.services.folders.original(try fixture.photo().files)
    try PhotoFile.strip(path, as: path)
    #expect(try fixture.storyInFile() == nil)
    #expect(try fixture.problems() == ["the file of photo \(fixture.id) has lost its story"])
    for check in fixture.instance.instance.features.album.doctorChecks {
      try check.repair?(fixture.instance.database)
    }
    #expect(try fixture.storyInFile() == "First" && fixture.photo().story == "First")
    #expect(try fixture.problems() == [])
    #expect(try fixture.instance.photoFiles().count == 3)
  }

  @Test("The doctor trusts the file: a row with other content is repaired")
  func doctor() throws {
    let fixture = try Fixture()
    try fixture.instance.database.write { try $0.execute("UPDATE photos SET story = 'Wrong'") }
    #expect(try fixture.problems().count == 1)
    for check in fixture.instance.instance.features.album.doctorChecks {
      try check.repair?(fixture.instance.database)
    }
    #expect(try fixture.problems() == [])
    #expect(try fixture.photo().story == "First")
  }

  @Test("The doctor misses files that are gone, and leaves them to a person")
  func missing() throws {
    let fixture = try Fixture()
    fixture.services.folders.remove(try fixture.photo().files)
    #expect(try fixture.problems().count == 3)
  }
}

extension PhotoFolders {
  /// The paths of all files of a photo.
  fileprivate func names(of photo: Photo) -> [String] {
    photo.files.names.map { "\(path(of: photo.files.folder))/\($0)" }
  }
}
