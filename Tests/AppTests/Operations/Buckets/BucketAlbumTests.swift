import FakeObjectStore
import Foundation
import PhotoMetadata
import Testing

@testable import Album
@testable import App

@Suite("Photos in a bucket")
struct BucketAlbumTests {
  private let scenario: BucketScenario
  private let ann: TestClient

  init() throws {
    scenario = try BucketScenario()
    ann = try scenario.instance.signedIn("ann")
  }

  private func stored() throws -> [String] { try scenario.stored("photos") }

  /// The story in the only photo of the album.
  private func storyInFile() throws -> String? {
    let originals = try stored().filter { $0.contains("/photo_") }
    try #require(originals.count == 1)
    return try scenario.media.read(originals[0]) { try PhotoFile.read($0).story } ?? nil
  }

  private func save(_ photo: String, _ story: String) -> TestResponse {
    ann.post("\(photo)/story", ["story": story, "confirm": "1"])
  }

  @Test("Photo and previews are in the bucket alone, and sent to those who may see them")
  func view() throws {
    let photo = try ann.addPhoto(isShared: true)
    let paths = try stored()
    #expect(paths.count == 3)
    #expect(try scenario.instance.mediaFiles().isEmpty)
    let original = try #require(paths.first { $0.contains("/photo_") })
    for name in ["ann", "ben"] {
      let browser = try scenario.instance.signedIn(name)
      let file = browser.get("\(photo)/file")
      #expect(try scenario.location(file) == original)
      #expect(file.headers[.contentType] == "image/png")
      #expect(file.headers[.contentDisposition]?.hasPrefix("attachment; filename=") == true)
      let preview = try #require(browser.get(photo).text.firstMatch(of: /\/media\/photos\/[^" ]+/))
      let last = preview.output.split(separator: "/").last ?? ""
      let answer = browser.get(String(preview.output))
      #expect(try scenario.location(answer).hasSuffix(last))
    }
    #expect(scenario.instance.browser().get("\(photo)/file").status == 303)
  }

  @Test("A story is written into a new file; the old one is deleted after it")
  func story() throws {
    let photo = try ann.addPhoto()
    let before = try stored()
    #expect(save(photo, "The sea").status == 303)
    #expect(try storyInFile() == "The sea")
    let after = try stored()
    #expect(after.count == 3 && Set(after).intersection(before).count == 2)
    #expect(ann.post("\(photo)/story", ["story": "Copied", "as_copy": "1"]).status == 303)
    #expect(try stored().count == 6)
    let uploads = scenario.instance.instance.configuration.uploadFolder
    let left = try FileManager.default.contentsOfDirectory(atPath: uploads)
    #expect(left.allSatisfy { !$0.hasPrefix("upload-") })
    #expect(try scenario.findings() == [])
    let checks = scenario.instance.instance.features.album.doctorChecks
    #expect(try checks.flatMap { try $0.find(scenario.instance.database) } == [])
  }

  @Test("While the store fails, a photo is refused, a story keeps its words, and nothing changes")
  func failing() throws {
    let photo = try ann.addPhoto()
    let before = try stored()
    try scenario.server.fail(BucketScenario.slow)
    let added = ann.add(SmallPicture.png)
    #expect(added.status == 503 && added.headers[.retryAfter] == "5")
    let saved = save(photo, "Our words")
    #expect(saved.status == 503 && saved.shows("Our words"))
    let posted = ann.post("\(photo)/post", ["content": "Our post", "visibility": "couple"])
    #expect(posted.status == 503 && posted.shows("Our post"))
    try scenario.server.fail([])
    #expect(try stored() == before)
    #expect(try scenario.instance.count("SELECT count(*) FROM photos") == 1)
    // The old file is read; the new one can't be stored.
    try scenario.server.fail(["", ""] + BucketScenario.slow)
    #expect(save(photo, "Our words").status == 503)
    try scenario.server.fail([])
    #expect(try stored() == before)
    #expect(try storyInFile() == nil)
    #expect(save(photo, "Our words").status == 303)
    #expect(try storyInFile() == "Our words")
  }

  @Test("An archive is packed on this machine from the files in the bucket, or not at all")
  func archive() throws {
    let ids = try (0..<2).map { _ in ("photo", String(try ann.addPhoto().suffix(36))) }
    let fields = ids + [("action", "download")]
    try scenario.server.fail(BucketScenario.slow)
    #expect(ann.post("/album/selected", all: fields).status == 503)
    try scenario.server.fail([])
    #expect(try scenario.instance.mediaFiles().isEmpty)
    scenario.instance.clock.advance(seconds: 61)
    let answer = ann.post("/album/selected", all: fields)
    let path = try #require(answer.headers[.accelRedirect])
    #expect(path.hasPrefix("/protected-media/photo-exports/"))
    let folder = scenario.instance.instance.configuration.mediaFolder
    let file = URL(filePath: "\(folder)/\(path.dropFirst("/protected-media/".count))")
    let names = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      .matches(of: /(2-)?pairspot-2026[0-9a-f-]+\.png/)
    #expect(Set(names.map { String($0.output.0) }).count == 2)
    scenario.instance.instance.features.album.services.archives.removeOld(
      at: Date(timeIntervalSinceNow: 7200))
    #expect(try scenario.instance.mediaFiles().isEmpty)
  }

  @Test("A post of a photo gets a file of its own, and an erased photo goes with its files")
  func lifetime() throws {
    let photo = try ann.addPhoto()
    #expect(ann.post("\(photo)/post", ["content": "Look", "visibility": "couple"]).status == 303)
    let call = ann.call(.post, "/photos/\(photo.suffix(36))/post", "{\"content\":\"Again\"}")
    #expect(call.status == 201, "\(call.text)")
    #expect(try scenario.stored("couples").count == 6)
    #expect(ann.post("\(photo)/delete").status == 303)
    #expect(try stored().count == 3)
    #expect(ann.post("\(photo)/erase").status == 303)
    #expect(try stored().isEmpty)
    #expect(try scenario.stored("couples").count == 6)
  }

  @Test("The doctor names a missing file, and a file that no row names goes after a week")
  func missing() throws {
    _ = try ann.addPhoto()
    let named = try stored()
    let orphan = named[0].replacing("/medium_", with: "/medium_3")
    for path in [orphan, "photos/readme"] { try scenario.media.put([1], as: path) }
    #expect(try scenario.clean(days: 6, "photos").contains(orphan))
    #expect(try Set(scenario.clean(days: 8, "photos")) == Set(named + ["photos/readme"]))
    try scenario.media.delete([named[0]])
    #expect(try scenario.findings() == ["\(named[0]) is missing"])
  }
}
