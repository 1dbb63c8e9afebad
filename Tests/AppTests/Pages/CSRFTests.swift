import Core
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("A change needs a token of the very session, from one of our own pages")
struct CSRFTests {
  private static let fromUs: HTTPFields = [.origin: "http://127.0.0.1:8099"]

  private func composed(
    _ browser: TestClient, token: String?, _ headers: HTTPFields = [:]
  ) -> TestResponse {
    let fields = [("content", "Kept words"), ("password", "secret words"), ("nonce", "n")]
    return browser.plainPost(
      "/posts", (token.map { [("csrf_token", $0)] } ?? []) + fields, headers: headers)
  }

  @Test("A missing, broken or foreign token is 403, the words kept and no password")
  func tokens() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let own = ann.freshToken()
    let visitor = instance.browser()
    let broken = String(own.dropLast(2)) + (own.hasSuffix("AA") ? "BB" : "AA")
    for token in [nil, "", "x", broken, ben.freshToken(), visitor.freshToken()] {
      let answer = composed(ann, token: token, Self.fromUs)
      #expect(answer.status == 403)
      #expect(answer.text.contains(/<textarea [^>]*name="content"[^>]*>\nKept words<\/textarea>/))
      #expect(!answer.shows("secret words"))
    }
    #expect(composed(ann, token: own).status == 303)
  }

  @Test("The page of a refused form holds a token with which it goes through")
  func sendingAgain() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let refused = composed(ann, token: nil, Self.fromUs)
    let again = composed(ann, token: refused.value(of: "csrf_token"))
    #expect(again.status == 303)
  }

  @Test(
    "A form of another site comes back neither with its fields nor with a token",
    arguments: [
      [.fetchSite: "cross-site"], [.fetchSite: "same-site"], [.origin: "https://evil.test"],
      [.origin: "null"], [:],
    ] as [HTTPFields])
  func foreign(headers: HTTPFields) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let fields = [("contact_email", "evil@evil.test"), ("button", "save"), ("code", "ABC234")]
    for browser in [ann, instance.browser()] {
      for path in ["/checkin", "/join"] {
        let answer = browser.plainPost(path, fields, headers: headers)
        #expect(answer.status == 403)
        #expect(!answer.shows("evil@evil.test") && !answer.shows("action=\"\(path)\""), "\(path)")
      }
    }
    #expect(try instance.count("SELECT count(*) FROM emergency_contacts") == 0)
  }

  @Test(
    "An emergency contact is typed again when a page got too old",
    arguments: ["/checkin", "/checkin/contacts", "/checkin/settings"])
  func contacts(path: String) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.plainPost(
      path, [("csrf_token", "old"), ("contact_email", "x@evil.test"), ("email", "x@evil.test")],
      headers: Self.fromUs)
    #expect(answer.status == 403)
    #expect(!answer.shows("x@evil.test") && !answer.shows("action=\"\(path)\""))
    #expect(answer.shows("href=\"\(path)\""))
  }

  @Test("Tokens differ on every page, and older ones still hold")
  func masked() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let tokens = (1...3).map { _ in ann.get("/").value(of: "csrf_token") ?? "" }
    #expect(Set(tokens).count == 3)
    #expect(composed(ann, token: tokens[0]).status == 303)
  }

  @Test("A token from before signing in is worth nothing after it")
  func beforeSignIn() throws {
    let instance = try TestInstance()
    try instance.couple()
    let browser = instance.browser()
    let before = browser.freshToken()
    browser.signIn("ann@example.test", TestInstance.password)
    #expect(composed(browser, token: before).status == 403)
  }

  @Test(
    "The browser's headers about a form's origin decide, Sec-Fetch-Site before Origin",
    arguments: [
      ("cross-site", nil, 403), ("same-site", nil, 403), ("same-origin", nil, 303),
      ("none", nil, 303), (nil, "http://127.0.0.1:8099", 303), (nil, "http://evil.test", 403),
      (nil, "null", 403), (nil, "https://127.0.0.1:8099", 403), (nil, "http://127.0.0.1:8098", 403),
      (nil, nil, 303), ("cross-site", "http://127.0.0.1:8099", 403),
    ] as [(String?, String?, Int)])
  func origins(site: String?, origin: String?, status: Int) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    var headers: HTTPFields = [:]
    headers[.fetchSite] = site
    headers[.origin] = origin
    #expect(composed(ann, token: ann.freshToken(), headers).status == status)
  }

  @Test(
    "Behind a proxy that ends TLS, Origin is compared with the base URL",
    arguments: [
      ("https://pairspot.test", 303), ("http://pairspot.test", 403), ("https://evil.test", 403),
      ("https://pairspot.test:8443", 403), ("null", 403),
    ])
  func behindTLSProxy(origin: String, status: Int) throws {
    let instance = try TestInstance(variables: ["PAIRSPOT_BASE_URL": "https://pairspot.test"])
    let browser = instance.browser()
    let host: HTTPFields = [.host: "pairspot.test"]
    let token = try #require(browser.get("/sign-in", headers: host).value(of: "csrf_token"))
    let answer = browser.plainPost(
      "/language", [("csrf_token", token), ("language", "en")],
      headers: [.host: "pairspot.test", .origin: origin])
    #expect(answer.status == status)
  }

  @Test("Scripts send the token that /csrf gave them in a header")
  func header() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.get("/csrf")
    #expect(answer.headers[.cacheControl] == "no-store")
    let token = try #require(answer.text.firstMatch(of: /"token":"([^"]+)"/)?.output.1)
    var headers: HTTPFields = [:]
    headers[.csrfToken] = String(token)
    #expect(composed(ann, token: nil, headers).status == 303)
  }

  @Test("Every address that changes something asks for a token")
  func everyRoute() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    let ann = try instance.signedIn("ann")
    let visitor = instance.browser()
    let admin = try instance.admin()
    let changing = instance.instance.application.router.routes.filter { $0.method != .get }
    // Calls without authentication have no cookie to misuse.
    let strangers = changing.filter {
      $0.operation != nil && $0.options.contains(.withoutViewer)
        && !$0.options.contains(.withoutCSRF)
    }
    #expect(
      Set(strangers.map { $0.pattern.dropFirst(Route.apiBase.count) }) == [
        "/auth/login", "/auth/token/refresh", "/auth/refresh", "/auth/guest",
        "/auth/guest/recover", "/auth/register", "/auth/register/initiate",
        "/auth/register/verify", "/auth/register/complete", "/auth/register/resend",
        "/auth/register/partner-email", "/auth/password/reset", "/auth/password/reset/confirm",
        "/checkin/ping/:token", "/account/restore", "/devices/unbind", "/auth/sso/:provider",
      ])
    for route in strangers {
      let answer = visitor.send(route.method, route.pattern, headers: [.fetchSite: "cross-site"])
      #expect(answer.status == 403, "\(route.name)")
    }
    let open = changing.filter { $0.options.contains(.withoutCSRF) }.map(\.name)
    // One-click unsubscribe comes from mail programs (RFC 8058), providers sign their calls, and
    // a provider's form is checked by its state after a redirect.
    #expect(
      Set(open) == [
        "POST /c/:token/stop", "POST /api/v1/wallet/apple-notifications",
        "POST /sign-in/with/:provider/callback", "POST /sign-in/with/:provider/logout",
        "POST /sign-in/with/:provider/notices",
      ])
    let asking = changing.filter {
      !$0.options.contains(.withoutCSRF)
        && ($0.operation == nil || !$0.options.contains(.withoutViewer))
    }
    for route in asking {
      let path = route.pattern.replacing(":id", with: "\(couple.id)")
      let browser =
        switch route.access {
        case .signedOut: visitor
        case .atLeast(let role) where role > .member: admin
        default: ann
        }
      let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
      let answer = browser.send(route.method, path, headers: headers, body: Array("a=b".utf8))
      #expect(answer.status == 403, "\(route.name)")
    }
  }
}
