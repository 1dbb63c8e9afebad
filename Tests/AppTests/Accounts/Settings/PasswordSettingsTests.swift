import Testing

@testable import App

@Suite("Changing one's password")
struct PasswordSettingsTests {
  private static let new = "quite another sentence"

  private func change(
    _ browser: TestClient, from current: String = TestInstance.password, to new: String = Self.new
  ) -> TestResponse {
    browser.post("/settings/password", ["current_password": current, "password": new])
  }

  @Test("Where a second factor is on, a new password takes a code, which is not used up in vain")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/settings/password").shows("name=\"code\""))
    #expect(change(sam).status == 422)
    func attempt(_ code: String, from current: String = TestInstance.password) -> TestResponse {
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

  @Test("The new password works, other sessions end, this one continues with a new secret")
  func wholeWay() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let old = sam.copy()
    let before = sam.cookie("session")
    #expect(change(sam).location == "/settings/password")
    #expect(sam.cookie("session") != nil && sam.cookie("session") != before)
    #expect(sam.get("/settings").status == 200)
    for browser in [other, old] { #expect(browser.get("/settings").status == 303) }
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 422)
    #expect(instance.browser().signIn("sam@example.test", Self.new).status == 303)
    let mails = try instance.mails(to: "sam@example.test")
    #expect(mails.map(\.subject) == ["Your PairSpot password was changed"])
    #expect(mails.last?.text.contains(Self.new) == false)
  }

  @Test(
    "Without the right password or with a poor new one nothing changes, and neither is shown again",
    arguments: [
      ("not the password", Self.new), ("", Self.new), (TestInstance.password, ""),
      (TestInstance.password, "short"), (TestInstance.password, "password1"),
      (TestInstance.password, "sam@example.test"), ("", ""),
    ])
  func wrong(current: String, new: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let answer = change(sam, from: current, to: new)
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(!answer.shows("value=\"\(TestInstance.password)\"") && !answer.shows(Self.new))
    #expect(other.get("/settings").status == 200)
    #expect(try instance.mails(to: "sam@example.test").isEmpty)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 303)
  }

  @Test("Both empty fields are named")
  func bothNamed() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let answer = change(try instance.signedIn("sam"), from: "", to: "")
    for words in [
      "#current_password\">Current password", "#password\">Password",
      "Enter your current password", "Enter a password",
    ] {
      #expect(answer.shows(words), "\(words)")
    }
  }

  @Test("Guessing a signed-in user's password ends after ten attempts")
  func guessing() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for _ in 1...10 { #expect(change(sam, from: "a wrong guess").status == 422) }
    #expect(change(sam).status == 429)
    instance.clock.advance(seconds: 3601)
    #expect(change(sam).status == 303)
  }

  @Test("Links that were asked for with the old password open nothing any more")
  func links() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    instance.browser().post("/reset", ["email": "sam@example.test"])
    let reset = try instance.link(to: "sam@example.test")
    let sam = try instance.signedIn("sam")
    sam.post(
      "/settings/email",
      ["email": "new@example.test", "current_password": TestInstance.password])
    let confirm = try instance.link(to: "new@example.test")
    #expect(sam.get(reset).status == 200 && sam.get(confirm).status == 200)
    #expect(change(sam).status == 303)
    #expect(sam.get(reset).status == 410 && sam.get(confirm).status == 410)
  }

  @Test("A new password by mail ends a wish for another address too")
  func resetEndsWish() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let thief = try instance.signedIn("sam")
    thief.post(
      "/settings/email",
      ["email": "thief@example.test", "current_password": TestInstance.password])
    let confirm = try instance.link(to: "thief@example.test")
    let sam = instance.browser()
    sam.post("/reset", ["email": "sam@example.test"])
    let token = try #require(sam.get(try instance.link(to: "sam@example.test")).value(of: "token"))
    #expect(sam.post("/reset/confirm", ["token": token, "password": Self.new]).status == 303)
    #expect(thief.get(confirm).status == 410)
  }
}
