import Basics
import Foundation
import Testing
import Web

@testable import App

@Suite("Moderators decide, once each, and the author is told why")
struct DecisionTests {
  private struct Scene {
    let house: TestHouse
    let post: String
    let ann: Browser
    let sam: Browser
    let mo: Browser
    let path: String
  }

  /// Appointing moderators stands in the log, too.
  private static let decided = "SELECT count(*) FROM staff_log WHERE action <> 'role'"

  /// A reported post, its author, who reported it, and a moderator.
  private func scene() throws -> Scene {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let post = try ann.writeWithPicture("Win coins today")
    let sam = try house.members("sam")[0]
    #expect(sam.report(post).status == 303)
    let mo = try house.moderator()
    return Scene(
      house: house, post: post, ann: ann, sam: sam, mo: mo, path: try house.onlyCase(mo))
  }

  @Test("A dismissed report leaves the post, and tells its reporter")
  func dismissed() throws {
    let scene = try scene()
    #expect(scene.sam.get("/settings/reports").shows("Waiting for a moderator"))
    #expect(scene.mo.decide(scene.path, "dismiss", note: "").location == "/admin/reports")
    #expect(scene.sam.get(scene.post).status == 200)
    #expect(scene.sam.get("/settings/reports").shows("nothing was wrong with it"))
    #expect(scene.mo.get("/admin/reports").cases == [])
    #expect(!scene.ann.get("/settings/decisions").shows("data-testid=\"decision\""))
  }

  @Test("Hidden, a post is its couple's alone under new addresses of its pictures")
  func hidden() throws {
    let scene = try scene()
    let picture = try #require(scene.ann.get(scene.post).pictures.first { $0.contains("/posts/") })
    #expect(scene.mo.decide(scene.path, "hide").status == 303)
    #expect(scene.sam.get(scene.post).status == 404)
    #expect(scene.ann.get(scene.post).status == 200)
    #expect(scene.ann.get(picture).status == 404)
    #expect(scene.ann.get("/settings/decisions").shows("Because of the rules"))
    // Moderators still see what they decided of.
    let shown = scene.mo.get(scene.path)
    #expect(shown.shows("Win coins today"))
    let veiled = try #require(shown.pictures.first { $0.contains("medium_") })
    #expect(scene.mo.get(veiled).status == 200)
    #expect(scene.sam.get(veiled).status == 404)
  }

  @Test("Removed, it is gone for all; deciding anew brings it back, and the log keeps both")
  func removed() throws {
    let scene = try scene()
    #expect(scene.mo.decide(scene.path, "remove").status == 303)
    #expect(scene.ann.get(scene.post).status == 404)
    #expect(scene.ann.get("/settings/decisions").shows("A post was removed"))
    #expect(scene.mo.decide(scene.path, "dismiss", note: "").status == 422)
    #expect(scene.mo.decide(scene.path, "dismiss", note: "I was wrong").status == 303)
    #expect(scene.sam.get(scene.post).status == 200)
    let actions = try scene.house.database.read {
      try $0.rows(
        "SELECT action, details, note FROM staff_log WHERE action <> 'role' ORDER BY number"
      ) {
        [$0.text(0), $0.text(1), $0.text(2)]
      }
    }
    #expect(
      actions == [
        ["remove", "", "Because of the rules"],
        ["dismiss", "before: remove", "I was wrong"],
      ])
  }

  @Test("A warning leaves the post and tells the author")
  func warned() throws {
    let scene = try scene()
    #expect(scene.mo.decide(scene.path, "warn").status == 303)
    #expect(scene.sam.get(scene.post).status == 200)
    #expect(scene.ann.get("/settings/decisions").shows("A warning about a post"))
    #expect(scene.sam.get("/settings/reports").shows("something was done about it"))
  }

  @Test("Two at once can't decide twice: the second is told by whom and how")
  func twoAtOnce() throws {
    let scene = try scene()
    let bo = try scene.house.moderator("bo")
    let version = try #require(bo.get(scene.path).value(of: "version"))
    #expect(scene.mo.decide(scene.path, "hide").status == 303)
    let second = bo.decide(scene.path, "remove", version: version)
    #expect(second.status == 409)
    #expect(second.shows("Mo was faster: “Hide”"))
    #expect(try scene.house.count(Self.decided) == 1)
    #expect(scene.ann.get(scene.post).status == 200)
  }

  @Test("In a crowd of moderators one decides, many times over")
  func crowd() async throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let sam = try house.members("sam")[0]
    let staff = try ["mo", "bo"].map { try house.moderator($0) }
    for round in 1...24 {
      sam.report(try ann.writeWithPicture("Post \(round)"))
      let path = try house.onlyCase(staff[0])
      let version = try #require(staff[0].get(path).value(of: "version"))
      staff[1].get(path)
      let decisions = [["hide", "remove"], ["dismiss", "warn"], ["remove", "dismiss"]][round % 3]
      let answers = await withTaskGroup(of: Answer.self) { group in
        for (browser, decision) in zip(staff, decisions) {
          nonisolated(unsafe) let browser = browser
          group.addTask { browser.decide(path, decision, version: version) }
        }
        return await group.reduce(into: [Answer]()) { $0.append($1) }
      }
      #expect(answers.map(\.status).sorted() == [303, 409])
      let second = try #require(answers.first { $0.status == 409 })
      #expect(second.text.contains(/(Mo|Bo) was faster: “(Hide|Remove|Dismiss|Warn)”/))
      #expect(try house.count(Self.decided) == round)
      #expect(try house.count("SELECT count(*) FROM decisions") == round)
    }
    let files = try house.mediaFiles().filter { $0.contains("/posts/") }.count
    let pictures = try house.count("SELECT count(*) FROM post_images")
    // Each picture has three sizes, and nothing of a decision that came second is left.
    #expect(files == pictures * 3)
  }

  @Test("One appeal comes back to the queue, and a second one is refused")
  func appeal() throws {
    let scene = try scene()
    scene.mo.decide(scene.path, "hide")
    let appeal = try #require(
      scene.ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(scene.ann.post(appeal, ["words": ""]).status == 422)
    #expect(scene.sam.post(appeal, ["words": "Me too"]).status == 404)
    #expect(scene.ann.post(appeal, ["words": "It is a joke"]).status == 303)
    #expect(scene.ann.post(appeal, ["words": "Again"]).status == 409)
    #expect(try scene.house.onlyCase(scene.mo, state: "appealed") == scene.path)
    #expect(scene.mo.get(scene.path).shows("It is a joke"))
    #expect(scene.mo.decide(scene.path, "dismiss", note: "True").status == 303)
    #expect(scene.sam.get(scene.post).status == 200)
    scene.mo.decide(scene.path, "hide", note: "No, after all")
    #expect(scene.ann.post(appeal, ["words": "Third"]).status == 409)
  }

  @Test("Nobody but moderators sees the queue, and a case is nobody else's")
  func closed() throws {
    let scene = try scene()
    for browser in [scene.ann, scene.sam] {
      for path in ["/admin/reports", scene.path] { #expect(browser.get(path).status == 404) }
      #expect(browser.post(scene.path, ["decision": "hide", "version": "1"]).status == 404)
    }
    for path in ["/admin/users", "/admin/couples", "/admin/log"] {
      #expect(scene.mo.get(path).status == 404)
    }
  }

  @Test("Narrowed to the two, a reported post is shown to no moderator")
  func narrowed() throws {
    let scene = try scene()
    scene.ann.post("\(scene.post)/edit", ["content": "Win coins today", "visibility": "couple"])
    let shown = scene.mo.get(scene.path)
    #expect(!shown.shows("Win coins today"))
    #expect(shown.shows("There is nothing to see"))
    #expect(scene.mo.decide(scene.path, "dismiss", note: "").status == 303)
  }

  @Test("The log can be added to and nothing else")
  func log() throws {
    let scene = try scene()
    scene.mo.decide(scene.path, "hide")
    for change in ["UPDATE staff_log SET note = ''", "DELETE FROM staff_log"] {
      #expect(throws: (any Error).self) {
        try scene.house.database.write { try $0.execute(change) }
      }
    }
    #expect(try scene.house.count("SELECT count(*) FROM staff_log WHERE note <> ''") == 1)
  }
}
