import Testing

@testable import App

@Suite("Changing one's password")
struct PasswordSettingsTests {
  private static let new = "quite another sentence"

  private func change(
    _ browser: Browser, from current: String = TestHouse.password, to new: String = Self.new
  ) -> Answer {
    browser.post("/settings/password", ["current_password": current, "password": new])
  }

  @Test("Where a second factor is on, a new password takes a code, which is not used up in vain")
  func secondFactor() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(house)
    #expect(sam.get("/settings/password").shows("name=\"code\""))
    #expect(change(sam).status == 422)
    func attempt(_ code: String, from current: String = TestHouse.password) -> Answer {
      sam.post(
        "/settings/password",
        ["current_password": current, "password": Self.new, "code": code])
    }
    let code = app.next()
    #expect(attempt(code, from: "wrong").status == 422)
    let wrong = attempt(app.wrong)
    #expect(wrong.status == 422 && wrong.shows("href=\"#code\""))
    #expect(attempt(code).location == "/settings/password")
    #expect(attempt(code, from: Self.new).status == 422)
  }

  @Test("The new password holds, other sessions end, this one goes on with a new secret")
  func wholeWay() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let (sam, other) = (try house.signedIn("sam"), try house.signedIn("sam"))
    let old = sam.copy()
    let before = sam.cookie("session")
    #expect(change(sam).location == "/settings/password")
    #expect(sam.cookie("session") != nil && sam.cookie("session") != before)
    #expect(sam.get("/settings").status == 200)
    for browser in [other, old] { #expect(browser.get("/settings").status == 303) }
    #expect(house.browser().signIn("sam@example.test", TestHouse.password).status == 422)
    #expect(house.browser().signIn("sam@example.test", Self.new).status == 303)
    let mails = try house.mails(to: "sam@example.test")
    #expect(mails.map(\.subject) == ["Your PairSpot password was changed"])
    #expect(mails.last?.text.contains(Self.new) == false)
  }

  @Test(
    "Without the right password or with a poor new one nothing changes, and neither is shown again",
    arguments: [
      ("not the password", Self.new), ("", Self.new), (TestHouse.password, ""),
      (TestHouse.password, "short"), (TestHouse.password, "password1"),
      (TestHouse.password, "sam@example.test"), ("", ""),
    ])
  func wrong(current: String, new: String) throws {
    let house = try TestHouse()
    try house.alone("sam")
    let (sam, other) = (try house.signedIn("sam"), try house.signedIn("sam"))
    let answer = change(sam, from: current, to: new)
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(!answer.shows("value=\"\(TestHouse.password)\"") && !answer.shows(Self.new))
    #expect(other.get("/settings").status == 200)
    #expect(try house.mails(to: "sam@example.test").isEmpty)
    #expect(house.browser().signIn("sam@example.test", TestHouse.password).status == 303)
  }

  @Test("Both empty fields are named")
  func bothNamed() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let answer = change(try house.signedIn("sam"), from: "", to: "")
    for words in ["#current_password\">Type the password that", "#password\">Type a password"] {
      #expect(answer.shows(words), "\(words)")
    }
  }

  @Test("Guessing the password of somebody who is signed in ends after ten tries")
  func guessing() throws {
    let house = try TestHouse(limits: true)
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    for _ in 1...10 { #expect(change(sam, from: "a wrong guess").status == 422) }
    #expect(change(sam).status == 429)
    house.clock.advance(seconds: 3601)
    #expect(change(sam).status == 303)
  }

  @Test("Links that were asked for with the old password open nothing any more")
  func links() throws {
    let house = try TestHouse()
    try house.alone("sam")
    house.browser().post("/reset", ["email": "sam@example.test"])
    let reset = try house.link(to: "sam@example.test")
    let sam = try house.signedIn("sam")
    sam.post(
      "/settings/email",
      ["email": "new@example.test", "current_password": TestHouse.password])
    let confirm = try house.link(to: "new@example.test")
    #expect(sam.get(reset).status == 200 && sam.get(confirm).status == 200)
    #expect(change(sam).status == 303)
    #expect(sam.get(reset).status == 410 && sam.get(confirm).status == 410)
  }

  @Test("A new password by mail ends a wish for another address too")
  func resetEndsWish() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let thief = try house.signedIn("sam")
    thief.post(
      "/settings/email",
      ["email": "thief@example.test", "current_password": TestHouse.password])
    let confirm = try house.link(to: "thief@example.test")
    let sam = house.browser()
    sam.post("/reset", ["email": "sam@example.test"])
    let token = try #require(sam.get(try house.link(to: "sam@example.test")).value(of: "token"))
    #expect(sam.post("/reset/confirm", ["token": token, "password": Self.new]).status == 303)
    #expect(thief.get(confirm).status == 410)
  }
}
