import Core
import Testing
import Web

@testable import App

@Suite("Signing in with a second factor")
struct SignInCodeTests {
  /// Sam with the second factor on, and the app.
  private func sam(_ instance: TestInstance) throws -> (TestClient, Authenticator, [String]) {
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let (app, codes) = try browser.turnOnSecondFactor(instance)
    return (browser, app, codes)
  }

  @Test("The right password leads to the code, and only the code signs in, with a new session")
  func wholeWay() throws {
    let instance = try TestInstance()
    let (_, app, _) = try sam(instance)
    let browser = try instance.halfSignedIn("sam", next: "/about?x=1")
    #expect(browser.cookie("session") == nil && !browser.isSignedIn)
    let page = browser.get("/sign-in/code")
    #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
    #expect(browser.enter("").status == 422)
    let wrong = browser.enter(app.wrong)
    #expect(wrong.status == 422 && !wrong.shows(app.wrong) && browser.cookie("session") == nil)
    #expect(browser.enter(app.next()).location == "/about?x=1")
    #expect(browser.isSignedIn && browser.cookie("code") == nil)
    #expect(browser.get("/sign-in/code").location == "/")
  }

  @Test("Coming back after deleting the account takes the code before anything else")
  func comingBack() throws {
    let instance = try TestInstance()
    let (browser, app, _) = try sam(instance)
    browser.leave()
    let returning = try instance.halfSignedIn("sam")
    for answer in [returning.get("/restore"), returning.post("/restore")] {
      #expect(answer.location == "/sign-in")
    }
    #expect(returning.enter(app.wrong).status == 422)
    #expect(returning.get("/restore").location == "/sign-in")
    #expect(try instance.count("SELECT count(*) FROM users WHERE deleted_at IS NOT NULL") == 1)
    #expect(returning.enter(app.next()).location == "/restore" && !returning.isSignedIn)
    #expect(returning.post("/restore").location == "/" && returning.isSignedIn)
  }

  @Test("A wrong password never leads to the code")
  func wrongPassword() throws {
    let instance = try TestInstance()
    _ = try sam(instance)
    let browser = instance.browser()
    #expect(browser.signIn("sam@example.test", "not the password").status == 422)
    #expect(browser.cookie("code") == nil)
    #expect(browser.get("/sign-in/code").location == "/sign-in")
  }

  @Test("A step works once, and none before it")
  func replay() throws {
    let instance = try TestInstance()
    let (_, app, _) = try sam(instance)
    let (first, second) = (try instance.halfSignedIn("sam"), try instance.halfSignedIn("sam"))
    instance.clock.advance(seconds: 60)
    let before = app.code(later: -1)
    #expect(first.enter(app.code()).location == "/")
    for code in [app.code(), before] { #expect(second.enter(code).status == 422) }
    #expect(second.enter(app.code(later: 1)).location == "/")
  }

  @Test("The code that turned it on doesn't sign in")
  func firstCode() throws {
    let instance = try TestInstance()
    let (_, app, _) = try sam(instance)
    #expect(try instance.halfSignedIn("sam").enter(app.code()).status == 422)
  }

  @Test("A recovery code works once; the remaining number is shown, and the user mailed")
  func recovery() throws {
    let instance = try TestInstance()
    let (_, _, codes) = try sam(instance)
    let browser = try instance.halfSignedIn("sam")
    #expect(browser.enter(codes[0]).location == "/")
    #expect(browser.get("/settings/second-factor").shows("You have 9 recovery codes left"))
    let again = try instance.halfSignedIn("sam")
    #expect(again.enter(codes[0]).status == 422)
    #expect(again.enter(codes[1]).location == "/")
    let subjects = try instance.mails(to: "sam@example.test").map(\.subject)
    #expect(subjects.filter { $0 == "A recovery code was used" }.count == 2)
  }

  @Test("Another user's recovery code is refused")
  func foreignRecovery() throws {
    let instance = try TestInstance()
    let (_, _, codes) = try sam(instance)
    try instance.alone("eve")
    let (_, others) = try instance.signedIn("eve").turnOnSecondFactor(instance)
    let browser = try instance.halfSignedIn("sam")
    #expect(browser.enter(others[0]).status == 422)
    #expect(browser.enter(codes[0]).location == "/")
  }

  @Test("Spaces, hyphens and full-width digits are forgiven")
  func typing() throws {
    let instance = try TestInstance()
    let (_, app, codes) = try sam(instance)
    let wide = { (text: String) in
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.map { scalar in
            ("0"..."9").contains(scalar) ? Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar : scalar
          }))
    }
    let code = app.next()
    #expect(
      try instance.halfSignedIn("sam").enter(" \(code.prefix(3)) \(code.dropFirst(3)) ").status
        == 303)
    #expect(try instance.halfSignedIn("sam").enter(wide(app.next())).status == 303)
    let entered = [
      codes[0].replacing(" ", with: ""), codes[1].replacing(" ", with: "-"), wide(codes[2]),
    ]
    for code in entered { #expect(try instance.halfSignedIn("sam").enter(code).status == 303) }
  }

  @Test(
    "A malformed code is refused",
    arguments: [
      "12345", "1234567", "abcdef", "' OR 1", "-12345", "1.2345",
      String(repeating: " ", count: 5000),
    ])
  func noCode(entered: String) throws {
    let instance = try TestInstance()
    _ = try sam(instance)
    #expect(try instance.halfSignedIn("sam").enter(entered).status == 422)
  }

  @Test("After ten wrong codes in an hour not even the right one does, in any browser")
  func bruteForce() throws {
    let instance = try TestInstance(limits: true)
    let (_, app, codes) = try sam(instance)
    let browser = try instance.halfSignedIn("sam")
    for _ in 1...5 { #expect(browser.enter(app.wrong).status == 422) }
    let other = try instance.halfSignedIn("sam")
    other.peer = "203.0.113.9"
    for _ in 1...5 { #expect(other.enter("000000000000").status == 422) }
    for code in [app.next(), codes[0]] {
      let locked = other.enter(code)
      #expect(locked.status == 429 && locked.headers[.retryAfter] != nil)
      #expect(try instance.halfSignedIn("sam").enter(code).status == 429)
    }
    instance.clock.advance(seconds: 3601)
    #expect(try instance.halfSignedIn("sam").enter(codes[0]).location == "/")
    #expect(try instance.halfSignedIn("sam").enter(app.next()).location == "/")
  }

  @Test("A pending sign-in belongs to one browser, expires after ten minutes, and works once")
  func waiting() throws {
    let instance = try TestInstance()
    let (_, app, codes) = try sam(instance)
    let stranger = instance.browser()
    let waiting = try instance.halfSignedIn("sam")
    #expect(stranger.enter(app.next()).location == "/sign-in")
    let copy = waiting.copy()
    #expect(waiting.enter(app.next()).location == "/")
    #expect(copy.enter(codes[0]).location == "/sign-in" && !copy.isSignedIn)
    let late = try instance.halfSignedIn("sam")
    instance.clock.advance(seconds: 599)
    #expect(late.get("/sign-in/code").status == 200)
    instance.clock.advance(seconds: 1)
    #expect(late.get("/sign-in/code").location == "/sign-in")
    #expect(late.enter(app.code()).location == "/sign-in" && !late.isSignedIn)
  }

  @Test("A new password by mail neither removes nor bypasses it, and ends a pending sign-in")
  func reset() throws {
    let instance = try TestInstance()
    let (_, app, _) = try sam(instance)
    let waiting = try instance.halfSignedIn("sam")
    let browser = instance.browser()
    instance.clock.advance(seconds: 5)
    browser.post("/reset", ["email": "sam@example.test"])
    let token = try #require(
      browser.get(try instance.link(to: "sam@example.test")).value(of: "token"))
    let saved = browser.post("/reset/confirm", ["token": token, "password": "another sentence"])
    #expect(saved.location == "/sign-in" && !browser.isSignedIn)
    #expect(waiting.enter(app.next()).location == "/sign-in")
    #expect(browser.signIn("sam@example.test", "another sentence").location == "/sign-in/code")
    #expect(!browser.isSignedIn)
    #expect(browser.enter(app.next()).location == "/")
  }

  @Test("An account deleted between password and code asks whether to restore it")
  func deleted() throws {
    let instance = try TestInstance()
    let (_, app, _) = try sam(instance)
    let browser = try instance.halfSignedIn("sam")
    try instance.database.write {
      try $0.execute("UPDATE users SET deleted_at = 1 WHERE deleted_at IS NULL")
    }
    #expect(browser.enter(app.next()).location == "/restore")
    #expect(!browser.isSignedIn)
  }
}
