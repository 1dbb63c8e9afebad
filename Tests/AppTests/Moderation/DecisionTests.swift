import Core
import Database
import Foundation
import Testing
import Web

@testable import App

@Suite("Moderators decide, once each, and the author gets the reason")
struct DecisionTests {
  private struct Scenario {
    let instance: TestInstance
    let post: String
    let ann: TestClient
    let sam: TestClient
    let mo: TestClient
    let path: String
  }

  /// Role changes are in the log, too.
  private static let decided: Query = "SELECT count(*) FROM staff_log WHERE action <> 'role'"

  /// A reported post, its author, the reporter, and a moderator.
  private func scenario() throws -> Scenario {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Win coins today")
    let sam = try instance.members("sam")[0]
    #expect(sam.report(post).status == 303)
    let mo = try instance.moderator()
    return Scenario(
      instance: instance, post: post, ann: ann, sam: sam, mo: mo, path: try instance.onlyCase(mo))
  }

  @Test("A dismissed report keeps the post, and notifies its reporter")
  func dismissed() throws {
    let scenario = try scenario()
    #expect(scenario.sam.get("/settings/reports").shows("Waiting for a moderator"))
    #expect(scenario.mo.decide(scenario.path, "dismiss", note: "").location == "/admin/reports")
    #expect(scenario.sam.get(scenario.post).status == 200)
    #expect(scenario.sam.get("/settings/reports").shows("no rules were broken"))
    #expect(scenario.mo.get("/admin/reports").cases == [])
    #expect(!scenario.ann.get("/settings/decisions").shows("data-testid=\"decision\""))
  }

  @Test("Hidden, a post is its couple's alone under new addresses of its pictures")
  func hidden() throws {
    let scenario = try scenario()
    let picture = try #require(
      scenario.ann.get(scenario.post).pictures.first { $0.contains("/posts/") })
    #expect(scenario.mo.decide(scenario.path, "hide").status == 303)
    #expect(scenario.sam.get(scenario.post).status == 404)
    #expect(scenario.ann.get(scenario.post).status == 200)
    #expect(scenario.ann.get(picture).status == 404)
    #expect(scenario.ann.get("/settings/decisions").shows("Because of the rules"))
    // Moderators still see the items they have decided on.
    let shown = scenario.mo.get(scenario.path)
    #expect(shown.shows("Win coins today"))
    let veiled = try #require(shown.pictures.first { $0.contains("medium_") })
    #expect(scenario.mo.get(veiled).status == 200)
    #expect(scenario.sam.get(veiled).status == 404)
  }

  @Test("Removed, it is gone for all; another decision restores it, and the log keeps both")
  func removed() throws {
    let scenario = try scenario()
    #expect(scenario.mo.decide(scenario.path, "remove").status == 303)
    #expect(scenario.ann.get(scenario.post).status == 404)
    #expect(scenario.ann.get("/settings/decisions").shows("Post removed"))
    #expect(scenario.mo.decide(scenario.path, "dismiss", note: "").status == 422)
    #expect(scenario.mo.decide(scenario.path, "dismiss", note: "I was wrong").status == 303)
    #expect(scenario.sam.get(scenario.post).status == 200)
    let actions = try scenario.instance.database.read {
      try $0.rows(
        "SELECT action, details, note FROM staff_log WHERE action <> 'role' ORDER BY number"
      ) {
        [try $0.next(String.self), try $0.next(String.self), try $0.next(String.self)]
      }
    }
    #expect(
      actions == [
        ["remove", "", "Because of the rules"],
        ["dismiss", "before: remove", "I was wrong"],
      ])
  }

  @Test("The moderator takes a decision back: all is as before, and the log keeps both")
  func undone() throws {
    let scenario = try scenario()
    let (instance, mo) = (scenario.instance, scenario.mo)
    scenario.mo.decide(scenario.path, "suspend", until: "7")
    let toast = mo.get("/admin/reports")
    #expect(toast.shows("Suspended. Ann has been told."))
    let undo = try #require(toast.undo)
    #expect(undo.hasPrefix("\(scenario.path)/decisions/"))
    #expect(scenario.ann.post("/posts", ["content": "Hi"]).status == 403)
    let bo = try instance.moderator("bo")
    #expect(bo.get(scenario.path).undo == nil)
    #expect(bo.post(undo).status == 409)
    #expect(mo.post(undo).location == scenario.path)
    let again = mo.post(undo)
    #expect(again.status == 409 && again.shows("This decision stays"))
    #expect(scenario.sam.get(scenario.post).status == 200)
    _ = try scenario.ann.write("Not suspended")
    for page in ["/settings/decisions", "/notifications"] {
      #expect(!scenario.ann.get(page).shows("uspended"), "\(page)")
    }
    #expect(scenario.sam.get("/settings/reports").shows("Waiting for a moderator"))
    #expect(try instance.onlyCase(mo) == scenario.path)
    let actions = try instance.database.read {
      try $0.values(
        "SELECT action FROM staff_log WHERE action <> 'role' ORDER BY number", as: String.self)
    }
    #expect(actions == ["suspend", "undo"])
    for check in instance.instance.doctorChecks {
      #expect(try check.find(instance.database) == [], "\(check.name)")
    }
  }

  @Test(
    "A second decision is taken back to the first, an appeal waits again, and later is too late")
  func undoneLater() throws {
    let scenario = try scenario()
    let (instance, mo) = (scenario.instance, scenario.mo)
    mo.decide(scenario.path, "hide")
    let first = try #require(mo.get(scenario.path).undo)
    instance.clock.advance(seconds: 60)
    let appeal = try #require(
      scenario.ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    scenario.ann.post(appeal, ["words": "It is a joke"])
    #expect(mo.post(first).status == 409)
    mo.decide(scenario.path, "remove", note: "No")
    #expect(scenario.ann.get(scenario.post).status == 404)
    #expect(mo.post(first).status == 409)
    #expect(mo.post(try #require(mo.get(scenario.path).undo)).status == 303)
    #expect(scenario.ann.get(scenario.post).status == 200)
    #expect(scenario.sam.get(scenario.post).status == 404)
    #expect(try instance.onlyCase(mo, state: "appealed") == scenario.path)
    #expect(scenario.ann.get("/settings/decisions").shows("A moderator will review your appeal."))
    mo.decide(scenario.path, "remove", note: "No")
    let last = try #require(mo.get(scenario.path).undo)
    instance.clock.advance(seconds: 600)
    #expect(mo.post(last).status == 409)
  }

  @Test("A form that is sent twice takes back one decision, and a dismissal says who is told")
  func undoneTwice() throws {
    let scenario = try scenario()
    let mo = scenario.mo
    mo.decide(scenario.path, "dismiss", note: "")
    #expect(mo.get("/admin/reports").shows("Report dismissed"))
    scenario.instance.clock.advance(seconds: 1)
    mo.decide(scenario.path, "hide")
    scenario.instance.clock.advance(seconds: 1)
    mo.decide(scenario.path, "dismiss", note: "Fine")
    let toast = mo.get("/admin/reports")
    #expect(toast.shows("Dismissed. Ann has been told."))
    let undo = try #require(toast.undo)
    #expect(mo.post(undo).status == 303)
    #expect(mo.post(undo).status == 409)
    #expect(scenario.sam.get(scenario.post).status == 404)
    #expect(mo.get(scenario.path).undo != undo)
  }

  @Test("The first case is open beside the queue, with facts about author and reporters")
  func beside() throws {
    let scenario = try scenario()
    let page = scenario.mo.get("/admin/reports?reason=spam")
    #expect(page.shows("Win coins today") && page.shows("name=\"decision\""))
    #expect(page.shows("No earlier decisions · member since today"))
    #expect(page.shows("member since today · no earlier reports"))
    #expect(page.shows("action=\"\(scenario.path)?reason=spam\""))
    #expect(page.shows("data-act=\"Remove the post\""))
    #expect(page.shows("data-testid=\"rail-waiting\">1<"))
    let query = "\(scenario.path)?reason=spam"
    let version = try #require(page.value(of: "version"))
    let answer = scenario.mo.post(
      query, ["version": version, "decision": "remove", "note": "", "reply": "spam"])
    #expect(answer.location == "/admin/reports?state=open&reason=spam")
    #expect(scenario.ann.get("/settings/decisions").shows("This is advertising or spam"))
    #expect(
      scenario.ann.get("/notifications").shows("Your post “Win coins today” was removed (spam)."))
  }

  @Test("A warning keeps the post and notifies the author")
  func warned() throws {
    let scenario = try scenario()
    #expect(scenario.mo.decide(scenario.path, "warn").status == 303)
    #expect(scenario.sam.get(scenario.post).status == 200)
    #expect(scenario.ann.get("/settings/decisions").shows("Warning about a post"))
    #expect(scenario.sam.get("/settings/reports").shows("we took action"))
  }

  @Test("Two concurrent decisions are one: the second moderator sees name and decision")
  func twoAtOnce() throws {
    let scenario = try scenario()
    let bo = try scenario.instance.moderator("bo")
    let version = try #require(bo.get(scenario.path).value(of: "version"))
    #expect(scenario.mo.decide(scenario.path, "hide").status == 303)
    let second = bo.decide(scenario.path, "remove", version: version)
    #expect(second.status == 409)
    #expect(second.shows("Mo already decided “Hide”"))
    #expect(try scenario.instance.count(Self.decided) == 1)
    #expect(scenario.ann.get(scenario.post).status == 200)
  }

  @Test("In a crowd of moderators one decides, many times over")
  func crowd() async throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let sam = try instance.members("sam")[0]
    let staff = try ["mo", "bo"].map { try instance.moderator($0) }
    for round in 1...24 {
      sam.report(try ann.writeWithPicture("Post \(round)"))
      let path = try instance.onlyCase(staff[0])
      let version = try #require(staff[0].get(path).value(of: "version"))
      staff[1].get(path)
      let decisions = [["hide", "remove"], ["dismiss", "warn"], ["remove", "dismiss"]][round % 3]
      let answers = await withTaskGroup(of: TestResponse.self) { group in
        for (browser, decision) in zip(staff, decisions) {
          nonisolated(unsafe) let browser = browser
          group.addTask { browser.decide(path, decision, version: version) }
        }
        return await group.reduce(into: [TestResponse]()) { $0.append($1) }
      }
      #expect(answers.map(\.status).sorted() == [303, 409])
      let second = try #require(answers.first { $0.status == 409 })
      #expect(second.text.contains(/(Mo|Bo) already decided “(Hide|Remove|Dismiss|Warn)”/))
      #expect(try instance.count(Self.decided) == round)
      #expect(try instance.count("SELECT count(*) FROM decisions") == round)
    }
    let files = try instance.mediaFiles().filter { $0.contains("/posts/") }.count
    let pictures = try instance.count("SELECT count(*) FROM post_images")
    // Each picture has three sizes, and the losing decision has left no files.
    #expect(files == pictures * 3)
  }

  @Test("One appeal comes back to the queue, and a second one is refused")
  func appeal() throws {
    let scenario = try scenario()
    scenario.mo.decide(scenario.path, "hide")
    let appeal = try #require(
      scenario.ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(scenario.ann.post(appeal, ["words": ""]).status == 422)
    #expect(scenario.sam.post(appeal, ["words": "Me too"]).status == 404)
    #expect(scenario.ann.post(appeal, ["words": "It is a joke"]).status == 303)
    #expect(scenario.ann.post(appeal, ["words": "Again"]).status == 409)
    #expect(try scenario.instance.onlyCase(scenario.mo, state: "appealed") == scenario.path)
    #expect(scenario.mo.get(scenario.path).shows("It is a joke"))
    #expect(scenario.mo.decide(scenario.path, "dismiss", note: "True").status == 303)
    #expect(scenario.sam.get(scenario.post).status == 200)
    scenario.mo.decide(scenario.path, "hide", note: "No, after all")
    #expect(scenario.ann.post(appeal, ["words": "Third"]).status == 409)
  }

  @Test("Only moderators see the queue and its cases")
  func closed() throws {
    let scenario = try scenario()
    for browser in [scenario.ann, scenario.sam] {
      for path in ["/admin/reports", scenario.path] { #expect(browser.get(path).status == 404) }
      #expect(browser.post(scenario.path, ["decision": "hide", "version": "1"]).status == 404)
    }
    for path in ["/admin/users", "/admin/couples", "/admin/log"] {
      #expect(scenario.mo.get(path).status == 404)
    }
  }

  @Test("Narrowed to the two, a reported post is shown to no moderator")
  func narrowed() throws {
    let scenario = try scenario()
    scenario.ann.post(
      "\(scenario.post)/edit", ["content": "Win coins today", "visibility": "couple"])
    let shown = scenario.mo.get(scenario.path)
    #expect(!shown.shows("Win coins today"))
    #expect(shown.shows("Nothing to show"))
    #expect(scenario.mo.decide(scenario.path, "dismiss", note: "").status == 303)
  }

  @Test("The log can be added to and nothing else")
  func log() throws {
    let scenario = try scenario()
    scenario.mo.decide(scenario.path, "hide")
    for change in ["UPDATE staff_log SET note = ''", "DELETE FROM staff_log"] as [Query] {
      #expect(throws: (any Error).self) {
        try scenario.instance.database.write { try $0.execute(change) }
      }
    }
    #expect(try scenario.instance.count("SELECT count(*) FROM staff_log WHERE note <> ''") == 1)
  }
}
