import FakeObjectStore
import Foundation
import Testing

@testable import App

@Suite("Moments in a bucket")
struct BucketMomentTests {
  private let scenario: BucketScenario
  private let ann: TestClient

  init() throws {
    scenario = try BucketScenario()
    ann = try scenario.instance.signedIn("ann")
  }

  @Test("A picture is in the bucket alone, and nginx gets a signed address for the couple")
  func view() throws {
    try ann.share("Snow")
    let paths = try scenario.stored("moments")
    #expect(paths.count == 3)
    #expect(try scenario.instance.mediaFiles().isEmpty)
    for name in ["ann", "ben"] {
      let answer = try scenario.instance.signedIn(name).get("/media/\(paths[0])")
      #expect(try scenario.location(answer) == paths[0])
      #expect(answer.headers[.contentType] == "image/png")
      #expect(answer.headers[.cacheControl] == "private, no-store")
    }
    try scenario.instance.alone("sam")
    #expect(try scenario.instance.signedIn("sam").get("/media/\(paths[0])").status == 404)
  }

  @Test("A film is offered to its author as a file")
  func film() throws {
    let moment = try ann.share("Waves")
    try scenario.instance.database.write {
      try $0.execute("UPDATE moments SET extension = 'mp4', milliseconds = 1000")
    }
    let answer = ann.get("\(moment)/film")
    #expect(try scenario.location(answer).contains("/film_"))
    #expect(answer.headers[.contentType] == "video/mp4")
    #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment; filename=") == true)
  }

  @Test("While the store fails, no moment is made, and the words are kept")
  func failing() throws {
    try scenario.server.fail(BucketScenario.slow)
    let refused = ann.upload(
      "/moments", [("nonce", "1"), ("words", "Our words"), ("audience", "followers")],
      files: [("file", SmallPicture.png)])
    #expect(refused.status == 503 && refused.shows("Our words"))
    #expect(refused.headers[.retryAfter] == "5")
    try scenario.server.fail([])
    #expect(try scenario.instance.count("SELECT count(*) FROM moments") == 0)
    #expect(try scenario.stored("moments").isEmpty)
    try ann.share("Our words", nonce: "1")
    #expect(try scenario.stored("moments").count == 3)
  }

  @Test("A picture is kept in the album, or not at all while the store fails")
  func keep() throws {
    let moment = try ann.share("Snow")
    try scenario.server.fail(BucketScenario.slow)
    #expect(ann.post("\(moment)/keep").status == 503)
    try scenario.server.fail([])
    #expect(try scenario.instance.count("SELECT count(*) FROM photos") == 0)
    #expect(ann.post("\(moment)/keep").status == 303)
    #expect(try scenario.instance.count("SELECT count(*) FROM photos") == 1)
  }

  @Test("A moment that is over goes with its files, once the store answers")
  func over() throws {
    try ann.share("Snow")
    scenario.instance.clock.advance(seconds: 86_460)
    try scenario.server.fail(BucketScenario.slow)
    try scenario.instance.work()
    try scenario.server.fail([])
    #expect(try scenario.stored("moments").count == 3)
    #expect(try scenario.instance.count("SELECT count(*) FROM moments") == 1)
    scenario.instance.clock.advance(seconds: 61)
    try scenario.instance.work()
    #expect(try scenario.stored("moments").isEmpty)
    #expect(try scenario.instance.count("SELECT count(*) FROM moments") == 0)
  }

  @Test("The doctor names a missing file, and a file that no row names goes after a week")
  func missing() throws {
    try ann.share("Snow")
    let named = try scenario.stored("moments")
    let orphan = named[0].replacing(/[0-9a-f]{8}-/, with: "3f2504e0-")
    for path in [orphan, "moments/readme"] { try scenario.media.put([1], as: path) }
    #expect(try scenario.clean(days: 6, "moments").contains(orphan))
    #expect(try Set(scenario.clean(days: 8, "moments")) == Set(named + ["moments/readme"]))
    try scenario.media.delete([named[0]])
    #expect(try scenario.findings() == ["\(named[0]) is missing"])
  }
}
