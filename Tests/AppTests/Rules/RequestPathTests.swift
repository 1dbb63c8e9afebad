import Core
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("The way of a request")
struct RequestPathTests {
  @Test(
    "Only our own host is answered, in development also loopback names",
    arguments: [
      ("127.0.0.1:8099", 200), ("localhost:8099", 200), ("[::1]:8099", 200),
      ("a.localhost:8099", 200), ("127.8.7.6:8099", 200), ("LOCALHOST:8099", 200),
      ("127.0.0.1", 421), ("127.0.0.1:80", 421), ("evil.test:8099", 421), ("", 421),
      ("127.evil.test:8099", 421), ("localhost.evil.test:8099", 421),
    ])
  func hosts(host: String, status: Int) throws {
    let instance = try TestInstance()
    #expect(
      instance.browser().get("/sign-in", headers: [HTTPField.Name.host: host]).status == status)
  }

  @Test(
    "An unknown address is 404",
    arguments: [
      "/nothing", "/sign-in/", "//", "/posts", "/posts/x", "/couples/x", "/%zz", "/couples/",
      "/media/../pairspot.sqlite", "/media/couples/x/avatar/thumb_x.jpg", "/.git/config",
    ])
  func unknown(path: String) throws {
    let instance = try TestInstance()
    let answer = instance.browser().get(path)
    #expect(answer.status == (path == "/posts" ? 405 : 404))
    #expect(answer.shows("<h1"))
  }

  @Test("A missing page of a part of the site leads back to that part")
  func section() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let back = #"href="/workouts">Go to Workouts</a>"#
    #expect(sam.get("/workouts/\(ID<Person>.random())").shows(back))
    #expect(!sam.get("/nothing").shows("Go to ") && !sam.get("/posts/x").shows("Go to "))
    #expect(!instance.browser().get("/workouts/x/y").shows(back))
  }

  @Test(
    "A missing page gives the reason of its part of the site, in each language",
    arguments: [
      ("/posts/x", "This post was deleted", "這則貼文已刪除", "这条动态已删除"),
      ("/couples/x", "This profile doesn’t exist", "這個主頁已不存在", "这个主页已不存在"),
      ("/album/x", "This photo was deleted", "這張照片已刪除", "这张照片已删除"),
      ("/workouts/x", "This workout or training", "這次運動或課程", "这次运动或课程"),
      ("/groups/x", "This group doesn’t exist", "這個群組不存在", "这个群组不存在"),
      ("/settings/x", "This page doesn’t exist", "頁面不存在", "页面不存在"),
    ])
  func reason(path: String, english: String, traditional: String, simplified: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for (language, words) in [("en", english), ("zh-Hant", traditional), ("zh-Hans", simplified)] {
      sam.call(.patch, "/account", "{\"language\":\"\(language)\"}")
      let page = sam.get(path)
      #expect(page.status == 404 && page.shows(words), "\(path) \(language)")
    }
  }

  @Test("A known address with another method is 405 with those that are")
  func otherMethods() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let answer = browser.send(.delete, "/sign-in")
    #expect(answer.status == 405 && answer.headers[.allow] == "GET, POST")
    #expect(browser.get("/posts").headers[.allow] == "POST")
    #expect(browser.send(.put, "/").headers[.allow] == "GET")
  }

  @Test("HEAD is answered as GET is")
  func head() throws {
    let instance = try TestInstance()
    for path in ["/", "/sign-in", "/terms", "/verify?token=x", "/nothing"] {
      let (head, get) = (
        instance.browser().send(.head, path), instance.browser().get(path)
      )
      #expect(head.status == get.status)
      #expect(head.headers[.contentType] == get.headers[.contentType])
    }
  }

  @Test("A body that is too large is 413, announced or not")
  func tooLarge() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let announced = browser.send(
      .post, "/sign-in", headers: [.contentType: "application/x-www-form-urlencoded"],
      contentLength: 2 << 20)
    #expect(announced.status == 413)
    let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20 + 1)
    let sent = browser.send(
      .post, "/sign-in", headers: [.contentType: "application/x-www-form-urlencoded"], body: body,
      contentLength: 10)
    #expect(sent.status == 413)
  }

  @Test("More than 1,000 fields are 422, and a body that is no form is 400")
  func oddBodies() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let many = (0...1000).map { ("f\($0)", "") }
    #expect(browser.plainPost("/sign-in", many).status == 422)
    let json = browser.send(
      .post, "/sign-in", headers: [.contentType: "application/json"], body: Array("{}".utf8))
    #expect(json.status == 400)
  }

  @Test("Each answer has a request id, pages and errors alike")
  func requestID() throws {
    let instance = try TestInstance()
    for path in ["/", "/nothing", "/csrf", "/couples/x/edit"] {
      let answer = instance.browser().get(path)
      #expect(answer.headers[.requestID] == answer.requestID)
    }
  }

  @Test("Each answer has the browser's security headers")
  func securityHeaders() throws {
    let instance = try TestInstance()
    for path in ["/", "/nothing", "/csrf", "/sign-in"] {
      let headers = instance.browser().get(path).headers
      let policy = try #require(headers[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"))
      #expect(policy.contains("object-src 'none'") && policy.contains("base-uri 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(headers[.xContentTypeOptions] == "nosniff")
      #expect(headers[.referrerPolicy] == "same-origin")
    }
  }

  @Test("Browsers stay with https if the base URL says so, and get no such header over http")
  func strictTransport() throws {
    for (base, expected) in [
      ("https://127.0.0.1:8099", "max-age=31536000; includeSubDomains"),
      ("http://127.0.0.1:8099", nil),
    ] {
      let browser = try TestInstance(variables: ["PAIRSPOT_BASE_URL": base]).browser()
      // A page, a redirect, an error, an API answer.
      for path in ["/", "/settings", "/nothing", "/api/v1/account", "/csrf"] {
        #expect(browser.get(path).headers[.strictTransportSecurity] == expected, "\(base)\(path)")
      }
    }
  }

  @Test("A way back that is too long for a header is cut to where it leads")
  func longWayBack() throws {
    let browser = try TestInstance().browser()
    let long = String(repeating: "a", count: 10_000)
    #expect(browser.get("/search?q=\(long)").location == "/sign-in?next=/search&guest=1")
    #expect(browser.get("/search?q=Hills").location == "/sign-in?next=/search%3Fq%3DHills&guest=1")
    #expect(browser.get("/search?q=\(long)\(long)").status == 414)
    #expect(browser.get("/workouts/\(long)").location == "/sign-in?next=/&guest=1")
  }

  @Test("Pages are private and revalidated; those with a token are not stored")
  func caching() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    for path in ["/", "/register", "/terms"] {
      #expect(browser.get(path).headers[.cacheControl] == "private, no-cache", "\(path)")
    }
    for path in [
      "/verify?token=x", "/register/complete?token=x", "/reset/confirm?token=x", "/csrf",
      "/register/waiting", "/sign-in", "/dev/mail",
    ] {
      #expect(browser.get(path).headers[.cacheControl] == "no-store", "\(path)")
    }
  }

  @Test("Cookies can't be read by scripts nor be sent along from elsewhere")
  func cookies() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let answer = instance.browser().signIn("sam@example.test", TestInstance.password)
    let cookies = answer.headers[values: .setCookie]
    #expect(cookies.contains { $0.hasPrefix("session_8099=") })
    for cookie in cookies {
      #expect(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax")
          && cookie.contains("Path=/"))
    }
  }

  @Test("A member is redirected from the pages of visitors without an account")
  func signedOutOnly() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for path in ["/sign-in", "/register", "/register/alone", "/reset"] {
      #expect(sam.get(path).location == "/", "\(path)")
    }
  }

  @Test("A broken session cookie is as none")
  func brokenCookie() throws {
    let instance = try TestInstance()
    for value in ["", "x", String(repeating: "A", count: 43), String(repeating: "é", count: 43)] {
      let answer = instance.browser().get(
        "/", headers: [.cookie: "session_8099=\(value)"])
      #expect(answer.status == 200 && answer.shows("/register"))
    }
  }

  @Test("The language is the chosen one, else the browser's")
  func languages() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    #expect(
      browser.get("/sign-in", headers: [.acceptLanguage: "zh-TW,zh;q=0.9"])
        .shows("lang=\"zh-Hant\""))
    #expect(browser.get("/sign-in", headers: [.acceptLanguage: "zh"]).shows("lang=\"zh-Hans\""))
    browser.post("/language", ["language": "zh-Hant", "next": "/sign-in"])
    #expect(
      browser.get("/sign-in", headers: [.acceptLanguage: "en"]).shows("lang=\"zh-Hant\""))
  }
}
