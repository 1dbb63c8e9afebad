import FakeObjectStore
import Foundation
import Testing

@testable import App

@Suite("Files of trainings in a bucket")
struct BucketTrainingTests {
  private let scenario: BucketScenario
  private let admin: TestClient
  private let page: String

  init() throws {
    scenario = try BucketScenario()
    admin = try scenario.instance.admin()
    page = try admin.publishTraining("Hills")
  }

  private func stored() throws -> [String] { try scenario.stored("trainings") }

  @Test("Covers, videos and captions are in the bucket alone, and sent from there")
  func view() throws {
    #expect(admin.sendCover(page).status == 303)
    #expect(admin.sendVideo(page).status == 303)
    let captions = admin.upload(
      "\(page)/captions", [("language", "en")],
      files: [("captions", Array("WEBVTT\n\n00:00.000 --> 00:01.000\nUp\n".utf8))])
    #expect(captions.status == 303)
    let types = ["mp4": "video/mp4", "vtt": "text/vtt; charset=utf-8", "png": "image/png"]
    let paths = try stored()
    #expect(paths.count == 5)
    for path in paths {
      let answer = admin.get("/media/\(path)")
      #expect(try scenario.location(answer) == path)
      #expect(answer.headers[.contentType] == types[String(path.suffix(3))])
    }
    #expect(try scenario.instance.mediaFiles().isEmpty)
  }

  @Test("While the store fails, the answer is 503 and the training stays as it was")
  func failing() throws {
    admin.sendVideo(page)
    let before = try stored()
    try scenario.server.fail(BucketScenario.slow)
    #expect(admin.sendCover(page).status == 503)
    #expect(admin.sendVideo(page).status == 503)
    try scenario.server.fail([])
    #expect(try stored() == before)
    #expect(try scenario.findings() == [])
  }

  @Test("A replaced video and a deleted training go with their files")
  func lifetime() throws {
    admin.sendVideo(page)
    let before = try stored()
    admin.sendVideo(page)
    let after = try stored()
    #expect(after.count == 1 && after != before)
    #expect(admin.post("\(page)/delete").status == 303)
    #expect(try stored().isEmpty)
  }

  @Test("The doctor names a missing file, and a file that no row names goes after a week")
  func missing() throws {
    admin.sendVideo(page)
    let named = try stored()
    let orphan = named[0].replacing("/video_", with: "/video_3")
    for path in [orphan, "trainings/readme"] { try scenario.media.put([1], as: path) }
    #expect(try scenario.clean(days: 6, "trainings").contains(orphan))
    #expect(try Set(scenario.clean(days: 8, "trainings")) == Set(named + ["trainings/readme"]))
    try scenario.media.delete([named[0]])
    #expect(try scenario.findings() == ["\(named[0]) is missing"])
  }
}
