import Foundation
import Testing

@testable import App

@Suite("Posts that a viewer has reported are folded")
struct ReportedPostTests {
  private static let line = "You reported this post."

  /// A post of Ann and a later one of Ben, and two other members.
  private func scenario() throws -> ReportScenario {
    let scenario = try ReportScenario()
    scenario.instance.clock.advance(seconds: 1)
    try scenario.instance.signedIn("ben").write("A walk by the lake")
    return scenario
  }

  @Test("Only the reporter's feed folds it, keeps the order, and offers to take the report back")
  func folded() throws {
    let scenario = try self.scenario()
    let (sam, post) = (scenario.sam, scenario.post)
    #expect(!sam.get("/").shows(Self.line))
    sam.report(post)
    for path in ["/", "/?scope=everyone"] {
      let page = sam.get(path)
      #expect(page.text.matches(of: /data-testid="reported"/).count == 1)
      #expect(page.shows("Show post") && page.shows("Win coins today"))
      let parts = page.text.components(separatedBy: Self.line)
      #expect(parts.count == 2 && parts[0].contains("A walk by the lake"))
    }
    for other in [scenario.ann, scenario.tia] { #expect(!other.get("/").shows(Self.line)) }
    let undo = try #require(sam.get("/").undo)
    #expect(sam.post(undo, ["next": "/"]).location == "/")
    #expect(!sam.get("/").shows(Self.line))
  }

  @Test("Neighbours are folded into one line that has each of them; others are not")
  func neighbours() throws {
    let scenario = try ReportScenario()
    let (instance, sam) = (scenario.instance, scenario.sam)
    let ben = try instance.signedIn("ben")
    var posts = [scenario.post]
    for words in ["A walk by the lake", "A ride to the sea"] {
      instance.clock.advance(seconds: 1)
      posts.append(try ben.write(words))
    }
    for apart in [posts[0], posts[2]] { sam.report(apart) }
    #expect(!sam.get("/").shows("hidden posts"))
    #expect(sam.get("/").text.matches(of: /data-testid="reported"/).count == 2)
    sam.report(posts[1])
    let page = sam.get("/")
    #expect(page.shows("3 hidden posts"))
    #expect(page.text.matches(of: /data-testid="reported"/).count == 3)
    for words in ["Win coins today", "A walk by the lake", "A ride to the sea"] {
      #expect(page.shows(words), "\(words)")
    }
    let undo = try #require(page.undo)
    #expect(sam.post(undo, ["next": "/"]).location == "/")
    #expect(sam.get("/").shows("2 hidden posts"))
  }

  @Test("It is folded on its own page, on the profile and in the search, for the reporter alone")
  func elsewhere() throws {
    let scenario = try self.scenario()
    let (sam, tia, post) = (scenario.sam, scenario.tia, scenario.post)
    let couple = String(
      try #require(tia.get("/").text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)?.output))
    sam.report(post)
    for path in [post, couple, "/search?q=coins"] {
      let page = sam.get(path)
      #expect(page.text.matches(of: /data-testid="reported"/).count == 1, "\(path)")
      #expect(page.shows("Win coins today") && page.values(of: "next").contains(path), "\(path)")
      #expect(!tia.get(path).shows(Self.line), "\(path)")
      #expect(!scenario.instance.browser().get(path).shows(Self.line), "\(path)")
    }
    let failed = sam.post("\(post)/comments", ["content": ""])
    #expect(failed.status == 422 && failed.values(of: "next").contains(post))
    let undo = try #require(sam.get(post).undo)
    #expect(sam.post(undo, ["next": post]).location == post)
    #expect(!sam.get(post).shows(Self.line))
  }

  @Test("It can be shown for as long as it waits, taken back for ten minutes only")
  func later() throws {
    let scenario = try self.scenario()
    let (instance, sam) = (scenario.instance, scenario.sam)
    sam.report(scenario.post)
    // Shows the toast, which has an undo of its own.
    _ = sam.get("/")
    instance.clock.advance(seconds: 600)
    let page = sam.get("/")
    #expect(page.shows(Self.line) && page.undo == nil)
    let mo = try instance.moderator()
    mo.decide(try instance.onlyCase(mo), "dismiss", note: "")
    #expect(!sam.get("/").shows(Self.line) && sam.get("/").shows("Win coins today"))
  }

  @Test("Reports of its comments and of its couple fold no post")
  func others() throws {
    let scenario = try self.scenario()
    let comment = try scenario.ann.comment("Buy my coins", on: scenario.post)
    #expect(scenario.sam.report("/comments/\(comment)").status == 303)
    let couple = try #require(
      scenario.ann.get("/").text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)?.output)
    #expect(scenario.sam.report(String(couple)).status == 303)
    #expect(!scenario.sam.get("/").shows(Self.line))
  }
}
