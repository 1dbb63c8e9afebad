import Basics
import Foundation
import Testing
import Web

@testable import App

@Suite("Hidden, removed, blocked: gone for whom it should be, wherever it could be found")
struct GoneTests {
  /// Where a reader still finds a post and its couple.
  private struct Found: Equatable, CustomStringConvertible {
    var places: Set<String> = []

    var description: String { places.sorted().joined(separator: " ") }

    static let all = Found(places: [
      "page", "feed", "profile", "picture", "like", "api", "api-list", "api-couple", "report",
    ])
    static let none = Found()
    /// What nobody can do to what is theirs.
    static let own = Found(places: all.places.subtracting(["report"]))
    /// The couple is there, the post isn't.
    static let coupleAlone = Found(places: ["api-couple"])
  }

  private struct Scene {
    let house: TestHouse
    let post: String
    let couple: String
    let pictures: [String]
    let ann: Browser
    let ben: Browser
    let sam: Browser
    let mo: Browser

    init() throws {
      house = try TestHouse()
      try house.couple()
      (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
      post = try ann.writeWithPicture("Our words")
      couple = "/couples/\(try #require(ann.call(.get, "/account").json["couple_id"] as? String))"
      pictures = ann.get(post).pictures.filter { $0.contains("/posts/") }
      try #require(!pictures.isEmpty)
      sam = try house.members("sam")[0]
      mo = try house.moderator()
    }

    /// By its author's own addresses, or those that somebody knows from before.
    func found(_ browser: Browser, _ known: [String]? = nil) -> Found {
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

  @Test("Shown, everybody with an account finds it everywhere")
  func shown() throws {
    let scene = try Scene()
    #expect(scene.found(scene.sam) == .all)
  }

  @Test("A hidden post is the two's alone, a removed one nobody's; shown again it is back")
  func posts() throws {
    let scene = try Scene()
    scene.sam.report(scene.post)
    let path = try scene.house.onlyCase(scene.mo)
    scene.mo.decide(path, "hide")
    #expect(scene.found(scene.sam) == .coupleAlone)
    for two in [scene.ann, scene.ben] {
      #expect(scene.found(two).places.isSuperset(of: Found.own.places.subtracting(["like"])))
    }
    scene.mo.decide(path, "remove")
    for reader in [scene.sam, scene.ann, scene.ben] {
      #expect(scene.found(reader, []) == .coupleAlone)
    }
    scene.mo.decide(path, "dismiss")
    #expect(scene.found(scene.sam) == .all)
    #expect(
      try scene.house.count("SELECT like_count FROM posts")
        == scene.house.count("SELECT count(*) FROM likes"))
  }

  @Test("A hidden couple is the two's alone, a removed one nobody's, with every post; and back")
  func couples() throws {
    let scene = try Scene()
    scene.sam.report(scene.couple)
    let path = try scene.house.onlyCase(scene.mo)
    scene.mo.decide(path, "hide")
    #expect(scene.found(scene.sam) == .none)
    #expect(scene.ben.get(scene.couple).shows("Our words"))
    scene.mo.decide(path, "remove", note: "Not here")
    for reader in [scene.sam, scene.ann, scene.ben, scene.house.browser()] {
      #expect(scene.found(reader, []) == .none)
    }
    #expect(scene.ann.get("/").shows("Your page and your posts were removed"))
    #expect(!scene.ann.get("/").shows("data-composer"))
    for (path, fields) in [
      ("/posts", ["content": "Anew"]), ("\(scene.couple)/edit", ["couple_name": "Anew"]),
    ] {
      let status = scene.ann.post(path, all: fields.map { ($0.key, $0.value) }).status
      #expect([403, 404].contains(status), "\(path) \(status)")
    }
    #expect(try scene.house.count("SELECT count(*) FROM posts") == 1)
    #expect(scene.ann.get("/settings/decisions").shows("Not here"))
    #expect(scene.mo.get("/admin/reports?state=removed").cases == [path])
    #expect(scene.mo.get(path).status == 200)
    // What isn't seen by others goes on.
    for open in ["/checkin", "/album", "/settings", "/groups"] {
      #expect(scene.ann.get(open).status == 200, "\(open)")
    }
    scene.mo.decide(path, "dismiss", note: "Mistaken")
    #expect(scene.found(scene.sam) == .all)
    _ = try scene.ann.write("Back")
  }

  @Test("Who removed it, it can be appealed against by either of the two, once")
  func appealed() throws {
    let scene = try Scene()
    scene.sam.report(scene.couple)
    scene.mo.decide(try scene.house.onlyCase(scene.mo), "remove")
    let appeal = try #require(
      scene.ben.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(scene.ben.post(appeal, ["words": "Look again"]).status == 303)
    #expect(scene.ann.post(appeal, ["words": "Me too"]).status == 409)
    let path = try scene.house.onlyCase(scene.mo, state: "appealed")
    #expect(scene.found(scene.sam) == .none)
    scene.mo.decide(path, "dismiss", note: "You are right")
    #expect(scene.found(scene.sam) == .all)
  }

  @Test("Blocked, neither finds anything of the other, everybody else as before")
  func blocked() throws {
    let scene = try Scene()
    let tia = try scene.house.members("tia")[0]
    #expect(scene.found(tia) == .all)
    #expect(scene.sam.post("\(scene.couple)/block").status == 303)
    #expect(scene.found(scene.sam) == .none)
    #expect(scene.found(tia) == .all)
    let post = try scene.sam.write("From Sam")
    #expect(scene.ann.get(post).status == 404 && !scene.ben.get("/").shows("From Sam"))
  }

  @Test("Groups are untouched by all of it: who walks together sees each other")
  func groups() throws {
    let scene = try Scene()
    let group = try scene.ann.makeGroup()
    scene.sam.join(try scene.ann.code(of: group))
    scene.sam.report(scene.couple)
    scene.mo.decide(try scene.house.onlyCase(scene.mo), "remove")
    scene.sam.post("\(scene.couple)/block")
    #expect(scene.sam.group(group).members.count == 2)
    #expect(scene.ann.group(group).status == 200)
  }
}
