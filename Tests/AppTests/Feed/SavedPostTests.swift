import Core
import Foundation
import Testing

@testable import App

@Suite("Saved posts")
struct SavedPostTests {
  private static let list = "/posts/saved"

  private struct Scenario {
    let instance: TestInstance
    let ann, sam: TestClient
    let person: ID<Person>
    let first, second: String

    init() throws {
      instance = try TestInstance()
      try instance.couple()
      ann = try instance.signedIn("ann")
      person = try instance.alone("sam").id
      sam = try instance.signedIn("sam")
      first = try ann.write("A walk by the lake")
      instance.clock.advance(seconds: 1)
      second = try ann.write("Bread from the oven")
    }

    /// The posts of Sam's list, in order.
    func saved() -> [String] {
      let posts = sam.call(.get, "/posts/saved").list("posts")
      return posts.compactMap { $0["id"] as? String }.map { "/posts/\($0)" }
    }
  }

  @Test("The last saved comes first, saving twice counts once, and only the member sees it")
  func listed() throws {
    let scenario = try Scenario()
    let (sam, first, second) = (scenario.sam, scenario.first, scenario.second)
    #expect(sam.get(Self.list).shows("No saved posts yet"))
    for post in [second, first, second] {
      #expect(sam.post("\(post)/save", ["next": "/"]).location == "/")
      scenario.instance.clock.advance(seconds: 1)
    }
    #expect(scenario.saved() == [first, second])
    let page = sam.get(Self.list)
    #expect(page.shows("A walk by the lake") && page.shows("formaction=\"\(first)/unsave\""))
    #expect(sam.get("/").shows("formaction=\"\(second)/unsave\""))
    #expect(scenario.ann.get("/").shows("formaction=\"\(second)/save\""))
    #expect(scenario.ann.get(Self.list).shows("No saved posts yet"))
    #expect(sam.post("\(first)/unsave").location == Self.list)
    #expect(scenario.saved() == [second])
    #expect(sam.post("\(first)/unsave").status == 303)
  }

  @Test("A post that is seen no more leaves the list, and returns with its visibility")
  func unseen() throws {
    let scenario = try Scenario()
    let (ann, sam, first) = (scenario.ann, scenario.sam, scenario.first)
    sam.post("\(first)/save")
    let secret = try ann.write("For two", visibility: "couple")
    #expect(sam.post("\(secret)/save").status == 404)
    ann.post("\(first)/delete")
    #expect(scenario.saved() == [] && !sam.get(Self.list).shows("A walk"))
    ann.post("\(first)/restore")
    #expect(scenario.saved() == [first])
    let couple = try #require(
      sam.get(first).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)?.output)
    sam.post("\(couple)/block")
    #expect(scenario.saved() == [])
  }

  @Test(
    "The API saves and removes; lists go on page by page; the export has them; guests save none")
  func calls() throws {
    let scenario = try Scenario()
    let (sam, first, second) = (scenario.sam, scenario.first, scenario.second)
    for post in [first, second] {
      #expect(sam.call(.post, "\(post)/save").status == 204)
      scenario.instance.clock.advance(seconds: 1)
    }
    #expect(sam.call(.get, first).json["saved"] as? Bool == true)
    let page = sam.call(.get, "/posts/saved?limit=1")
    let cursor = try #require(page.json["next_cursor"] as? String)
    let rest = sam.call(.get, "/posts/saved?limit=1&cursor=\(cursor)").list("posts")
    #expect(rest.first?["content"] as? String == "A walk by the lake")
    let files = try scenario.instance.database.read {
      try scenario.instance.instance.features.feed.participant.export(scenario.person, from: $0)
    }
    let file = try #require(files.first { $0.name == "saved-posts.json" })
    #expect(String(decoding: file.json, as: UTF8.self).contains(first.dropFirst(7)))
    #expect(sam.call(.delete, "\(first)/save").status == 204)
    #expect(sam.call(.get, first).json["saved"] as? Bool == false)
    let guest = try scenario.instance.guest("Gia")
    #expect(guest.call(.post, "\(first)/save").status == 403)
    #expect(guest.get(Self.list).status == 303)
  }
}
