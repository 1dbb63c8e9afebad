import Accounts
import Core
import Testing
import Web

@testable import App

@Suite("Moderators and admins")
struct StaffTests {
  /// A staff member with active rights, in a browser signed in with password and code.
  private func staff(
    _ instance: TestInstance, _ role: Role = .moderator
  ) throws -> (TestClient, Authenticator) {
    try instance.alone("sam")
    let (app, _) = try instance.signedIn("sam").turnOnSecondFactor(instance)
    #expect(try instance.appoint("sam@example.test", as: role) == nil)
    let browser = try instance.halfSignedIn("sam")
    #expect(browser.enter(app.next()).location == "/")
    return (browser, app)
  }

  // MARK: /admin

  @Test("Signed out one is sent to sign in; guests and members find nothing")
  func others() throws {
    let instance = try TestInstance()
    #expect(instance.browser().get("/admin").location == "/sign-in?next=/admin")
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/admin").status == 404)
    _ = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/admin").status == 404)
    try instance.database.write { try $0.execute("UPDATE users SET role = 1 WHERE role = 2") }
    #expect(sam.get("/admin").status == 404)
  }

  @Test("Staff with a second factor see their name and role", arguments: [Role.moderator, .admin])
  func open(role: Role) throws {
    let instance = try TestInstance()
    let (browser, _) = try staff(instance, role)
    let page = browser.get("/admin")
    #expect(page.status == 200 && page.shows("Sam"))
    #expect(page.shows(role == .admin ? "You’re an admin" : "You’re a moderator"))
    #expect(page.headers[.cacheControl] == "no-store")
  }

  @Test("Staff without one are sent to set it up, and may come in after it")
  func without() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.appoint("sam@example.test")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/admin").location == "/settings/second-factor")
    _ = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/admin").status == 200)
  }

  @Test("Powers end 12 hours after the sign-in, however busy one is, and come back with the next")
  func lapse() throws {
    let instance = try TestInstance()
    let (browser, app) = try staff(instance)
    for _ in 1...11 {
      instance.clock.advance(seconds: 3600)
      #expect(browser.get("/admin").status == 200)
    }
    instance.clock.advance(seconds: 3599)
    #expect(browser.get("/admin").status == 200)
    instance.clock.advance(seconds: 1)
    #expect(browser.get("/admin").status == 404)
    #expect(browser.isSignedIn && browser.get("/settings/second-factor").status == 200)
    browser.post("/sign-out")
    browser.signIn("sam@example.test", TestInstance.password, next: "/admin")
    #expect(browser.enter(app.next()).location == "/admin")
    #expect(browser.get("/admin").status == 200)
  }

  @Test("Turning a second factor on gives no powers to a sign-in of yesterday")
  func oldSignIn() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.appoint("sam@example.test")
    let sam = try instance.signedIn("sam")
    instance.clock.advance(seconds: 12 * 3600)
    _ = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/admin").status == 404)
  }

  @Test("Staff can't turn their second factor off, with powers or without")
  func needed() throws {
    let instance = try TestInstance()
    let (browser, app) = try staff(instance)
    let off = "/settings/second-factor/off"
    for _ in 1...2 {
      #expect(!browser.get("/settings/second-factor").shows(off))
      #expect(browser.get(off).status == 404)
      let answer = browser.post(
        off, ["current_password": TestInstance.password, "code": app.next()])
      #expect(answer.status == 404)
      instance.clock.advance(seconds: 13 * 3600)
    }
  }

  // MARK: Roles

  @Test("A role ends every session and mails the user; with a second factor no link is needed")
  func appointed() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(try instance.appoint("SAM@example.test") != nil)
    #expect(!sam.isSignedIn)
    #expect(
      try instance.mails(to: "sam@example.test").map(\.subject) == [
        "You’re now on the PairSpot staff"
      ])
  }

  @Test("The command prints the remaining steps, and refuses an invalid address")
  func service() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let service = StaffCommands(instance.instance)
    let lines = try service.appoint(email: "new@example.test", as: .admin).lines
    #expect(
      lines.count == 3 && lines[0] == "Created an account for new@example.test with the role admin."
    )
    #expect(lines[2].hasPrefix("http://\(TestInstance.host)/staff/enrol?token="))
    let known = try service.appoint(email: "sam@example.test", as: .moderator).lines
    #expect(known.first == "sam@example.test now has the role moderator.")
    #expect(throws: StaffRoleService.InvalidAddressError.self) {
      try service.appoint(email: "nobody", as: .admin)
    }
  }

  // MARK: The link

  @Test("A new staff member sets name, password and second factor, and is signed in")
  func enrolNew() throws {
    let instance = try TestInstance()
    let link = try #require(try instance.appoint("new@example.test", as: .admin))
    let browser = instance.browser()
    for _ in 1...3 {
      let page = browser.get(link)
      #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
    }
    #expect(try instance.count("SELECT count(*) FROM totp_secrets") == 0)
    let token = try #require(browser.get(link).value(of: "token"))
    #expect(browser.post("/staff/enrol", ["token": token, "begin": "1"]).location == link)
    let app = try Authenticator(browser.get(link), instance)
    let empty = browser.post("/staff/enrol", ["token": token])
    for field in ["display_name", "password", "accept", "code"] {
      #expect(empty.status == 422 && empty.shows("id=\"\(field)_note\""))
    }
    func finish(_ password: String, _ code: String) -> TestResponse {
      browser.post(
        "/staff/enrol",
        [
          "token": token, "display_name": "Nora", "password": password, "accept": "1",
          "code": code,
        ])
    }
    #expect(finish("short", app.code()).status == 422)
    let wrong = finish("quite a long sentence", app.wrong)
    #expect(wrong.status == 422 && wrong.shows("value=\"Nora\""))
    #expect(!wrong.shows("quite a long sentence"))
    #expect(instance.browser().signIn("new@example.test", "quite a long sentence").status == 422)
    let done = finish("quite a long sentence", app.code())
    #expect(done.status == 200 && done.recoveryCodes.count == 10)
    #expect(browser.get("/admin").shows("Nora"))
    #expect(browser.get(link).status == 410)
    #expect(browser.copy().post("/staff/enrol", ["token": token, "begin": "1"]).status == 410)
    let again = instance.browser()
    #expect(again.signIn("new@example.test", "quite a long sentence").location == "/sign-in/code")
    #expect(again.enter(app.next()).location == "/")
  }

  @Test("A member sets the second factor only, and isn't signed in by the link")
  func enrolMember() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let link = try #require(try instance.appoint("sam@example.test"))
    let browser = instance.browser()
    let token = try #require(browser.get(link).value(of: "token"))
    browser.post("/staff/enrol", ["token": token, "begin": "1"])
    let page = browser.get(link)
    #expect(!page.shows("name=\"password\""))
    let app = try Authenticator(page, instance)
    let done = browser.post(
      "/staff/enrol",
      ["token": token, "code": app.code(), "password": "planted password", "accept": "1"])
    #expect(done.recoveryCodes.count == 10)
    #expect(!browser.isSignedIn)
    #expect(instance.browser().signIn("sam@example.test", "planted password").status == 422)
    browser.signIn("sam@example.test", TestInstance.password, next: "/admin")
    #expect(browser.enter(app.next()).location == "/admin")
    #expect(browser.get("/admin").status == 200)
  }

  @Test("A link ends after a day, with a newer one, and once there is nothing left to set up")
  func ends() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let first = try #require(try instance.appoint("sam@example.test"))
    let second = try #require(try instance.appoint("sam@example.test"))
    #expect(instance.browser().get(first).status == 410)
    instance.clock.advance(seconds: 24 * 3600 - 1)
    #expect(instance.browser().get(second).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(instance.browser().get(second).status == 410)
    let third = try #require(try instance.appoint("sam@example.test"))
    _ = try instance.signedIn("sam").turnOnSecondFactor(instance)
    #expect(instance.browser().get(third).status == 410)
  }

  @Test(
    "An unknown link is 410",
    arguments: ["", "?token=", "?token=x", "?token=\(String(repeating: "A", count: 43))"])
  func foreign(query: String) throws {
    let instance = try TestInstance()
    #expect(instance.browser().get("/staff/enrol\(query)").status == 410)
  }

  @Test("Links are hashed in the database")
  func hashed() throws {
    let instance = try TestInstance()
    let link = try #require(try instance.appoint("new@example.test"))
    let stored = try instance.database.read { reader in
      try reader.values("SELECT token_hash FROM staff_enrolments", as: [UInt8].self)
    }
    let token = try #require(link.split(separator: "=").last)
    #expect(stored.count == 1 && stored[0].count == 32)
    #expect(!stored[0].elementsEqual(Array(token.utf8)))
  }

  @Test("The menu shows staff pages to active staff only")
  func menu() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let link = "class=\"menu-item\" href=\"/admin\""
    #expect(!(try instance.signedIn("sam").get("/about").shows(link)))
    try instance.appoint("sam@example.test")
    let sam = try instance.signedIn("sam")
    #expect(!sam.get("/about").shows(link))
    _ = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/about").shows(link))
    instance.clock.advance(seconds: 12 * 3600)
    #expect(!sam.get("/about").shows(link))
  }
}
