import FakeObjectStore
import Foundation
import Testing

@testable import App

@Suite("Exports in a bucket")
struct BucketExportTests {
  private static let page = "/settings/export"

  private let scenario: BucketScenario
  private let ann: TestClient

  init() throws {
    scenario = try BucketScenario()
    ann = try scenario.instance.signedIn("ann")
  }

  private func stored() throws -> [String] { try scenario.stored("exports") }

  private func link() -> String? {
    ann.get(Self.page).text.firstMatch(of: /\/settings\/export\/[0-9a-f-]{36}/)
      .map { String($0.output) }
  }

  @Test("An archive of files in the bucket is put there, sent from there, and deleted after a week")
  func wholeWay() throws {
    try ann.writeWithPicture("Words of mine")
    _ = try ann.addPhoto()
    try ann.share("Snow")
    ann.message("Words", to: try ann.coupleID(), pictures: [SmallPicture.png])
    ann.post(Self.page)
    try scenario.instance.work()
    let path = try #require(try stored().first)
    #expect(path.hasSuffix("/pairspot.zip"))
    let archive = try #require(try scenario.media.get(path, limit: 1 << 24))
    let names = String(decoding: archive, as: UTF8.self)
    for name in ["photos/album/", "photos/moments/", "photos/messages/", "messages.json"] {
      #expect(names.contains(name), "\(name)")
    }
    #expect(!names.contains("missing.txt"))
    let answer = ann.get(try #require(link()))
    #expect(try scenario.location(answer) == path)
    #expect(answer.headers[.contentType] == "application/zip")
    #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment; filename=") == true)
    #expect(try scenario.instance.mediaFiles().isEmpty)
    #expect(try scenario.findings() == [])
    scenario.instance.clock.advance(seconds: 8 * 86_400)
    try scenario.instance.work()
    #expect(try stored().isEmpty)
  }

  @Test("While the store fails, the export waits")
  func failing() throws {
    try ann.writeWithPicture("Words of mine")
    ann.post(Self.page)
    try scenario.server.fail(BucketScenario.slow)
    try scenario.instance.work()
    try scenario.server.fail([])
    #expect(link() == nil)
    #expect(try stored().isEmpty)
    scenario.instance.clock.advance(seconds: 3600)
    try scenario.instance.work()
    #expect(link() != nil)
    #expect(try stored().count == 1)
  }

  @Test("An archive that no row names goes after a week")
  func leftover() throws {
    ann.post(Self.page)
    try scenario.instance.work()
    let named = try stored()
    let orphan = "exports/3f2504e0-4f89-41d3-9a0c-0305e82c3301/pairspot.zip"
    for path in [orphan, "exports/readme"] { try scenario.media.put([1], as: path) }
    #expect(try scenario.clean(days: 6, "exports").contains(orphan))
    #expect(try Set(scenario.clean(days: 8, "exports")) == Set(named + ["exports/readme"]))
  }
}
