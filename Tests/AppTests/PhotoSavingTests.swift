import Basics
import Foundation
import PhotoMetadata
import Testing
import Web

@testable import Album
@testable import App

@Suite("Saving a story: row and file agree at every moment")
struct PhotoSavingTests {
  private struct Killed: Error {}

  /// Somebody with one photo.
  private final class World {
    let house: TestHouse
    let viewer: Viewer
    let browser: Browser
    let id: ID<Photo>

    init() throws {
      house = try TestHouse()
      viewer = try house.alone("sam")
      browser = try house.signedIn("sam")
      browser.add(try SmallPhoto.png(story: "First"))
      let link = try #require(browser.album().first)
      id = try #require(ID<Photo>(link.suffix(36)))
    }

    var services: AlbumServices { house.house.features.album.services }
    var saving: PhotoSaving { PhotoSaving(services: services) }

    func photo() throws -> Photo {
      try #require(try services.photos.visible(id, to: viewer))
    }

    /// What the file of the row says.
    func told() throws -> String? {
      try PhotoFile.read(services.folders.original(photo().files)).story
    }

    func problems() throws -> [String] {
      try house.house.features.album.doctorChecks.flatMap { try $0.find(house.database) }
    }
  }

  @Test("A new story is in the file, in the row and on the page; the old file is gone")
  func saving() throws {
    let world = try World()
    let before = try world.photo()
    let after = try world.saving.save(
      PhotoStory("Second\n第二行"), into: before, ifVersion: before.version, by: world.viewer)
    #expect(after.story == "Second\n第二行" && after.version == before.version + 1)
    #expect(try world.told() == after.story)
    #expect(world.browser.get("/album/\(world.id)").shows("第二行"))
    #expect(try world.house.photoFiles().count == 3)
    #expect(
      after.bytes == world.services.folders.size(of: world.services.folders.original(after.files)))
    #expect(try world.problems() == [])
  }

  @Test("A story is taken away, from the file too")
  func deleting() throws {
    let world = try World()
    let photo = try world.photo()
    let after = try world.saving.save(nil, into: photo, ifVersion: nil, by: world.viewer)
    #expect(after.story == nil)
    #expect(try world.told() == nil)
    #expect(try world.problems() == [])
  }

  @Test("Who has an old version before their eyes is told, and nothing changes")
  func conflict() throws {
    let world = try World()
    let old = try world.photo()
    _ = try world.saving.save(PhotoStory("Second"), into: old, ifVersion: 1, by: world.viewer)
    for (photo, version) in [(old, 1), (try world.photo(), 1), (old, nil)] as [(Photo, Int?)] {
      #expect(throws: PhotoRefusal.conflict) {
        try world.saving.save(
          PhotoStory("Third"), into: photo, ifVersion: version, by: world.viewer)
      }
    }
    #expect(try world.told() == "Second")
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("Somebody who saves between the new file and its commit wins; the other one is told")
  func race() throws {
    let world = try World()
    let photo = try world.photo()
    let (quick, viewer) = (world.saving, world.viewer)
    var slow = quick
    slow.beforeCommit = {
      // The lock is held no longer: the new file is there.
      _ = try quick.save(PhotoStory("Quick"), into: photo, ifVersion: nil, by: viewer)
    }
    #expect(throws: PhotoRefusal.conflict) {
      try slow.save(PhotoStory("Slow"), into: photo, ifVersion: nil, by: world.viewer)
    }
    #expect(try world.told() == "Quick")
    #expect(try world.photo().story == "Quick")
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("Many saves at once: one story wins, in row and file, and nothing is left over")
  func many() async throws {
    let world = try World()
    let photo = try world.photo()
    let (saving, viewer) = (world.saving, world.viewer)
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
    #expect(try world.photo().version == 2)
    #expect(try world.told() == world.photo().story)
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("What fails before the commit leaves the photo as it was")
  func beforeCommit() throws {
    let world = try World()
    let photo = try world.photo()
    var saving = world.saving
    saving.beforeCommit = { throw Killed() }
    #expect(throws: Killed.self) {
      try saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: world.viewer)
    }
    #expect(throws: Killed.self) {
      try saving.copy(of: photo, with: nil, by: world.viewer, now: world.house.clock.now())
    }
    #expect(try world.told() == "First")
    #expect(try world.house.photoFiles().count == 3)
    #expect(try world.problems() == [])
  }

  @Test("An owner who is deleted before the commit changes nothing, in row, file and album")
  func ownerGoes() throws {
    let world = try World()
    let photo = try world.photo()
    let (database, viewer) = (world.house.database, world.viewer)
    var saving = world.saving
    saving.beforeCommit = {
      _ = try database.write {
        try $0.execute("UPDATE users SET deleted_at = 1 WHERE id = ?", viewer.id)
      }
    }
    #expect(throws: PhotoRefusal.conflict) {
      try saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: viewer)
    }
    #expect(throws: Problem.self) {
      try saving.copy(
        of: photo, with: PhotoStory("Second"), by: viewer, now: world.house.clock.now())
    }
    try database.write { try $0.execute("UPDATE users SET deleted_at = NULL") }
    let after = try world.photo()
    #expect(after.version == 1 && after.story == "First" && after.files == photo.files)
    #expect(try world.told() == "First")
    #expect(try world.house.count("SELECT count(*) FROM photos") == 1)
    #expect(try world.house.photoFiles().count == 3)
    #expect(try world.problems() == [])
  }

  @Test("A disk that is nearly full takes no copy, and nothing is half done")
  func nearlyFull() throws {
    let world = try World()
    let photo = try world.photo()
    var services = world.services
    services.disk = .nearlyFull
    let saving = PhotoSaving(services: services)
    #expect(throws: PhotoRefusal.photo(.write(.diskFull))) {
      try saving.copy(
        of: photo, with: PhotoStory("Second"), by: world.viewer, now: world.house.clock.now())
    }
    #expect(try world.house.count("SELECT count(*) FROM photos") == 1)
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("A file that is damaged since is not overwritten")
  func damaged() throws {
    let world = try World()
    let photo = try world.photo()
    let path = world.services.folders.original(photo.files)
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(bytes.count - 4).write(to: URL(filePath: path))
    #expect(throws: PhotoRefusal.photo(.read(.damaged))) {
      try world.saving.save(PhotoStory("Second"), into: photo, ifVersion: nil, by: world.viewer)
    }
    #expect(try world.photo().story == "First")
    #expect(try world.house.photoFiles().count == 3)
    #expect(try !world.problems().isEmpty)
  }

  @Test("A copy is a photo of its own: both stand in the album, and one may go")
  func copy() throws {
    let world = try World()
    let photo = try world.photo()
    world.house.clock.advance(seconds: 60)
    let copy = try world.saving.copy(
      of: photo, with: PhotoStory("Another"), by: world.viewer, now: world.house.clock.now())
    #expect(copy.id != photo.id && copy.story == "Another" && copy.version == 1)
    #expect(try world.told() == "First")
    #expect(world.browser.album() == ["/album/\(copy.id)", "/album/\(photo.id)"])
    #expect(try world.house.photoFiles().count == 6)
    world.browser.post("/album/\(photo.id)/delete")
    #expect(
      world.browser.get("/album/\(copy.id)").pictures.allSatisfy {
        world.browser.get($0).status == 200
      })
    #expect(try world.house.photoFiles().count == 3)
    #expect(try world.problems() == [])
  }

  @Test("Three hundred saves make neither file grow nor more files")
  func growth() throws {
    let world = try World()
    var photo = try world.photo()
    var sizes: Set<Int> = []
    for number in 100..<400 {
      photo = try world.saving.save(
        PhotoStory("Story \(number)"), into: photo, ifVersion: nil, by: world.viewer)
      sizes.insert(photo.bytes)
    }
    // Packed texts differ by a few bytes.
    let (least, most) = (sizes.min() ?? 0, sizes.max() ?? .max)
    #expect(most - least < 32)
    #expect(try world.house.photoFiles().count == 3)
  }

  // MARK: Leftovers

  private func leave(_ name: String, _ world: World, secondsAgo: Double) throws {
    let path = "\(world.services.folders.path(of: world.viewer.id))/\(name)"
    try Data([1]).write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: path)
  }

  /// The moments at which the hourly job looks, a day apart.
  private func remove(_ world: World, days: ClosedRange<Int>) throws {
    for day in days {
      let moment = Date(timeIntervalSinceNow: Double(day) * 86_400 + 4000)
      try PhotoLeftovers(services: world.services).remove(now: Instant(date: moment))
    }
  }

  @Test("What never became a photo goes after an hour; what may be of one after a week")
  func leftovers() throws {
    let world = try World()
    try leave("photo_\(ID<PhotoOriginal>.random()).png", world, secondsAgo: 4000)
    try leave(".photo_x.jpg.y.saving", world, secondsAgo: 4000)
    try leave(".medium_x.jpg.part", world, secondsAgo: 4000)
    // The kernel tells when a file was changed: only the moment of looking can be another one.
    try leave(".photo_z.jpg.y.saving", world, secondsAgo: -3940)
    try remove(world, days: 0...0)
    #expect(try world.house.photoFiles().count == 5)
    try remove(world, days: 1...6)
    #expect(try world.house.photoFiles().count == 4)
    try remove(world, days: 7...7)
    #expect(try world.house.photoFiles().count == 3)
    #expect(try world.told() == "First")
    #expect(try world.problems() == [])
  }

  @Test("An older database that somebody puts back costs no photo for a week, however old they are")
  func olderDatabase() throws {
    let world = try World()
    try remove(world, days: 0...8)
    let files = try world.house.photoFiles()
    try world.house.database.write { writer in
      try writer.execute("DELETE FROM photos")
      // As it was six weeks before.
      try writer.execute("UPDATE heartbeats SET at = at - 3600000000 WHERE name LIKE 'photos.%'")
    }
    try remove(world, days: 9...15)
    #expect(try world.house.photoFiles() == files)
    // Nor does the doctor delete any.
    for check in world.house.house.features.album.doctorChecks {
      try check.repair?(world.house.database)
    }
    #expect(try world.house.photoFiles() == files)
    try remove(world, days: 16...16)
    #expect(try world.house.photoFiles().isEmpty)
  }

  @Test("The pictures of a copy that is being made stay: links to old files, but young themselves")
  func links() throws {
    let world = try World()
    let pictures = world.services.folders.names(of: try world.photo()).dropFirst()
    for path in pictures {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -9 * 86_400)], ofItemAtPath: path)
      try FileManager.default.linkItem(atPath: path, toPath: "\(path).copy.png")
    }
    try remove(world, days: 0...6)
    #expect(try world.house.photoFiles().count == 5)
    try remove(world, days: 7...7)
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("A file that lost its story gets it back from its row, which loses nothing")
  func lostStory() throws {
    let world = try World()
    let path = world.services.folders.original(try world.photo().files)
    try PhotoFile.strip(path, as: path)
    #expect(try world.told() == nil)
    #expect(try world.problems() == ["photo \(world.id) has a story that its file has lost"])
    for check in world.house.house.features.album.doctorChecks {
      try check.repair?(world.house.database)
    }
    #expect(try world.told() == "First" && world.photo().story == "First")
    #expect(try world.problems() == [])
    #expect(try world.house.photoFiles().count == 3)
  }

  @Test("The doctor believes the file: a row that says something else is put right")
  func doctor() throws {
    let world = try World()
    try world.house.database.write { try $0.execute("UPDATE photos SET story = 'Wrong'") }
    #expect(try world.problems().count == 1)
    for check in world.house.house.features.album.doctorChecks {
      try check.repair?(world.house.database)
    }
    #expect(try world.problems() == [])
    #expect(try world.photo().story == "First")
  }

  @Test("The doctor misses files that are gone, and leaves them to a person")
  func missing() throws {
    let world = try World()
    world.services.folders.remove(try world.photo().files)
    #expect(try world.problems().count == 3)
  }
}

extension PhotoFolders {
  /// The paths of all files of a photo.
  fileprivate func names(of photo: Photo) -> [String] {
    photo.files.names.map { "\(path(of: photo.files.folder))/\($0)" }
  }
}
