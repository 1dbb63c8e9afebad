import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Calls of the API: tokens, lists, tags, uploads, and errors")
struct APICallsTests {
  private struct Fixture {
    let instance: TestInstance
    let fixture: APIFixture
    let viewer: Viewer
    let application: Application
    let sam: TestClient

    init() throws {
      instance = try TestInstance()
      viewer = try instance.alone("sam")
      fixture = try APIFixture(instance)
      application = try fixture.application(instance, token: viewer)
      sam = TestClient(application)
      sam.signIn("sam@example.test", TestInstance.password)
    }
  }

  private static let bearer: HTTPFields = [.authorization: "Bearer good", .csrfToken: "none"]

  @Test("An access token is enough: no cookie, no CSRF token, wherever the request comes from")
  func bearer() throws {
    let fixture = try Fixture()
    let app = TestClient(fixture.application)
    #expect(
      app.call(.get, "/account", headers: Self.bearer).json["display_name"] as? String == "Sam")
    var headers = Self.bearer
    headers[.fetchSite] = "cross-site"
    headers[.origin] = "https://elsewhere.test"
    #expect(app.call(.post, "/things", "{\"name\":\"lamp\"}", headers: headers).status == 201)
    #expect(app.cookies.isEmpty)
    let expired = app.call(.get, "/account", headers: [.authorization: "Bearer old"])
    #expect(expired.status == 401 && expired.code == "token_expired")
    #expect(expired.headers[.wwwAuthenticate] == "Bearer error=\"invalid_token\"")
  }

  @Test("With a token the cookie counts for nothing, not even for the language")
  func bearerBesideCookie() throws {
    let fixture = try Fixture()
    try fixture.instance.alone("dan")
    let dan = TestClient(fixture.application)
    dan.signIn("dan@example.test", TestInstance.password)
    dan.post("/language", ["language": "zh-Hant"])
    #expect(dan.call(.get, "/account").json["display_name"] as? String == "Dan")
    #expect(
      dan.call(.get, "/account", headers: Self.bearer).json["display_name"] as? String == "Sam")
    let missing = dan.call(.get, "/nothing", headers: Self.bearer)
    #expect(missing.message?.hasPrefix("Not found") == true)
    #expect(dan.call(.get, "/account", headers: [.authorization: "Bearer bad"]).status == 401)
  }

  @Test("Pictures open to a token too, and pages to none")
  func media() throws {
    let fixture = try Fixture()
    let draft = fixture.sam.upload(
      "/posts", [("content", "Kept")],
      files: [("images", SmallPicture.png), ("images", [1, 2])])
    let address = "/media/drafts/\(draft.value(of: "kept") ?? "none")"
    let app = TestClient(fixture.application)
    #expect(app.get(address).status == 303)
    #expect(app.get(address, headers: [.authorization: "Bearer good"]).status == 200)
    #expect(app.get(address, headers: [.authorization: "Bearer bad"]).status == 401)
    #expect(app.get("/settings", headers: [.authorization: "Bearer good"]).status == 303)
  }

  @Test("A call without authentication has no viewer and accepts any Authorization header")
  func withoutViewer() throws {
    let fixture = try Fixture()
    for headers: HTTPFields in [[:], [.csrfToken: "x"], [.authorization: "Bearer bad"]] {
      #expect(fixture.sam.call(.post, "/strangers", headers: headers).status == 204)
      #expect(
        TestClient(fixture.application).call(.post, "/strangers", headers: headers).status == 204)
    }
  }

  @Test("A call without authentication is refused when another site's page sends it")
  func strangersFromElsewhere() throws {
    let fixture = try Fixture()
    let visitor = TestClient(fixture.application)
    for headers: HTTPFields in [
      [.fetchSite: "cross-site"], [.fetchSite: "same-site"], [.origin: "https://elsewhere.test"],
      [.origin: "null"],
    ] {
      let answer = visitor.call(.post, "/strangers", headers: headers)
      #expect(answer.status == 403 && answer.code == "csrf")
    }
    for headers: HTTPFields in [
      [.fetchSite: "same-origin"], [.fetchSite: "none"], [.origin: "http://\(TestInstance.host)"],
    ] {
      #expect(visitor.call(.post, "/strangers", headers: headers).status == 204)
    }
  }

  @Test("A guest among members is 403, a member among staff sees nothing")
  func roles() throws {
    let fixture = try Fixture()
    let gia = TestClient(fixture.application)
    gia.take(cookiesOf: try fixture.instance.guest("Gia"))
    let refused = gia.call(.post, "/things", "{\"name\":\"x\"}")
    #expect(refused.status == 403 && refused.code == "forbidden")
    #expect(gia.call(.get, "/things").status == 200)
    #expect(fixture.sam.call(.get, "/staff").code == "not_found")
    #expect(gia.call(.get, "/staff").status == 404)
  }

  @Test("Internal errors have the table's codes and a time for the retry")
  func inside() throws {
    let fixture = try Fixture()
    let limited = fixture.sam.call(.get, "/limited")
    #expect(limited.status == 429 && limited.code == "rate_limited")
    #expect(limited.headers[.retryAfter] == "7")
    let full = fixture.sam.call(.get, "/full")
    #expect(full.status == 503 && full.code == "unavailable")
    #expect(full.headers[.retryAfter] == "60")
    let broken = fixture.sam.call(.get, "/broken")
    #expect(broken.status == 500 && broken.code == "internal" && !broken.text.contains("Died"))
    #expect(fixture.sam.call(.delete, "/things/none").status == 404)
    #expect(fixture.sam.call(.delete, "/things/\(ID<Person>.random())").status == 204)
  }

  @Test("A list continues at its cursor until the end")
  func paging() throws {
    let fixture = try Fixture()
    for number in 1...7 {
      fixture.instance.clock.advance(seconds: number.isMultiple(of: 2) ? 1 : 0)
      #expect(fixture.sam.call(.post, "/things", "{\"name\":\"\(number)\"}").status == 201)
    }
    func names(_ answer: TestResponse) -> [String] {
      (answer.json["things"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }
    var seen: [String] = []
    var query = "?limit=3"
    for _ in 1...3 {
      let answer = fixture.sam.call(.get, "/things\(query)")
      seen += names(answer)
      guard let cursor = answer.json["next_cursor"] as? String else { break }
      query = "?limit=3&cursor=\(cursor)"
    }
    #expect(Set(seen).count == 7 && seen.count == 7)
    #expect(names(fixture.sam.call(.get, "/things")).count == 7)
    #expect(fixture.sam.call(.get, "/things").text.contains("\"next_cursor\":null"))
  }

  @Test("A limit or a cursor that is none is 422")
  func hostileQueries() throws {
    let fixture = try Fixture()
    for name in ["a", "b"] { fixture.sam.call(.post, "/things", "{\"name\":\"\(name)\"}") }
    let answer = fixture.sam.call(.get, "/things?limit=1")
    let cursor = try #require(answer.json["next_cursor"] as? String)
    let changed = (cursor.hasPrefix("A") ? "B" : "A") + cursor.dropFirst()
    for query in [
      "limit=0", "limit=101", "limit=x", "limit=", "limit=1.5", "limit=99999999999999999999",
      "cursor=", "cursor=x", "cursor=\(changed)", "cursor=\(cursor)A", "cursor=%00", "cursor=%ff",
      "cursor=\(String(repeating: "A", count: 43))",
    ] {
      let answer = fixture.sam.call(.get, "/things?\(query)")
      #expect(answer.status == 422 && answer.code == "validation_error", "\(query)")
    }
    #expect(fixture.sam.call(.get, "/things?cursor=\(cursor)&other=1").status == 200)
  }

  @Test("JSON that a caller has already is 304, also under a weak tag")
  func tags() throws {
    let fixture = try Fixture()
    let first = fixture.sam.call(.get, "/account")
    let tag = try #require(first.headers[.eTag])
    for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let answer = fixture.sam.call(.get, "/account", headers: [.ifNoneMatch: known])
      #expect(answer.status == 304 && answer.text.isEmpty && answer.headers[.eTag] == tag)
      #expect(fixture.sam.call(.head, "/account", headers: [.ifNoneMatch: known]).status == 304)
    }
    #expect(fixture.sam.call(.get, "/account", headers: [.ifNoneMatch: "\"x\""]).status == 200)
    let changed = fixture.sam.call(
      .patch, "/account", "{\"display_name\":\"Sue\"}", headers: [.ifNoneMatch: tag])
    #expect(changed.status == 200 && changed.headers[.eTag] == nil)
    let after = fixture.sam.call(.get, "/account", headers: [.ifNoneMatch: tag])
    #expect(after.status == 200 && after.headers[.eTag] != tag)
  }

  @Test("An answer that must not be cached has no ETag")
  func noTag() throws {
    let fixture = try Fixture()
    let secret = fixture.sam.call(.get, "/secret", headers: [.ifNoneMatch: "*"])
    #expect(secret.status == 200 && secret.headers[.eTag] == nil)
    #expect(secret.headers[.cacheControl] == "no-store")
  }

  @Test("An upload that is no form, or a broken one, has the common error format")
  func uploads() throws {
    let fixture = try Fixture()
    func send(_ type: String, _ body: String) -> TestResponse {
      fixture.sam.send(
        .post, "/api/v1/uploads",
        headers: [.csrfToken: fixture.sam.freshToken(), .contentType: type], body: Array(body.utf8))
    }
    #expect(send("application/json", "{}").code == "unsupported_format")
    #expect(send("application/x-www-form-urlencoded", "name=a").status == 415)
    #expect(send("multipart/form-data; boundary=x", "--x\r\nbroken").status == 400)
    #expect(send("multipart/form-data", "--x--").status == 400)
    let without = send(
      "multipart/form-data; boundary=x",
      "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA\r\n--x--\r\n")
    #expect(without.status == 422 && without.fieldErrors["file"] == "This is required.")
    let large = String(repeating: "a", count: 2 << 20)
    #expect(send("multipart/form-data; boundary=x", large).code == "payload_too_large")
  }
}
