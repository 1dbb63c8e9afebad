import Core
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Rules common to all API calls")
struct APIBaseTests {
  private func sam(_ instance: TestInstance) throws -> TestClient {
    try instance.alone("sam")
    return try instance.signedIn("sam")
  }

  @Test("A call without an account is 401 with the accepted scheme, in the common error format")
  func signedOut() throws {
    let instance = try TestInstance()
    let answer = instance.browser().call(.get, "/account")
    #expect(answer.status == 401 && answer.code == "invalid_token")
    #expect(answer.headers[.wwwAuthenticate] == "Bearer")
    #expect(answer.message == "You need to be signed in for this.")
    #expect(answer.error["fields"] == nil && answer.headers[.setCookie] == nil)
    let chinese = instance.browser().call(
      .get, "/account", headers: [.acceptLanguage: "zh-TW,en;q=0.5"])
    #expect(chinese.message == "需要先登入才能這麼做。")
  }

  @Test("An unknown access token is 401, with any cookie")
  func unknownToken() throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    for token in ["x", "", "a.b.c", String(repeating: "a", count: 5000)] {
      let answer = sam.call(.get, "/account", headers: [.authorization: "Bearer \(token)"])
      #expect(answer.status == 401 && answer.code == "invalid_token")
      #expect(answer.headers[.wwwAuthenticate] == "Bearer error=\"invalid_token\"")
    }
    #expect(sam.call(.get, "/account", headers: [.authorization: "bearer x"]).status == 401)
    // Other schemes are ignored, and pages use none.
    #expect(sam.call(.get, "/account", headers: [.authorization: "Basic eDp5"]).status == 200)
    #expect(sam.get("/settings", headers: [.authorization: "Bearer x"]).status == 200)
    #expect(sam.call(.get, "/nothing", headers: [.authorization: "Bearer x"]).status == 404)
  }

  @Test("Unknown paths and methods have the common error format, for all callers")
  func unknownAddresses() throws {
    let instance = try TestInstance()
    for browser in [instance.browser(), try sam(instance)] {
      for path in ["/nothing", "/", "/account/", "/account/x", "//account", "/%zz", ""] {
        let answer = browser.call(.get, path)
        #expect(answer.status == 404 && answer.code == "not_found", "\(path)")
        #expect(answer.headers[.contentType] == "application/json")
      }
      #expect(browser.get("/api/").code == "not_found")
      #expect(browser.get("/api/v2/account").code == "not_found")
      for method in [HTTPRequest.Method.post, .delete, .put, .options] {
        let answer = browser.call(method, "/checkin/history", "{}")
        #expect(answer.status == 405 && answer.headers[.allow] == "GET")
        #expect(answer.code == "method_not_allowed")
        #expect(answer.message?.contains("Allow") == true)
      }
    }
  }

  @Test("A change by cookie needs the token in its header, from one of our own pages")
  func csrf() throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    for headers: HTTPFields in [
      [.csrfToken: ""], [.csrfToken: "x"], [.csrfToken: instance.browser().freshToken()],
      [.csrfToken: sam.freshToken(), .fetchSite: "cross-site"],
      [.csrfToken: sam.freshToken(), .origin: "http://evil.test"],
    ] {
      let answer = sam.call(.patch, "/account", "{}", headers: headers)
      #expect(answer.status == 403 && answer.code == "csrf")
    }
    let field = sam.send(
      .patch, "/api/v1/account", headers: [.contentType: "application/x-www-form-urlencoded"],
      body: Array("csrf_token=\(sam.freshToken())".utf8))
    #expect(field.status == 403)
    #expect(sam.call(.patch, "/account", "{}").status == 200)
    #expect(sam.call(.patch, "/account", "{}", headers: [.fetchSite: "same-origin"]).status == 200)
  }

  @Test(
    "A body that can't be taken says why",
    arguments: [
      (nil, "application/json", 400, "invalid_json"), ("", "text/plain", 400, "invalid_json"),
      ("{", "application/json", 400, "invalid_json"),
      ("{\"a\":\"\\ud800\"}", "application/json", 400, "invalid_json"),
      ("{\"a\":1,\"a\":2}", "application/json", 400, "invalid_json"),
      ("{\"a\":1e999}", "application/json", 400, "invalid_json"),
      ("[]", "application/json", 422, "validation_error"),
      ("null", "application/json", 422, "validation_error"),
      ("{\"display_name\":\"a\\u0000\"}", "application/json", 422, "validation_error"),
      ("{}", "text/plain", 415, "unsupported_format"),
      ("{}", "application/x-www-form-urlencoded", 415, "unsupported_format"),
      ("{}", "multipart/form-data; boundary=x", 415, "unsupported_format"),
      ("{}", "", 415, "unsupported_format"), ("{}", "application/jsonp", 415, "unsupported_format"),
      ("{}", "application/json; charset=utf-8", 200, nil), ("{}", "Application/JSON", 200, nil),
    ] as [(String?, String, Int, String?)])
  func bodies(body: String?, type: String, status: Int, code: String?) throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    var headers: HTTPFields = [.csrfToken: sam.freshToken()]
    headers[.contentType] = type
    let answer = sam.send(
      .patch, "/api/v1/account", headers: headers, body: Array((body ?? "").utf8))
    #expect(answer.status == status && answer.code == code)
  }

  @Test("Over 1 MiB is 413, announced or not; deep nesting and bytes that are no text are 400")
  func hostileBodies() throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    let large = "{\"a\":\"\(String(repeating: "a", count: 1 << 20))\"}"
    let answer = sam.call(.patch, "/account", large)
    #expect(answer.status == 413 && answer.code == "payload_too_large")
    let headers: HTTPFields = [.csrfToken: sam.freshToken(), .contentType: "application/json"]
    #expect(
      sam.send(
        .patch, "/api/v1/account", headers: headers, body: Array(large.utf8), contentLength: 9
      )
      .code == "payload_too_large")
    #expect(
      sam.send(.patch, "/api/v1/account", headers: headers, contentLength: 2 << 20).status == 413)
    for body in [
      Array("{\"a\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 900_000),
      Array("{\"display_name\":\"".utf8) + [0xFF, 0xC0] + Array("\"}".utf8), [0],
      [0xEF, 0xBB, 0xBF],
    ] {
      let answer = sam.send(.patch, "/api/v1/account", headers: headers, body: body)
      #expect(answer.status == 400 && answer.code == "invalid_json")
    }
  }

  @Test("Each answer names its request and can't be taken for anything but JSON")
  func headers() throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    for path in ["/account", "/nothing"] {
      let answer = sam.call(.get, path)
      #expect(answer.headers[.requestID] == answer.requestID)
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      #expect(answer.headers[.cacheControl] == "private, no-store")
    }
  }

  @Test("HEAD is answered as GET is")
  func head() throws {
    let instance = try TestInstance()
    let sam = try sam(instance)
    #expect(sam.call(.head, "/account").status == 200)
    #expect(instance.browser().call(.head, "/account").status == 401)
  }
}
