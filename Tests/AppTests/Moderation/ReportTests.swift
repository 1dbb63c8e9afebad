import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Reports from many users hide an item, and wait for a moderator")
struct ReportTests {
  /// A couple's post, and three unrelated users.
  private func scenario() throws -> (
    TestInstance, post: String, ann: TestClient, others: [TestClient]
  ) {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Win coins today")
    return (instance, post, ann, try instance.members("sam", "tia", "uwe"))
  }

  @Test("Three distinct reporters hide a post from all users but its couple")
  func threshold() throws {
    let (instance, post, ann, others) = try scenario()
    let picture = try #require(ann.get(post).pictures.first { $0.contains("/posts/") })
    for reporter in others.prefix(2) {
      #expect(reporter.report(post).location == post)
      #expect(others[2].get(post).status == 200)
    }
    #expect(others[2].report(post, "harassment").status == 303)
    for reader in others + [instance.browser()] {
      #expect(reader.get(post).status == 404)
      #expect(!reader.get("/").shows("Win coins today"))
      #expect(reader.get(picture).status == 404)
    }
    #expect(ann.get(post).status == 200)
    #expect(try instance.signedIn("ben").get(post).status == 200)
    #expect(ann.get("/settings/decisions").shows("Several people reported a post"))
    #expect(!ann.get("/settings/decisions").names("Sam"))
  }

  @Test("The two of a couple count as one reporter")
  func oneCouple() throws {
    let (instance, post, _, others) = try scenario()
    try instance.couple("Kim & Lee", "kim", "lee")
    for name in ["kim", "lee"] {
      #expect(try instance.signedIn(name).report(post).status == 303)
    }
    let mo = try instance.moderator()
    let path = try instance.onlyCase(mo)
    #expect(mo.get(path).shows("Counted as 1: the two of a couple count once"))
    others[0].report(post)
    #expect(others[2].get(post).status == 200)
    others[1].report(post)
    #expect(others[2].get(post).status == 404)
  }

  @Test("One open report of each user: a second one is refused, and doesn't count")
  func once() throws {
    let (instance, post, _, others) = try scenario()
    #expect(others[0].report(post).status == 303)
    #expect(others[0].report(post).status == 409)
    #expect(others[0].get("\(post)/report").shows("You’ve already reported this"))
    #expect(try instance.count("SELECT count(*) FROM reports") == 1)
  }

  @Test("Guests are sent to become members; one's own and the two's alone can't be reported")
  func refused() throws {
    let (instance, post, ann, _) = try scenario()
    let guest = try instance.guest("Gia")
    #expect(guest.get("\(post)/report").status == 303)
    #expect(instance.browser().get("\(post)/report").status == 303)
    #expect(ann.report(post).status == 422)
    let secret = try ann.write("Ours", visibility: "couple")
    #expect(try instance.signedIn("ben").report(secret).status == 422)
    #expect(try instance.signedIn("sam").report(secret).status == 404)
    #expect(try instance.count("SELECT count(*) FROM reports") == 0)
  }

  @Test("A reason is needed, and words with “something else”: up to 500")
  func words() throws {
    let (instance, post, _, others) = try scenario()
    for (reason, note) in [("", ""), ("made up", ""), ("other", ""), ("other", long(501))] {
      #expect(others[0].report(post, reason, note: note).status == 422)
    }
    let answer = others[0].report(post, "other", note: long(501))
    #expect(answer.shows("1 too many"))
    #expect(others[0].report(post, "other", note: long(500)).status == 303)
    #expect(try instance.count("SELECT count(*) FROM reports WHERE length(note) = 500") == 1)
  }

  @Test("A report leads back, and can be withdrawn until something follows from it")
  func withdrawn() throws {
    let (instance, post, _, others) = try scenario()
    let (sam, tia, uwe) = (others[0], others[1], others[2])
    let answer = sam.post(
      "\(post)/report", ["reason": "spam", "note": "", "next": "/?scope=following"])
    #expect(answer.location == "/?scope=following")
    let undo = try #require(sam.get("/").undo)
    #expect(undo.hasPrefix("/settings/reports/"))
    #expect(tia.post(undo).status == 404)
    #expect(sam.post(undo).location == "/settings/reports")
    #expect(sam.post(undo).status == 404)
    #expect(try instance.count("SELECT count(*) FROM report_cases") == 0)
    tia.report(post)
    let mo = try instance.moderator()
    let path = try instance.onlyCase(mo)
    mo.decide(path, "dismiss", note: "")
    sam.report(post)
    #expect(sam.post(try #require(sam.get("/settings/reports").undo)).status == 303)
    #expect(mo.get("/admin/reports").cases == [])
    #expect(mo.get("/admin/reports?state=dismissed").cases == [path])
    sam.report(post)
    #expect(sam.get(post).undo != nil)
    instance.clock.advance(seconds: 600)
    #expect(sam.get("/settings/reports").undo == nil)
    for reporter in [tia, uwe] { reporter.report(post) }
    #expect(uwe.get("/settings/reports").undo == nil)
    for check in instance.instance.doctorChecks {
      #expect(try check.find(instance.database) == [], "\(check.name)")
    }
  }

  @Test("The couple can be blocked with the report")
  func blocked() throws {
    let (instance, post, _, others) = try scenario()
    // A refused report blocks nothing.
    others[1].report(post)
    #expect(others[1].post("\(post)/report", ["reason": "spam", "block": "1"]).status == 409)
    #expect(try instance.count("SELECT count(*) FROM blocks") == 0)
    let answer = others[0].post("\(post)/report", ["reason": "spam", "block": "1", "next": post])
    #expect(answer.location == "/")
    let home = others[0].get("/")
    #expect(home.shows("The couple is blocked") && home.undo == nil)
    #expect(others[0].get(post).status == 404)
    #expect(others[0].get("/settings/reports").shows("doesn’t end a block"))
    #expect(others[0].get("/settings/blocks").shows("Ann &amp; Ben"))
  }

  private func long(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test("A reporter whose last five were all rejected reports, and doesn't count")
  func distrusted() throws {
    let (instance, _, ann, others) = try scenario()
    let mo = try instance.moderator()
    for number in 1...5 {
      let post = try ann.write("Harmless \(number)")
      others[0].report(post)
      #expect(mo.decide(try instance.onlyCase(mo), "dismiss", note: "").status == 303)
    }
    let post = try ann.write("Once more")
    for reporter in others { #expect(reporter.report(post).status == 303) }
    #expect(instance.browser().get(post).status == 200)
    try instance.alone("zoe")
    try instance.signedIn("zoe").report(post)
    #expect(instance.browser().get(post).status == 404)
  }

  @Test("Twenty reports a day and no more")
  func daily() throws {
    let instance = try TestInstance(limits: true)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let posts = try (1...21).map { try ann.write("Post \($0)") }
    let sam = try instance.members("sam")[0]
    for post in posts.prefix(20) { #expect(sam.report(post).status == 303) }
    #expect(sam.report(posts[20]).status == 429)
    instance.clock.advance(seconds: 86_401)
    #expect(sam.report(posts[20]).status == 303)
  }

  @Test("A couple can be reported: hidden with all its posts by three, and shown again")
  func couple() throws {
    let (instance, post, ann, others) = try scenario()
    let couple = try #require(
      ann.get(post).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/).map { String($0.output) })
    for reporter in others { #expect(reporter.report(couple, "nudity").status == 303) }
    for path in [couple, post] {
      #expect(others[0].get(path).status == 404)
      #expect(ann.get(path).status == 200)
    }
    #expect(!others[0].get("/").shows("Win coins today"))
    let mo = try instance.moderator()
    mo.decide(try instance.onlyCase(mo), "dismiss")
    for path in [couple, post] { #expect(others[0].get(path).status == 200) }
  }

  @Test("By the API: 201, 409 again, 422 for the two's alone, and no guests")
  func api() throws {
    let (instance, post, ann, others) = try scenario()
    let body = #"{"reason":"spam"}"#
    #expect(others[0].call(.post, "\(post)/report", body).status == 201)
    let again = others[0].call(.post, "\(post)/report", body)
    #expect(again.status == 409 && again.code == "conflict")
    #expect(others[1].call(.post, "\(post)/report", #"{"reason":"rude"}"#).status == 422)
    #expect(others[1].call(.post, "\(post)/report", #"{"reason":"other"}"#).status == 422)
    #expect(try instance.guest("Gia").call(.post, "\(post)/report", body).status == 403)
    let secret = try ann.write("Ours", visibility: "couple")
    #expect(try instance.signedIn("ben").call(.post, "\(secret)/report", body).status == 422)
    let couple = try #require(ann.call(.get, "/account").json["couple_id"] as? String)
    #expect(others[0].call(.post, "/couples/\(couple)/report", body).status == 201)
  }

  @Test("The queue by reason and age is complete, decided and appealed ones too")
  func filters() throws {
    let (instance, post, ann, others) = try scenario()
    let second = try ann.write("Another")
    others[0].report(post, "spam")
    others[1].report(post, "violence")
    others[0].report(second, "violence")
    let mo = try instance.moderator()
    func count(_ query: String) -> Int { mo.get("/admin/reports\(query)").cases.count }
    #expect(count("") == 2 && count("?reason=spam") == 1 && count("?reason=violence") == 2)
    #expect(count("?reason=nudity") == 0 && count("?reason=spam&age=day") == 0)
    instance.clock.advance(seconds: 2 * 3600)
    others[2].report(second, "nudity")
    #expect(count("?reason=nudity") == 1)
    let path = try #require(mo.get("/admin/reports?reason=spam").cases.first)
    mo.decide(path, "hide")
    #expect(count("?reason=spam") == 0 && count("?reason=violence") == 1)
    #expect(count("?reason=spam&state=hidden") == 1)
    instance.clock.advance(seconds: 86_400)
    let again = try instance.moderator("bo")
    #expect(again.get("/admin/reports?reason=violence&age=day").cases.count == 1)
    #expect(again.get("/admin/reports?age=week").cases == [])
    try instance.dropLiveEvents()
    for check in instance.instance.doctorChecks {
      #expect(try check.find(instance.database) == [], "\(check.name)")
    }
  }

  @Test("On a later page of a filtered queue too, a case leads to the next and to the one before")
  func laterPage() throws {
    let (instance, _, ann, others) = try scenario()
    for number in 1...23 {
      instance.clock.advance(seconds: 1)
      others[0].report(try ann.write("Post \(number)"))
    }
    let mo = try instance.moderator()
    func links(_ page: TestResponse, _ pattern: Regex<(Substring, Substring)>) -> [String] {
      page.text.matches(of: pattern).map { String($0.output.1.replacing("&amp;", with: "&")) }
    }
    let more = links(mo.get("/admin/reports?reason=spam"), /href="([^"]+)" rel="next"/)
    let second = mo.get(try #require(more.first))
    let cases = links(second, /href="(\/admin\/reports\/[^"]+)" data-testid="report"/)
    try #require(cases.count == 3)
    let middle = mo.get(cases[1])
    #expect(links(middle, /href="([^"]+)" data-next/) == [cases[2]])
    #expect(links(middle, /href="([^"]+)" data-before/) == [cases[0]])
  }

  @Test("Reports at the same moment hide a post all the same")
  func together() async throws {
    for _ in 0..<5 {
      let (instance, post, _, others) = try scenario()
      let forms = others.map { ($0, $0.freshToken()) }
      await withTaskGroup(of: Void.self) { group in
        for (browser, _) in forms {
          nonisolated(unsafe) let browser = browser
          group.addTask { browser.report(post) }
        }
      }
      #expect(try instance.count("SELECT count(*) FROM reports") == 3)
      #expect(instance.browser().get(post).status == 404)
    }
  }
}
