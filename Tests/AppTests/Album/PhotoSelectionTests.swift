import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import Album
@testable import App

@Suite("Several photos of the album at once")
struct PhotoSelectionTests {
  /// Ann and Ben with photos: two of Ann's, one of Ben's that he shares, and one that he doesn't.
  private struct Scenario {
    let instance: TestInstance
    let ann, ben: TestClient
    let first, second, theirs, his: String

    init(limits: Bool = false) throws {
      instance = try TestInstance(limits: limits)
      try instance.couple()
      (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
      first = try ann.addPhoto()
      second = try ann.addPhoto()
      theirs = try ben.addPhoto(isShared: true)
      his = try ben.addPhoto()
    }

    @discardableResult
    func select(
      _ photos: [String], _ action: String, by browser: TestClient? = nil
    ) -> TestResponse {
      let browser = browser ?? ann
      let fields = photos.map { ("photo", String($0.suffix(36))) } + [("action", action)]
      return browser.post("/album/selected", all: fields)
    }

    /// The names of an archive's files.
    func archive(_ answer: TestResponse) throws -> Set<String> {
      let path = try #require(answer.headers[.accelRedirect]?.dropFirst("/protected-media/".count))
      let full = "\(instance.instance.configuration.mediaFolder)/\(path)"
      return Set(
        String(decoding: try Data(contentsOf: URL(filePath: full)), as: UTF8.self)
          .matches(of: /(2-)?pairspot-2026[0-9a-f-]+\.png/).map { String($0.output.0) })
    }
  }

  @Test("The album offers boxes for all photos that the viewer sees")
  func page() throws {
    let scenario = try Scenario()
    #expect(scenario.ann.get("/album").shows("href=\"/album?select=1\""))
    let page = scenario.ann.get("/album?select=1")
    let ids = page.text.matches(of: /name="photo" value="([^"]+)"/).map { String($0.output.1) }
    let visible = [scenario.first, scenario.second, scenario.theirs]
    #expect(Set(ids) == Set(visible.map { String($0.suffix(36)) }))
    #expect(page.shows("value=\"share\"") && page.shows("value=\"delete\""))
    try scenario.instance.alone("sam")
    let sam = try scenario.instance.signedIn("sam")
    _ = try sam.addPhoto()
    #expect(!sam.get("/album?select=1").shows("value=\"share\""))
  }

  @Test("Own photos are shared and made private again; the partner's are left alone")
  func share() throws {
    let scenario = try Scenario()
    let (first, second, theirs) = (scenario.first, scenario.second, scenario.theirs)
    #expect(scenario.select([first, second, theirs], "share").location == "/album")
    #expect(Set(scenario.ben.album("/album?tab=ours")) == [first, second, theirs])
    scenario.select([first, theirs], "unshare")
    #expect(Set(scenario.ann.album("/album?tab=ours")) == [second, theirs])
    #expect(scenario.select([theirs], "unshare").location == "/album?select=1")
    #expect(scenario.ann.get("/album").shows("Only your own photos can be shared or deleted."))
  }

  @Test("Own photos are deleted, and can be restored; the partner's stay")
  func delete() throws {
    let scenario = try Scenario()
    let answer = scenario.select([scenario.first, scenario.second, scenario.theirs], "delete")
    #expect(answer.toastLink == "/album/deleted")
    #expect(scenario.ann.album() == [scenario.theirs])
    #expect(scenario.ben.get(scenario.theirs).status == 200)
    #expect(scenario.ann.post("\(scenario.first)/restore").status == 303)
    #expect(Set(scenario.ann.album()) == [scenario.first, scenario.theirs])
  }

  @Test("Photos that the viewer doesn't see are left out, and alone there are none")
  func others() throws {
    let scenario = try Scenario()
    for action in ["share", "unshare", "download", "delete"] {
      #expect(scenario.select([scenario.his], action).status == 404)
      #expect(scenario.select(["/album/\(UUID().uuidString.lowercased())"], action).status == 404)
      #expect(scenario.select([], action).location == "/album?select=1")
      #expect(scenario.select(["no id"], action).location == "/album?select=1")
    }
    scenario.select([scenario.his, scenario.first], "share")
    #expect(scenario.ann.get(scenario.his).status == 404)
    #expect(Set(scenario.ben.album()) == [scenario.first, scenario.theirs, scenario.his])
    scenario.select([scenario.his, scenario.second], "delete")
    #expect(scenario.ben.get(scenario.his).status == 200)
    let download = scenario.select([scenario.his, scenario.first], "download")
    #expect(try scenario.archive(download).count == 1)
    try scenario.instance.alone("sam")
    let sam = try scenario.instance.signedIn("sam")
    for action in ["share", "download", "delete"] {
      #expect(scenario.select([scenario.first, scenario.theirs], action, by: sam).status == 404)
    }
    #expect(scenario.select([scenario.first], "frame").status == 404)
    #expect(
      scenario.instance.browser().post("/album/selected", ["action": "delete"]).location?
        .hasPrefix("/sign-in") == true)
  }

  @Test("A download has each photo once, the partner's shared ones too, for its user alone")
  func download() throws {
    let scenario = try Scenario()
    let (first, second, theirs) = (scenario.first, scenario.second, scenario.theirs)
    let answer = scenario.select([first, first, second, theirs], "download")
    #expect(answer.status == 200 && answer.headers[.contentType] == "application/zip")
    #expect(answer.headers[.cacheControl] == "private, no-store")
    #expect(answer.headers[.contentDisposition]?.contains("pairspot-photos-2026-") == true)
    #expect(try scenario.archive(answer).count == 3)
    // Removed an hour later.
    scenario.instance.instance.features.album.services.archives.removeOld(
      at: Date().addingTimeInterval(3_700))
    #expect(try scenario.instance.mediaFiles().allSatisfy { !$0.hasPrefix("photo-exports/") })
  }

  @Test("Too many photos at once, and too many bytes in one download, are refused with words")
  func limits() throws {
    let scenario = try Scenario()
    let many = (0...PhotoSelection.maximumPhotos).map { _ in
      "/album/\(UUID().uuidString.lowercased())"
    }
    #expect(scenario.select(many, "delete").location == "/album?select=1")
    #expect(scenario.ann.get("/album").shows("Choose up to 100 photos."))
    try scenario.instance.database.write {
      try $0.execute("UPDATE photos SET bytes = \(300 << 20)")
    }
    let both = [scenario.first, scenario.second]
    #expect(scenario.select(both, "download").location == "/album?select=1")
    #expect(scenario.ann.get("/album").shows("These photos are over 512 MB"))
  }

  @Test("One archive a minute is packed for a user, and few at the same time")
  func tooOften() throws {
    let scenario = try Scenario(limits: true)
    #expect(scenario.select([scenario.first], "download").status == 200)
    let second = scenario.select([scenario.first], "download")
    #expect(second.status == 429 && second.headers[.retryAfter] != nil)
    #expect(scenario.select([scenario.theirs], "download", by: scenario.ben).status == 200)
    scenario.instance.clock.advance(seconds: 61)
    #expect(scenario.select([scenario.first], "download").status == 200)
    let limit = PhotoConcurrencyLimit(atOnce: 1, maximumWaiting: 1)
    let busy = #expect(throws: Problem.self) { try limit.take { try limit.take {} } }
    #expect(busy?.status == .serviceUnavailable && busy?.retryAfter == 5)
  }

  @Test("After parting, photos can't be shared, and no longer downloaded by the other")
  func parted() throws {
    let scenario = try Scenario()
    scenario.ben.part()
    #expect(scenario.select([scenario.first], "share").status == 403)
    #expect(scenario.select([scenario.theirs], "download").status == 404)
  }
}
