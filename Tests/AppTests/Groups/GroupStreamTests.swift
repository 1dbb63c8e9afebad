import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Live streams of a group")
struct GroupStreamTests {
  private let instance: TestInstance
  private let leader: TestClient
  private let follower: TestClient
  private let stranger: TestClient
  private let group: String

  init() throws {
    instance = try TestInstance()
    for name in ["lee", "flo", "sam"] { try instance.alone(name) }
    leader = try instance.signedIn("lee")
    follower = try instance.signedIn("flo")
    stranger = try instance.signedIn("sam")
    let made = leader.post("/groups", ["name": "Harvest Walk"])
    let path = try #require(made.location)
    group = try #require(path.split(separator: "/").dropFirst().first.map(String.init))
    let code = try instance.database.read {
      try $0.value("SELECT code FROM invite_codes", as: String.self)
    }
    #expect(follower.post("/join", ["code": try #require(code)]).status == 303)
    try instance.database.write { try $0.execute("DELETE FROM live_news") }
  }

  private func stream(_ browser: TestClient, accept: String = "text/event-stream") -> TestResponse {
    browser.call(.get, "/groups/\(group)/events", headers: [.accept: accept])
  }

  /// Stream updates to be sent to nginx: "g.… 7", "m.… cut".
  private func observer() throws -> [String] {
    try instance.database.read { reader in
      try reader.rows("SELECT channel, version, cuts FROM live_news ORDER BY channel") { row in
        let channel = try row.next(String.self).prefix(2)
        let version = try row.next(Int?.self) == nil ? "" : " version"
        return "\(channel)\(version)\(try row.next(Bool.self) ? " cut" : "")"
      }
    }
  }

  private func id(_ name: String) throws -> String {
    let id: ID<Person>? = try instance.database.read {
      try $0.value("SELECT id FROM users WHERE display_name = \(name)")
    }
    return try #require(id).description
  }

  @Test("A member gets the group's channel and a private one, from nginx only")
  func member() throws {
    for (browser, name) in [(leader, "Lee"), (follower, "Flo")] {
      let answer = stream(browser)
      #expect(answer.status == 200 && answer.text == "")
      #expect(
        answer.headers[.accelRedirect] == "/live/g.\(group)/m.\(group).\(try id(name))")
    }
  }

  @Test("Non-members get 404, signed-out visitors 401")
  func outsiders() {
    #expect(stream(stranger).status == 404)
    #expect(stream(instance.browser()).status == 401)
    for answer in [stream(stranger), stream(instance.browser())] {
      #expect(answer.headers[.accelRedirect] == nil)
    }
  }

  @Test(
    "A request without a stream name gets the newest version only",
    arguments: [
      "", "*/*", "text/*", "application/json", "text/event-stream;q=0", "text/event-stream; q=0.0",
      "text/event-stream;charset=utf-8;Q=0", "text/event-stream;q=x", "text/event-streams",
      "x/text/event-stream", "TEXT/EVENT-STREAM",
    ])
  func otherThings(accept: String) throws {
    let answer = stream(leader, accept: accept)
    let version = try instance.database.read { try $0.count("SELECT version FROM groups") }
    #expect(answer.status == 200 && answer.headers[.accelRedirect] == nil)
    #expect(answer.headers[.contentType] == "text/event-stream")
    #expect(answer.text == "event: group\ndata: {\"version\":\(version)}\n\n")
  }

  @Test(
    "A stream may be asked for among other things",
    arguments: [
      "text/event-stream", "text/event-stream;q=0.5", "application/json, text/event-stream",
      "text/html;q=0 , text/event-stream ; q=1",
    ])
  func amongOthers(accept: String) {
    #expect(stream(leader, accept: accept).headers[.accelRedirect] != nil)
  }

  @Test("HEAD is answered at once, and like GET for callers without access")
  func head() {
    func head(_ browser: TestClient) -> TestResponse {
      browser.call(.head, "/groups/\(group)/events", headers: [.accept: "text/event-stream"])
    }
    let answer = head(leader)
    #expect(answer.status == 200 && answer.headers[.accelRedirect] == nil)
    #expect(answer.headers[.contentType] == "text/event-stream")
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(head(stranger).status == 404)
    #expect(head(instance.browser()).status == 401)
  }

  @Test("A stream update is queued in the transaction of its change")
  func change() throws {
    #expect(leader.post("/groups/\(group)/commands", ["kind": "gather"]).status == 303)
    #expect(try observer() == ["g. version"])
  }

  @Test("A change without effect is not published")
  func nothing() throws {
    #expect(follower.post("/groups/\(group)/commands", ["kind": "gather"]).status != 303)
    #expect(leader.post("/groups/\(group)/sharing", ["on": "0"]).status == 303)
    #expect(try observer() == [])
  }

  @Test("Removing a member cuts their stream and no other, and lets them listen no more")
  func removal() throws {
    let path = "/groups/\(group)/members/\(try id("Flo"))/remove"
    #expect(leader.post(path).status == 303)
    #expect(try observer() == ["g. version", "m. cut"])
    let channel = try instance.database.read {
      try $0.value("SELECT channel FROM live_news WHERE cuts > 0", as: String.self)
    }
    #expect(channel == "m.\(group).\(try id("Flo"))")
    #expect(stream(follower).status == 404)
    #expect(stream(leader).status == 200)
  }

  @Test("A closed group has no streams")
  func closed() throws {
    #expect(leader.post("/groups/\(group)/close").status == 303)
    let answer = stream(leader)
    #expect(answer.status == 410 && answer.code == "group_closed")
  }

  @Test("Feet and metres are a setting of the account, before that a browser's earlier cookie")
  func units() throws {
    func shows(_ units: String, _ browser: TestClient) -> Bool {
      browser.get("/groups/\(group)").text.contains("data-group-live data-me=")
        && browser.get("/groups/\(group)").text.contains("data-units=\"\(units)\">")
    }
    #expect(shows("metres", leader))
    leader.setPlain(cookie: "units_\(TestInstance.port)", "feet")
    #expect(shows("feet", leader))
    #expect(leader.get("/settings/language").shows("value=\"feet\" checked"))
    let fields = ["language": "en", "theme": "auto", "time_zone": ""]
    func choose(_ units: String) -> Int {
      let all = fields.merging(["units": units]) { $1 }
      return leader.post("/settings/language", all: all.map { ($0, $1) }).status
    }
    #expect(choose("metres") == 303)
    #expect(shows("metres", leader))
    #expect(choose("feet") == 303 && shows("feet", leader) && shows("metres", follower))
    #expect(choose("leagues") == 422 && shows("feet", leader))
  }

  @Test("The map's tiles are on the page, and its policy allows them, if configured")
  func tiles() throws {
    #expect(!leader.get("/groups/\(group)").text.contains("data-map"))
    let other = try TestInstance(
      variables: ["PAIRSPOT_TILE_URL": "https://tiles.example/{z}/{x}/{y}.png"])
    try other.alone("lee")
    let browser = try other.signedIn("lee")
    let invite = try #require(browser.post("/groups", ["name": "Walk"]).location)
    let page = browser.get(String(invite.dropLast("/invite".count)))
    #expect(page.text.contains("data-tiles=\"https://tiles.example/{z}/{x}/{y}.png\""))
    #expect(page.headers[.contentSecurityPolicy]?.contains("https://tiles.example") == true)
  }
}
