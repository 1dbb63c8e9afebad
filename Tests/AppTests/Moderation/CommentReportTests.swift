import Core
import Testing

@testable import App

@Suite("Reports of comments, and decisions about them")
struct CommentReportTests {
  /// A post of Ann with a comment of Sam, and three others.
  private struct Scenario {
    let instance: TestInstance
    let ann, sam: TestClient
    let others: [TestClient]
    let post: String
    let comment: String

    init() throws {
      instance = try TestInstance()
      try instance.couple()
      ann = try instance.signedIn("ann")
      sam = try instance.members("sam")[0]
      others = try instance.members("tia", "uwe", "vic")
      post = try ann.write("Words")
      comment = "/comments/" + (try sam.comment("Buy my coins", on: post))
    }
  }

  @Test("The form shows the comment and leads back to its post")
  func form() throws {
    let scenario = try Scenario()
    let tia = scenario.others[0]
    #expect(tia.get(scenario.post).shows("\(scenario.comment)/report"))
    #expect(!scenario.sam.get(scenario.post).shows("\(scenario.comment)/report"))
    let form = tia.get("\(scenario.comment)/report")
    #expect(form.shows("Buy my coins") && form.shows("href=\"\(scenario.post)\""))
    #expect(scenario.sam.report(scenario.comment).status == 422)
    #expect(tia.report(scenario.comment).location == scenario.post)
    #expect(tia.report(scenario.comment).status == 409)
    #expect(tia.get("/settings/reports").shows("Comment · Spam"))
    #expect(
      scenario.others[1].call(.post, "\(scenario.comment)/report", #"{"reason":"spam"}"#).status
        == 201)
  }

  @Test("Three reporters hide a comment from all but its author, until a moderator shows it again")
  func threshold() throws {
    let scenario = try Scenario()
    let moderator = try scenario.instance.moderator()
    for reporter in scenario.others { #expect(reporter.report(scenario.comment).status == 303) }
    for reader in scenario.others + [scenario.ann, scenario.instance.browser()] {
      #expect(reader.comments(on: scenario.post) == [])
    }
    #expect(scenario.sam.comments(on: scenario.post) == ["Buy my coins"])
    #expect(scenario.sam.get(scenario.post).shows("Hidden by moderators"))
    #expect(scenario.ann.notices() == [])
    #expect(
      scenario.sam.get("/settings/decisions").shows("Several people reported a comment"))
    #expect(try scenario.instance.count("SELECT comment_count FROM posts") == 0)

    let found = try scenario.instance.onlyCase(moderator)
    #expect(
      moderator.get(found).shows("Buy my coins") && moderator.get(found).shows("Comment: Sam"))
    #expect(moderator.decide(found, "dismiss", note: "").status == 303)
    #expect(scenario.ann.comments(on: scenario.post) == ["Buy my coins"])
    #expect(try scenario.instance.count("SELECT comment_count FROM posts") == 1)
  }

  @Test("A removed comment is gone for its author too, who can appeal; the post stays")
  func removed() throws {
    let scenario = try Scenario()
    let moderator = try scenario.instance.moderator()
    scenario.others[0].report(scenario.comment)
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.decide(found, "remove").status == 303)
    for reader in [scenario.sam, scenario.ann, scenario.others[0]] {
      #expect(reader.get(scenario.post).status == 200)
      #expect(reader.comments(on: scenario.post) == [])
    }
    #expect(scenario.sam.post("\(scenario.comment)/restore").status == 404)
    let decisions = scenario.sam.get("/settings/decisions")
    #expect(decisions.shows("Comment removed") && decisions.shows("Buy my coins"))
    let appeal = try #require(
      decisions.text.firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/)?.output.1)
    #expect(scenario.sam.post(String(appeal), ["words": "It was a joke"]).status == 303)
    #expect(moderator.decide(found, "dismiss", note: "Right").status == 303)
    #expect(scenario.ann.comments(on: scenario.post) == ["Buy my coins"])
  }

  @Test("An author who deletes a comment first cannot undo a moderator's removal")
  func deletedFirst() throws {
    let scenario = try Scenario()
    let moderator = try scenario.instance.moderator()
    scenario.others[0].report(scenario.comment)
    let found = try scenario.instance.onlyCase(moderator)
    #expect(scenario.sam.post("\(scenario.comment)/delete").status == 303)
    #expect(moderator.decide(found, "remove").status == 303)
    #expect(scenario.sam.post("\(scenario.comment)/restore").status == 404)
    #expect(moderator.decide(found, "dismiss", note: "Fine").status == 303)
    #expect(scenario.ann.comments(on: scenario.post) == [])
    #expect(scenario.sam.post("\(scenario.comment)/restore").status == 303)
    #expect(scenario.ann.comments(on: scenario.post) == ["Buy my coins"])
  }

  @Test("Suspending hides the comment; moderators see none that its author deleted")
  func suspended() throws {
    let scenario = try Scenario()
    let moderator = try scenario.instance.moderator(as: .admin)
    scenario.others[0].report(scenario.comment)
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.decide(found, "suspend", until: "7").status == 303)
    #expect(scenario.ann.comments(on: scenario.post) == [])
    #expect(scenario.sam.post("\(scenario.post)/comments", ["content": "Again"]).status == 403)
    #expect(scenario.sam.post("\(scenario.comment)/delete").status == 303)
    #expect(!moderator.get(found).shows("Buy my coins"))
    #expect(moderator.get("/admin/log").shows("Comment"))
  }

  @Test("Moderators see no comments of a post that has become visible to its couple only")
  func narrowed() throws {
    let scenario = try Scenario()
    let moderator = try scenario.instance.moderator()
    scenario.others[0].report(scenario.comment)
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.get(found).shows("Buy my coins"))
    scenario.ann.post("\(scenario.post)/edit", ["content": "Words", "visibility": "couple"])
    #expect(!moderator.get(found).shows("Buy my coins"))
    #expect(scenario.ann.comments(on: scenario.post) == ["Buy my coins"])
  }
}
