import Core
import Foundation
import Testing
import Web

@testable import Album
@testable import App
@testable import PhotoMetadata

@Suite("The album takes photos, each judged by itself")
struct AlbumTests {
  private func lone() throws -> (TestInstance, TestClient) {
    let instance = try TestInstance()
    try instance.alone("sam")
    return (instance, try instance.signedIn("sam"))
  }

  @Test("An empty album says how to begin, and is kept by no cache")
  func empty() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let page = sam.get("/album")
    #expect(page.status == 200)
    #expect(page.shows("Your first photo goes here") && page.shows("Only you can see these."))
    #expect(page.headers[.cacheControl] == "no-store")
    #expect(!page.shows("name=\"shared\""))
  }

  @Test("Several photos go in at once, the last one newest, each with three files of its own")
  func adding() throws {
    let (instance, sam) = try lone()
    let answer = sam.add(
      SmallPicture.png, try SmallPhoto.png(story: "Second"), try SmallPhoto.png(story: "Third"))
    #expect(answer.status == 303 && answer.location == "/album")
    #expect(sam.album().count == 3)
    let page = sam.get("/album")
    let third = try #require(page.text.range(of: "Third"))
    let second = try #require(page.text.range(of: "Second"))
    #expect(third.lowerBound < second.lowerBound)
    #expect(try instance.photoFiles().count == 9)
  }

  @Test("Files of photos are in their owner's folder, readable by no other system user")
  func modes() throws {
    let (instance, sam) = try lone()
    _ = try sam.addPhoto()
    let root = "\(instance.instance.configuration.mediaFolder)"
    for name in try instance.photoFiles() {
      let path = "\(root)/\(name)"
      let folder = URL(filePath: path).deletingLastPathComponent().path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      let around = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions]
      #expect((mode as? Int).map { $0 & 0o007 } == 0)
      #expect(around as? Int == 0o700)
      if name.contains("/photo_") { #expect(mode as? Int == 0o600) }
    }
  }

  @Test("A photo that brings its own story keeps it, in the file too")
  func ownStory() throws {
    let (instance, sam) = try lone()
    sam.add(try SmallPhoto.png(story: "雨後的湖 🌧"))
    #expect(sam.get("/album").shows("雨後的湖 🌧"))
    #expect(try instance.onlyPhoto().story == "雨後的湖 🌧")
  }

  @Test("The story of a single photo is sent with it, and takes the place of the one in the file")
  func typedStory() throws {
    let (instance, sam) = try lone()
    let photo = try SmallPhoto.png(story: "Old words")
    let answer = sam.upload(
      "/album", [("nonce", "n"), ("story", " The lake\r\nafter the rain ")],
      files: [("file", photo)])
    #expect(answer.status == 303)
    #expect(try instance.onlyPhoto().story == "The lake\nafter the rain")
  }

  @Test(
    "A story that can't be saved refuses the form, which keeps the words",
    arguments: [
      (1, String(repeating: "長", count: 301), "This story has 301."),
      (2, "The lake", "A story is for one photo."),
    ])
  func refusedStory(count: Int, story: String, error: String) throws {
    let (instance, sam) = try lone()
    let answer = sam.upload(
      "/album", [("nonce", "n"), ("story", story)],
      files: (0..<count).map { _ in ("file", SmallPicture.png) })
    #expect(answer.status == 422 && answer.shows(error) && answer.shows("href=\"#story\""))
    #expect(answer.shows("\(story)</textarea>"))
    #expect(try instance.photoFiles() == [])
  }

  @Test("A story that another program made too long loses no word: it waits as a draft")
  func longStory() throws {
    let reading = PhotoReading(
      properties: PhotoProperties(format: .png, width: 1, height: 1, orientation: 1, extras: []),
      story: String(repeating: "長", count: 301), otherStory: "Other", caption: nil, taken: nil)
    let texts = PhotoTexts(reading)
    #expect(texts.story == nil && texts.other == nil)
    #expect(texts.caption?.count == 301)
  }

  @Test("Good ones go in while others are refused by name, with the reason")
  func mixed() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let gif = Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 40)
    let answer = sam.add(gif, SmallPicture.png, Array("just words".utf8))
    #expect(answer.status == 422)
    #expect(answer.shows("This format isn’t supported yet: GIF"))
    #expect(answer.shows("or the file isn’t a photo"))
    #expect(answer.shows("Some photos couldn’t be added") && answer.shows("href=\"#file\""))
    #expect(sam.album().count == 1)
  }

  @Test("A HEIC photo becomes an upright JPEG that keeps its day; a broken one is refused")
  func heic() throws {
    let (instance, sam) = try lone()
    #expect(sam.add(HEICPhoto.bytes, keepsDate: true).status == 303)
    let photo = try #require(sam.album().first)
    #expect(sam.get(photo).shows("Taken on 5 March 2026 at 14:07"))
    #expect(sam.get(photo).shows("JPEG · 48 × 64"))
    let file = try #require(try instance.filesOfPhotos().first)
    let reading = try PhotoFile.read(file)
    #expect(reading.properties.format == .jpeg && reading.properties.orientation == 1)
    #expect(try !instance.photoFiles().contains { $0.hasSuffix(".heic") })
    #expect(
      sam.upload("/posts", [("content", "HEIC")], files: [("images", HEICPhoto.bytes)]).status
        == 303)
    // An iPhone's file that was cut: in its structure, and in its pixels.
    let broken = sam.add(Array(HEICPhoto.bytes.prefix(300)), Array(HEICPhoto.bytes.dropLast(60)))
    #expect(broken.status == 422)
    #expect(broken.text.matches(of: /data-testid="refused"/).count == 2)
    let uploads = instance.instance.configuration.uploadFolder
    let left = FileManager.default.enumerator(atPath: uploads)?.allObjects ?? []
    #expect(!left.contains { "\($0)".hasSuffix(".jpg") })
  }

  @Test("A HEIC photo takes as much of the storage as its JPEG")
  func storageOfJPEG() throws {
    let script = """
      [ "$1" = convert ] || exit 1
      head -c 2000000 /dev/zero >"$3"
      echo '{"bytes":2000000,"fileExtension":"jpg","hasWebP":false,"height":9,"width":9}'
      """
    let instance = try TestInstance(
      variables: ["PAIRSPOT_MEMBER_PHOTOS": "1"], pictureScript: script)
    try instance.alone("sam")
    let answer = try instance.signedIn("sam").add(HEICPhoto.bytes)
    #expect(answer.status == 422 && answer.shows("Your album is full (1 MB)"))
    #expect(try instance.photoFiles() == [])
  }

  @Test("A damaged photo is refused, and leaves nothing on the disk")
  func damaged() throws {
    let (instance, sam) = try lone()
    for length in [10, SmallPicture.png.count / 2, SmallPicture.png.count - 2] {
      let answer = sam.add(Array(SmallPicture.png.prefix(length)))
      #expect(answer.status == 422 && answer.shows("damaged or incomplete"), "\(length)")
    }
    #expect(try instance.photoFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM photos") == 0)
  }

  @Test("A picture that claims 60,000 pixels a side, and one of 31 MB, are refused by their reason")
  func tooMuch() throws {
    let (instance, sam) = try lone()
    var wide = SmallPicture.png
    wide.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    wide.replaceSubrange(29..<33, with: CRC(bytes: Array(wide[12..<29])).bytes)
    #expect(sam.add(wide).shows("over 100 megapixels"))
    let heavy = SmallPicture.png + [UInt8](repeating: 0, count: 31 << 20)
    #expect(sam.add(heavy).shows("over 30 MB"))
    #expect(try instance.photoFiles() == [])
  }

  @Test("The form without a photo says so")
  func nothing() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let answer = sam.post("/album", ["nonce": "n"])
    #expect(answer.status == 422 && answer.shows("Choose at least one photo."))
  }

  @Test("The same form sent twice makes no doubles; another form with the same photo does")
  func twice() throws {
    let (instance, sam) = try lone()
    for _ in 0..<2 {
      #expect(sam.add(SmallPicture.png, nonce: "once").status == 303)
    }
    #expect(sam.album().count == 1)
    #expect(try instance.photoFiles().count == 3)
    sam.add(SmallPicture.png, nonce: "again")
    #expect(sam.album().count == 2)
  }

  @Test("The same form sent by two browser windows at once makes one photo")
  func atOnce() async throws {
    let (instance, sam) = try lone()
    sam.get("/album")
    let windows = (0..<4).map { _ in sam.copy() }
    await withTaskGroup(of: Void.self) { group in
      for window in windows.map(Passed.init) {
        group.addTask { window.value.add(SmallPicture.png, nonce: "once") }
      }
    }
    #expect(try instance.count("SELECT count(*) FROM photos") == 1)
    #expect(try instance.photoFiles().count == 3)
  }

  @Test("A folder that can't be written is an internal error, and nothing is half done")
  func diskFails() throws {
    let (instance, sam) = try lone()
    // A file in place of the folder of all photos: not even root can write below it.
    let root = "\(instance.instance.configuration.mediaFolder)/photos"
    try Data().write(to: URL(filePath: root))
    let answer = sam.add(SmallPicture.png)
    #expect(answer.status == 422 && answer.shows("Couldn’t save the photo. Nothing was changed"))
    #expect(try instance.count("SELECT count(*) FROM photos") == 0)
    try FileManager.default.removeItem(atPath: root)
    #expect(sam.add(SmallPicture.png).status == 303)
  }

  /// Stores a photo for a user without a form.
  private func take(
    _ services: AlbumEnvironment, _ instance: TestInstance, of viewer: Viewer
  ) throws -> ID<Photo> {
    let file = instance.folder.appending(path: "sent.png")
    try Data(SmallPicture.png).write(to: file)
    let now = instance.clock.now()
    return try PhotoImportService(services: services).take(
      file.path, .init(nonce: "once"), of: viewer, at: now, now: now)
  }

  @Test("An upload is refused if the account was just deleted, and its files are removed")
  func ownerGoes() throws {
    let instance = try TestInstance()
    let viewer = try instance.alone("sam")
    try instance.database.write {
      try $0.execute("UPDATE users SET deleted_at = 1 WHERE id = \(viewer.id)")
    }
    let services = instance.instance.features.album.services
    #expect(throws: Problem.self) { try take(services, instance, of: viewer) }
    #expect(try instance.photoFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM photos") == 0)
    #expect(try instance.count("SELECT count(*) FROM answers") == 0)
  }

  @Test("A nearly full disk takes no photo, so that smaller things still fit")
  func nearlyFull() throws {
    let instance = try TestInstance()
    let viewer = try instance.alone("sam")
    var services = instance.instance.features.album.services
    services.disk = .nearlyFull
    let full = services
    #expect(throws: AlbumPhotoError.photo(.write(.diskFull))) {
      try take(full, instance, of: viewer)
    }
    #expect(try instance.photoFiles() == [])
    services.disk = DiskReserve()
    _ = try take(services, instance, of: viewer)
    #expect(try instance.photoFiles().count == 3)
  }

  @Test("The reserve is 256 MiB, of a small disk a twentieth")
  func reserve() {
    let small = DiskReserve { _ in DiskReserve.Usage(total: 1000, free: 80) }
    #expect(small.hasSpace(30, in: "/") && !small.hasSpace(31, in: "/"))
    let large = DiskReserve { _ in DiskReserve.Usage(total: 100 << 30, free: (256 << 20) + 30) }
    #expect(large.hasSpace(30, in: "/") && !large.hasSpace(31, in: "/"))
    let unknown = DiskReserve { _ in nil }
    #expect(unknown.hasSpace(.max, in: "/"))
  }

  @Test("Older photos are a page on; a photo added in between makes none appear twice")
  func paging() throws {
    let (instance, sam) = try lone()
    for _ in 0..<25 {
      instance.clock.advance(seconds: 1)
      sam.add(SmallPicture.png)
    }
    let first = sam.get("/album")
    #expect(sam.album().count == 24)
    sam.add(SmallPicture.png)
    let older = try #require(
      first.text.firstMatch(of: /href="(\/album\?after=[^"]+)"/)?.output.1)
    #expect(sam.album(String(older)).count == 1)
    #expect(!sam.get(String(older)).shows("Your first photo goes here"))
  }

  @Test("A download bears its day, the photo's type, and is never shown in place")
  func download() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let photo = try sam.addPhoto()
    let answer = sam.get("\(photo)/file")
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "image/png")
    #expect(answer.headers[.cacheControl] == "private, no-store")
    let expected = "attachment; filename=\"pairspot-2026-03-02-\(photo.suffix(4)).png\""
    #expect(answer.headers[.contentDisposition] == expected)
    #expect(answer.headers[.accelRedirect]?.contains("/photos/") == true)
  }

  @Test("Pictures of a photo are found by their own names alone")
  func pictures() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let photo = try sam.addPhoto()
    let picture = try #require(sam.get(photo).pictures.first)
    #expect(sam.get(picture).status == 200)
    #expect(sam.get(picture.replacing("medium_", with: "original_")).status == 404)
    #expect(sam.get(picture.replacing("/medium_", with: "/..%2Fmedium_")).status == 404)
  }

  @Test("Deleting and removing for good take row and files; a second time there is nothing")
  func deleting() throws {
    let (instance, sam) = try lone()
    let photo = try sam.addPhoto()
    #expect(sam.get("\(photo)/delete").shows("restore the photo"))
    #expect(sam.post("\(photo)/delete").location == "/album")
    #expect(sam.post("\(photo)/delete").status == 404)
    #expect(sam.post("\(photo)/erase").location == "/album/deleted")
    #expect(try instance.photoFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM photos") == 0)
  }

  @Test("A post of a photo has the words that were sent, once, and the photo stays private")
  func post() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.add(try SmallPhoto.png(story: "By the lake"))
    let photo = try #require(ann.album().first)
    let form = ann.get("\(photo)/post")
    #expect(form.shows("By the lake"))
    let fields: KeyValuePairs = [
      "nonce": "once", "content": "By the lake, again", "visibility": "couple",
    ]
    let first = ann.post("\(photo)/post", fields)
    #expect(first.location?.hasPrefix("/posts/") == true)
    #expect(ann.post("\(photo)/post", fields).location == first.location)
    #expect(ben.get(try #require(first.location)).shows("By the lake, again"))
    #expect(instance.browser().get(try #require(first.location)).status == 404)
    #expect(ben.get(photo).status == 404)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
    ann.part()
    #expect(ann.post("\(photo)/post", ["content": "No more"]).status == 403)
  }

  @Test("A text that is too long is an error beside the field, and the text is kept")
  func longPost() throws {
    let (instance, sam) = try lone()
    defer { withExtendedLifetime(instance) {} }
    let photo = try sam.addPhoto()
    let words = String(repeating: "w", count: 2001)
    let answer = sam.post("\(photo)/post", ["content": words, "nonce": "n"])
    #expect(answer.status == 422 && answer.shows(words) && answer.shows("href=\"#content\""))
  }
}

/// A browser used by one task only.
private struct Passed: @unchecked Sendable {
  // Made for one task and passed to it before it starts.
  let value: TestClient
}

/// The CRC of a PNG chunk.
private struct CRC {
  let bytes: [UInt8]

  init(bytes content: [UInt8]) {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in content {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    value = ~value
    bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}
