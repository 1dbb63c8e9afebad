import Core
import Database
import Foundation
import Testing

@testable import App

extension TestClient {
  /// Comments on a post; returns the identifier of the comment.
  @discardableResult
  func comment(_ content: String, on post: String) throws -> String {
    let answer = self.post("\(post)/comments", ["content": content])
    try #require(answer.status == 303, "\(answer.text)")
    let location = try #require(answer.location)
    try #require(location.hasPrefix("\(post)#comment-"))
    return String(location.suffix(36))
  }

  /// The texts of the comments on the page of a post, in order.
  func comments(on post: String) -> [String] {
    get(post).text.matches(of: /data-testid="comment-text"><p[^>]*>([^<]*)</)
      .map { String($0.output.1) }
  }
}

@Suite("Comments on posts")
struct CommentTests {
  /// Ann and Ben, a couple, with a post of Ann, and Sam and Tia.
  private struct Scenario {
    let instance: TestInstance
    let ann, ben, sam, tia: TestClient
    let post: String

    init(limits: Bool = false) throws {
      instance = try TestInstance(limits: limits)
      try instance.couple()
      for name in ["sam", "tia"] { try instance.alone(name) }
      ann = try instance.signedIn("ann")
      ben = try instance.signedIn("ben")
      sam = try instance.signedIn("sam")
      tia = try instance.signedIn("tia")
      post = try ann.write("Words")
    }

    var count: Int { get throws { try instance.count("SELECT comment_count FROM posts") } }
  }

  @Test("Comments stand below the post, the oldest first, and are counted on its card")
  func order() throws {
    let scenario = try Scenario()
    try scenario.sam.comment("First", on: scenario.post)
    scenario.instance.clock.advance(seconds: 1)
    try scenario.ann.comment("Second <b>& last</b>", on: scenario.post)
    for reader in [scenario.tia, scenario.instance.browser()] {
      #expect(
        reader.comments(on: scenario.post)
          == ["First", "Second &lt;b&gt;&amp; last&lt;/b&gt;"])
    }
    let card = scenario.tia.get("/")
    #expect(card.shows("data-testid=\"comment-count\">2<"))
    #expect(card.shows("href=\"\(scenario.post)#comments\""))
  }

  @Test("An empty text and more than 500 characters are refused, and the text is kept")
  func invalid() throws {
    let scenario = try Scenario()
    let path = "\(scenario.post)/comments"
    let empty = scenario.sam.post(path, ["content": "  \n "])
    #expect(empty.status == 422 && empty.shows("Write something first."))
    let long = String(repeating: "a", count: 501)
    let answer = scenario.sam.post(path, ["content": long])
    #expect(answer.status == 422 && answer.shows("That’s 1 too many"))
    #expect(answer.shows(">\(long)</textarea>"))
    #expect(scenario.sam.post(path, ["content": String(long.dropLast())]).status == 303)
    #expect(try scenario.count == 1)
  }

  @Test("The same text sent twice within a minute is one comment")
  func twice() throws {
    let scenario = try Scenario()
    let first = try scenario.sam.comment("Once", on: scenario.post)
    #expect(try scenario.sam.comment("Once", on: scenario.post) == first)
    try scenario.tia.comment("Once", on: scenario.post)
    scenario.instance.clock.advance(seconds: 61)
    try scenario.sam.comment("Once", on: scenario.post)
    #expect(try scenario.count == 3)
  }

  @Test("60 comments in 10 minutes are the most; the text of the next one is kept")
  func limit() throws {
    let scenario = try Scenario(limits: true)
    for number in 1...60 { try scenario.sam.comment("Number \(number)", on: scenario.post) }
    let answer = scenario.sam.post("\(scenario.post)/comments", ["content": "Too much"])
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(answer.shows(">Too much</textarea>") && answer.shows("many comments"))
    #expect(try scenario.count == 60)
  }

  @Test("Only those who see a post may comment on it or see its comments")
  func visibility() throws {
    let scenario = try Scenario()
    let secret = try scenario.ann.write("Ours", visibility: "couple")
    let comment = try scenario.ben.comment("Yes", on: secret)
    #expect(scenario.ann.comments(on: secret) == ["Yes"])
    #expect(scenario.sam.post("\(secret)/comments", ["content": "x"]).status == 404)
    #expect(scenario.sam.call(.get, "\(secret)/comments").status == 404)
    #expect(scenario.sam.call(.delete, "/comments/\(comment)").status == 404)
    #expect(scenario.sam.report("/comments/\(comment)").status == 404)
    #expect(scenario.ann.report("/comments/\(comment)").status == 422)
  }

  @Test("A comment is shown to no more people than its post was when it was written")
  func widened() throws {
    let scenario = try Scenario()
    let secret = try scenario.ann.write("Ours", visibility: "couple")
    try scenario.ben.comment("Between us", on: secret)
    scenario.instance.clock.advance(seconds: 1)
    #expect(
      scenario.ann.post("\(secret)/edit", ["content": "Ours", "visibility": "public"]).status == 303
    )
    try scenario.sam.comment("For all", on: secret)
    for reader in [scenario.ann, scenario.ben] {
      #expect(reader.comments(on: secret) == ["Between us", "For all"])
    }
    for reader in [scenario.sam, scenario.tia, scenario.instance.browser()] {
      #expect(reader.comments(on: secret) == ["For all"])
    }
  }

  @Test("A couple that is blocked by the post's, or hidden by moderators, has no comments there")
  func apart() throws {
    let scenario = try Scenario()
    let instance = scenario.instance
    let couple = try #require(try instance.couple("Kim & Lee", "kim", "lee").first?.couple)
    let kim = try instance.signedIn("kim")
    try kim.comment("Rude", on: scenario.post)
    #expect(scenario.tia.comments(on: scenario.post) == ["Rude"])
    scenario.ann.post("/couples/\(couple.id)/block")
    #expect(scenario.tia.comments(on: scenario.post) == [])
    let other = try scenario.tia.write("Another")
    try instance.database.write {
      try $0.execute("UPDATE couples SET hidden_at = 1 WHERE id = \(couple.id)")
    }
    #expect(kim.post("\(other)/comments", ["content": "Hidden"]).status == 403)
    #expect(scenario.tia.notices().isEmpty)
  }

  @Test("Guests, visitors and suspended users cannot comment")
  func refused() throws {
    let scenario = try Scenario()
    let path = "\(scenario.post)/comments"
    let visitor = scenario.instance.browser()
    #expect(visitor.get(scenario.post).shows("Sign in to comment"))
    #expect(visitor.post(path, ["content": "x"]).status == 303)
    let guest = try scenario.instance.guest("Gia")
    let page = guest.get(scenario.post)
    #expect(!page.shows("Add a comment") && page.shows("Become a member to comment"))
    #expect(page.shows("href=\"/become-a-member?next=\(scenario.post)\""))
    #expect(guest.post(path, ["content": "x"]).status == 303)
    try scenario.instance.database.write {
      try $0.execute(
        "UPDATE users SET suspended_until = \(scenario.instance.clock.now().adding(seconds: 900)) WHERE display_name = 'Sam'"
      )
    }
    #expect(scenario.sam.post(path, ["content": "x"]).status == 403)
    #expect(try scenario.count == 0)
  }

  @Test("Comments of blocked and deleted users are left out, and come back")
  func leftOut() throws {
    let scenario = try Scenario()
    let instance = scenario.instance
    let kim = try #require(try instance.couple("Kim & Lee", "kim", "lee").first?.couple)
    try instance.signedIn("kim").comment("Theirs", on: scenario.post)
    instance.clock.advance(seconds: 1)
    try scenario.sam.comment("Mine", on: scenario.post)
    #expect(scenario.tia.comments(on: scenario.post) == ["Theirs", "Mine"])
    let other = try scenario.tia.write("Another")
    try scenario.sam.comment("Hello", on: other)
    scenario.tia.post("/couples/\(kim.id)/block")
    #expect(scenario.tia.comments(on: scenario.post) == ["Mine"])
    #expect(scenario.ann.comments(on: scenario.post) == ["Theirs", "Mine"])
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET deleted_at = \(instance.clock.now()) WHERE display_name = 'Sam'")
    }
    #expect(scenario.ann.comments(on: scenario.post) == ["Theirs"])
    #expect(scenario.tia.comments(on: other) == [])
  }

  @Test("Authors delete their comments, and the post's couple deletes any; each can undo its own")
  func deletion() throws {
    let scenario = try Scenario()
    let (post, sam, ben) = (scenario.post, scenario.sam, scenario.ben)
    let first = try sam.comment("First", on: post)
    scenario.instance.clock.advance(seconds: 1)
    let second = try sam.comment("Second", on: post)
    #expect(!scenario.tia.get(post).shows("/comments/\(first)/delete"))
    #expect(scenario.tia.post("/comments/\(first)/delete").status == 404)

    let answer = sam.post("/comments/\(first)/delete")
    let page = sam.get(try #require(answer.location?.split(separator: "#").first.map(String.init)))
    #expect(page.shows("Comment deleted.") && page.shows("/comments/\(first)/restore"))
    #expect(sam.comments(on: post) == ["Second"])
    #expect(ben.post("/comments/\(first)/restore").status == 404)
    #expect(sam.post("/comments/\(first)/restore").location == "\(post)#comment-\(first)")
    #expect(sam.comments(on: post) == ["First", "Second"])

    #expect(ben.get(post).shows("/comments/\(second)/delete"))
    #expect(ben.post("/comments/\(second)/delete").status == 303)
    #expect(sam.comments(on: post) == ["First"])
    #expect(sam.post("/comments/\(second)/restore").status == 404)
    #expect(ben.post("/comments/\(second)/restore").status == 303)
    #expect(try scenario.count == 2)
    scenario.instance.clock.advance(seconds: 86_400)
    #expect(sam.post("/comments/\(first)/delete").status == 303)
    scenario.instance.clock.advance(seconds: 31 * 86_400)
    #expect(try scenario.instance.signedIn("sam").post("/comments/\(first)/restore").status == 404)
  }

  @Test("Deleted comments are removed for good after 30 days")
  func purge() throws {
    let scenario = try Scenario()
    let comment = try scenario.sam.comment("Gone", on: scenario.post)
    try scenario.sam.comment("Here", on: scenario.post)
    scenario.sam.post("/comments/\(comment)/delete")
    scenario.instance.clock.advance(seconds: 29 * 86_400)
    try scenario.instance.work()
    #expect(try scenario.instance.count("SELECT count(*) FROM comments") == 2)
    scenario.instance.clock.advance(seconds: 2 * 86_400)
    try scenario.instance.work()
    #expect(try scenario.instance.count("SELECT count(*) FROM comments") == 1)
    #expect(try scenario.count == 1)
  }

  @Test("A long list has pages, without repeats, on the page and in the API")
  func pages() throws {
    let scenario = try Scenario()
    for number in 1...53 {
      try scenario.sam.comment("Number \(number)", on: scenario.post)
      scenario.instance.clock.advance(seconds: 20)
    }
    let latest = scenario.tia.get(scenario.post)
    let earlier = try #require(
      latest.text.firstMatch(of: /href="([^"]+)#comments" rel="next"/)?.output.1)
    let expected = (1...53).map { "Number \($0)" }
    #expect(scenario.tia.comments(on: scenario.post) == Array(expected.suffix(50)))
    #expect(scenario.tia.comments(on: String(earlier)) == Array(expected.prefix(3)))
    #expect(scenario.tia.get(String(earlier)).shows("Latest comments"))

    let path = "\(scenario.post)/comments?limit=30"
    let first = scenario.tia.call(.get, path)
    let cursor = try #require(first.json["next_cursor"] as? String)
    let second = scenario.tia.call(.get, "\(path)&cursor=\(cursor)")
    let texts = [first, second].flatMap { $0.list("comments") }.map { $0["content"] as? String }
    #expect(texts == expected.reversed())
  }

  @Test("Apps list, write and delete comments")
  func api() throws {
    let scenario = try Scenario()
    let path = "\(scenario.post)/comments"
    let made = scenario.sam.call(.post, path, #"{"content":" Hello "}"#)
    #expect(made.status == 201 && made.json["content"] as? String == "Hello")
    #expect((made.json["author"] as? [String: Any])?["display_name"] as? String == "Sam")
    #expect(scenario.sam.call(.post, path, #"{"content":""}"#).status == 422)
    #expect(scenario.ann.call(.get, scenario.post).json["comment_count"] as? Int == 1)
    #expect(scenario.instance.browser().call(.get, path).list("comments").count == 1)
    let id = try #require(made.json["id"] as? String)
    #expect(scenario.tia.call(.delete, "/comments/\(id)").status == 404)
    #expect(scenario.ann.call(.delete, "/comments/\(id)").status == 204)
    #expect(scenario.ann.call(.get, path).list("comments").isEmpty)
  }

  @Test(
    "An index finds the comments of a page and the latest authors",
    .onSQLite("these are SQLite's plans"))
  func plans() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    try instance.signedIn("ben").comment("Words", on: post)
    ann.get(post)
    let reading = log.all.filter { $0.contains(/FROM comments\b/) && $0.hasPrefix("SELECT") }
    #expect(reading.count > 2)
    for statement in reading {
      let plan = try instance.plan(of: statement)
      #expect(
        plan.contains { $0.contains("comments_by_post") || $0.contains("comments_by_author") },
        "\(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE FOR ORDER") }, "\(plan)")
    }
  }
}
