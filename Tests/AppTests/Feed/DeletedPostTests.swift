import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Hidden, removed, blocked: gone for the right viewers, wherever it could be found")
struct DeletedPostTests {
  /// The places where a viewer still finds a post and its couple.
  private struct Found: Equatable, CustomStringConvertible {
    var places: Set<String> = []

    var description: String { places.sorted().joined(separator: " ") }

    static let all = Found(places: [
      "page", "feed", "profile", "picture", "like", "api", "api-list", "api-couple", "report",
    ])
    static let none = Found()
    /// All but the actions that are not allowed on one's own post.
    static let own = Found(places: all.places.subtracting(["report"]))
    /// The couple is visible, the post isn't.
    static let coupleAlone = Found(places: ["api-couple"])
  }

  private struct Scenario {
    let instance: TestInstance
    let post: String
    let couple: String
    let pictures: [String]
    let ann: TestClient
    let ben: TestClient
    let sam: TestClient
    let mo: TestClient

    init() throws {
      instance = try TestInstance()
      try instance.couple()
      (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
      post = try ann.writeWithPicture("Our words")
      couple = "/couples/\(try #require(ann.call(.get, "/account").json["couple_id"] as? String))"
      pictures = ann.get(post).pictures.filter { $0.contains("/posts/") }
      try #require(!pictures.isEmpty)
      sam = try instance.members("sam")[0]
      mo = try instance.moderator()
    }

    /// Checks the author's URLs, or those known from before.
    func found(_ browser: TestClient, _ known: [String]? = nil) -> Found {
      var found = Found()
      func note(_ place: String, _ isThere: Bool) { if isThere { found.places.insert(place) } }
      let pictures = known ?? ann.get(post).pictures.filter { $0.contains("/posts/") }
      note("page", browser.get(post).status == 200)
      note("feed", browser.get("/").shows("Our words"))
      note("profile", browser.get(couple).shows("Our words"))
      note("picture", (pictures + self.pictures).contains { browser.get($0).status == 200 })
      note("like", browser.call(.post, "\(post)/like").status < 300)
      note("api", browser.call(.get, post).status == 200)
      note("api-list", browser.call(.get, "/posts").text.contains("Our words"))
      note("api-couple", browser.call(.get, couple).status == 200)
      note("report", browser.get("\(post)/report").status == 200 && browser.get(post).status == 200)
      return found
    }
  }

  @Test("Shown, every user finds it everywhere")
  func shown() throws {
    let scenario = try Scenario()
    #expect(scenario.found(scenario.sam) == .all)
  }

  @Test("A hidden post is visible to the couple only, a removed one to no one; shown, it is back")
  func posts() throws {
    let scenario = try Scenario()
    scenario.sam.report(scenario.post)
    let path = try scenario.instance.onlyCase(scenario.mo)
    scenario.mo.decide(path, "hide")
    #expect(scenario.found(scenario.sam) == .coupleAlone)
    for two in [scenario.ann, scenario.ben] {
      #expect(scenario.found(two).places.isSuperset(of: Found.own.places.subtracting(["like"])))
    }
    scenario.mo.decide(path, "remove")
    for reader in [scenario.sam, scenario.ann, scenario.ben] {
      #expect(scenario.found(reader, []) == .coupleAlone)
    }
    scenario.mo.decide(path, "dismiss")
    #expect(scenario.found(scenario.sam) == .all)
    #expect(
      try scenario.instance.count("SELECT like_count FROM posts")
        == scenario.instance.count("SELECT count(*) FROM likes"))
  }

  @Test("A hidden couple is visible to itself only, a removed one to no one; shown, it is back")
  func couples() throws {
    let scenario = try Scenario()
    scenario.sam.report(scenario.couple)
    let path = try scenario.instance.onlyCase(scenario.mo)
    scenario.mo.decide(path, "hide")
    #expect(scenario.found(scenario.sam) == .none)
    #expect(scenario.ben.get(scenario.couple).shows("Our words"))
    scenario.mo.decide(path, "remove", note: "Not here")
    for reader in [scenario.sam, scenario.ann, scenario.ben, scenario.instance.browser()] {
      #expect(scenario.found(reader, []) == .none)
    }
    #expect(scenario.ann.get("/").shows("Your profile and posts were removed"))
    #expect(!scenario.ann.get("/").shows("data-composer"))
    for (path, fields) in [
      ("/posts", ["content": "Anew"]), ("\(scenario.couple)/edit", ["couple_name": "Anew"]),
    ] {
      let status = scenario.ann.post(path, all: fields.map { ($0.key, $0.value) }).status
      #expect([403, 404].contains(status), "\(path) \(status)")
    }
    #expect(try scenario.instance.count("SELECT count(*) FROM posts") == 1)
    #expect(scenario.ann.get("/settings/decisions").shows("Not here"))
    #expect(scenario.mo.get("/admin/reports?state=removed").cases == [path])
    #expect(scenario.mo.get(path).status == 200)
    // Pages that others don't see still work.
    for open in ["/checkin", "/album", "/settings", "/groups"] {
      #expect(scenario.ann.get(open).status == 200, "\(open)")
    }
    scenario.mo.decide(path, "dismiss", note: "Mistaken")
    #expect(scenario.found(scenario.sam) == .all)
    _ = try scenario.ann.write("Back")
  }

  @Test("Either member may appeal a removal, whichever moderator made it, once")
  func appealed() throws {
    let scenario = try Scenario()
    scenario.sam.report(scenario.couple)
    scenario.mo.decide(try scenario.instance.onlyCase(scenario.mo), "remove")
    let appeal = try #require(
      scenario.ben.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(scenario.ben.post(appeal, ["words": "Look again"]).status == 303)
    #expect(scenario.ann.post(appeal, ["words": "Me too"]).status == 409)
    let path = try scenario.instance.onlyCase(scenario.mo, state: "appealed")
    #expect(scenario.found(scenario.sam) == .none)
    scenario.mo.decide(path, "dismiss", note: "You are right")
    #expect(scenario.found(scenario.sam) == .all)
  }

  @Test("Blocked, neither couple finds the other, all other users still do")
  func blocked() throws {
    let scenario = try Scenario()
    let tia = try scenario.instance.members("tia")[0]
    #expect(scenario.found(tia) == .all)
    #expect(scenario.sam.post("\(scenario.couple)/block").status == 303)
    #expect(scenario.found(scenario.sam) == .none)
    #expect(scenario.found(tia) == .all)
    let post = try scenario.sam.write("From Sam")
    #expect(scenario.ann.get(post).status == 404 && !scenario.ben.get("/").shows("From Sam"))
  }

  @Test("Groups are not affected: their members see each other")
  func groups() throws {
    let scenario = try Scenario()
    let group = try scenario.ann.makeGroup()
    scenario.sam.join(try scenario.ann.code(of: group))
    scenario.sam.report(scenario.couple)
    scenario.mo.decide(try scenario.instance.onlyCase(scenario.mo), "remove")
    scenario.sam.post("\(scenario.couple)/block")
    #expect(scenario.sam.group(group).members.count == 2)
    #expect(scenario.ann.group(group).status == 200)
  }
}
