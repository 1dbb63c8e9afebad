import Testing
import Web

@testable import App

@Suite("Signing in")
struct SignInTests {
  private static let wrong = "not the password"

  @Test("A wrong password and an unknown address are answered alike")
  func mismatch() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let known = instance.browser().signIn("sam@example.test", Self.wrong)
    let unknown = instance.browser().signIn("eve@example.test", Self.wrong)
    #expect(known.status == 422 && unknown.status == 422)
    #expect(
      known.withoutStates.replacing("sam@", with: "")
        == unknown.withoutStates.replacing("eve@", with: ""))
    #expect(known.shows("value=\"sam@example.test\"") && !known.shows(Self.wrong))
  }

  @Test("The address may be typed in another case, the session gets a new secret each time")
  func newSession() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = instance.browser()
    #expect(sam.signIn("SAM@Example.Test", TestInstance.password).status == 303)
    let first = sam.cookie("session")
    sam.get("/")
    #expect(sam.post("/sign-out").location == "/")
    #expect(sam.cookie("session") == nil)
    sam.signIn("sam@example.test", TestInstance.password)
    #expect(sam.cookie("session") != nil && sam.cookie("session") != first)
  }

  @Test("After signing out the old cookie opens nothing")
  func signedOut() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let other = sam.copy()
    sam.get("/")
    sam.post("/sign-out")
    #expect(!other.get("/").shows("data-composer"))
  }

  @Test("Ten failures in an hour lock strangers out, not a browser that was in before")
  func lockout() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let known = try instance.signedIn("sam")
    known.get("/")
    known.post("/sign-out")
    let stranger = instance.browser()
    stranger.peer = "203.0.113.9"
    for _ in 1...10 {
      #expect(stranger.signIn("sam@example.test", Self.wrong).status == 422)
      instance.clock.advance(seconds: 61)
    }
    let locked = stranger.signIn("sam@example.test", TestInstance.password)
    #expect(locked.status == 429 && locked.headers[.retryAfter] != nil)
    #expect(known.signIn("sam@example.test", TestInstance.password).status == 303)
    instance.clock.advance(seconds: 3601)
    #expect(stranger.signIn("sam@example.test", TestInstance.password).status == 303)
  }

  @Test("Failures on an unknown address are counted alike")
  func lockoutOfNobody() throws {
    let instance = try TestInstance(limits: true)
    let stranger = instance.browser()
    for _ in 1...10 {
      #expect(stranger.signIn("eve@example.test", Self.wrong).status == 422)
      instance.clock.advance(seconds: 61)
    }
    #expect(stranger.signIn("eve@example.test", Self.wrong).status == 429)
  }

  @Test("One address tries ten times a minute at most")
  func tooFast() throws {
    let instance = try TestInstance(limits: true)
    let browser = instance.browser()
    for number in 1...10 { browser.signIn("a\(number)@example.test", Self.wrong) }
    #expect(browser.signIn("b@example.test", Self.wrong).status == 429)
    instance.clock.advance(seconds: 61)
    #expect(browser.signIn("b@example.test", Self.wrong).status == 422)
  }

  @Test(
    "Signing in redirects to paths of this site only",
    arguments: [
      ("/couples/x?after=1", "/couples/x?after=1"), ("https://evil.test/", "/"),
      ("//evil.test", "/"),
      ("/\\evil.test", "/"), ("javascript:alert(1)", "/"), ("", "/"), ("/a\r\nb", "/"),
    ])
  func next(asked: String, leads: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    #expect(
      instance.browser().signIn("sam@example.test", TestInstance.password, next: asked).location
        == leads)
  }

  @Test("A signed-out visitor is sent to sign in, and back to the requested page")
  func returning() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    let browser = instance.browser()
    let away = browser.get("/couples/\(couple.id)/edit")
    #expect(away.status == 303)
    #expect(away.location == "/sign-in?next=/couples/\(couple.id)/edit")
    #expect(browser.get(away.location ?? "").value(of: "next") == "/couples/\(couple.id)/edit")
  }

  @Test("A session ends 90 days after the last visit, and each visit moves that on")
  func sliding() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for _ in 1...2 {
      instance.clock.advance(seconds: 89 * 86_400)
      #expect(sam.get("/").shows("data-composer"))
    }
    instance.clock.advance(seconds: 90 * 86_400 + 1)
    #expect(!sam.get("/").shows("data-composer"))
  }

  @Test("A session ends a year after the sign-in, however often it is used", arguments: [0, 1])
  func longest(ofBefore: Int) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    // Older sessions have no end of their own; they last the same year.
    if ofBefore == 1 {
      try instance.database.write { try $0.execute("UPDATE sessions SET ends_at = NULL") }
    }
    for _ in 1...4 {
      instance.clock.advance(seconds: 80 * 86_400)
      #expect(sam.isSignedIn)
    }
    instance.clock.advance(seconds: 45 * 86_400 - 10)
    #expect(sam.isSignedIn)
    instance.clock.advance(seconds: 10)
    #expect(!sam.isSignedIn)
  }

  @Test("Another person's account that is opened on a browser ends the session that was there")
  func replaced() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    instance.browser().post(
      "/register/alone",
      [
        "email": "sam@example.test", "display_name": "Sam", "password": TestInstance.password,
        "accept": "1",
      ])
    let ann = try instance.signedIn("ann")
    let old = ann.copy()
    let token = try #require(ann.get(try instance.link(to: "sam@example.test")).value(of: "token"))
    ann.post("/verify", ["token": token])
    let done = ann.post("/register/complete", ["token": token, "password": "my own long words"])
    #expect(done.status == 303)
    #expect(ann.get("/settings").shows("Sam"))
    #expect(!old.isSignedIn)
  }
}
