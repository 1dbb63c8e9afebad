import Testing
import Web

@testable import App

@Suite("A new password by mail")
struct PasswordResetTests {
  private static let new = "quite another sentence"

  private func ask(_ browser: TestClient, _ email: String = "sam@example.test") -> TestResponse {
    browser.post("/reset", ["email": email])
  }

  @Test("The answer is the same for an unknown address, which gets no mail")
  func unknown() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (known, unknown) = (ask(instance.browser()), ask(instance.browser(), "eve@example.test"))
    #expect(known.status == 200 && unknown.status == 200)
    #expect(known.withoutStates == unknown.withoutStates)
    #expect(try instance.mails(to: "sam@example.test").count == 1)
    #expect(try instance.mails(to: "eve@example.test").isEmpty)
  }

  @Test("The new password works, every session ends, and the user is mailed")
  func wholeWay() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let other = instance.browser()
    _ = ask(other)
    let link = try instance.link(to: "sam@example.test")
    for _ in 1...2 { #expect(other.get(link).status == 200) }
    let token = try #require(other.get(link).value(of: "token"))
    #expect(other.post("/reset/confirm", ["token": token, "password": "short"]).status == 422)
    #expect(
      other.post("/reset/confirm", ["token": token, "password": Self.new]).location == "/sign-in")
    #expect(!sam.get("/").shows("data-composer"))
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 422)
    #expect(instance.browser().signIn("sam@example.test", Self.new).status == 303)
    #expect(try instance.mails(to: "sam@example.test").count == 2)
    #expect(other.get(link).status == 410)
    #expect(
      other.post("/reset/confirm", ["token": token, "password": "once more please"]).status == 410)
  }

  @Test("A link ends after an hour")
  func ends() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = ask(instance.browser())
    let link = try instance.link(to: "sam@example.test")
    instance.clock.advance(seconds: 3599)
    #expect(instance.browser().get(link).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(instance.browser().get(link).status == 410)
  }

  @Test("Using one link ends the others")
  func others() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = instance.browser()
    _ = ask(browser)
    let first = try instance.link(to: "sam@example.test")
    instance.clock.advance(seconds: 5)
    _ = ask(browser)
    let second = try instance.link(to: "sam@example.test")
    #expect(first != second)
    let token = try #require(browser.get(second).value(of: "token"))
    browser.post("/reset/confirm", ["token": token, "password": Self.new])
    #expect(browser.get(first).status == 410)
  }

  @Test("A fourth mail within the hour is simply not sent")
  func fourth() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let browser = instance.browser()
    let answers = (1...4).map { _ in ask(browser).withoutStates }
    #expect(Set(answers).count == 1)
    #expect(try instance.mails(to: "sam@example.test").count == 3)
  }
}
