import Testing

@testable import App

@Suite("A new link for a registration whose link is no longer valid")
struct NewLinkTests {
  private static let path = "/verify/again"
  private static let waiting = "sam@example.test"

  /// An instance in which a registration waits.
  private func begun(limits: Bool = false) throws -> TestInstance {
    let instance = try TestInstance(limits: limits)
    let answer = instance.browser().post(
      "/register/alone",
      [
        "email": Self.waiting, "display_name": "Sam", "password": TestInstance.password,
        "accept": "1",
      ])
    try #require(answer.location == "/register/waiting")
    return instance
  }

  @Test("The page of an expired link sends a new one, from any browser, and that one works")
  func again() throws {
    let instance = try begun()
    let old = try instance.link(to: Self.waiting)
    instance.clock.advance(seconds: 24 * 3600 + 1)
    let other = instance.browser()
    let expired = other.get(old)
    #expect(expired.status == 410 && expired.shows("action=\"\(Self.path)\""))
    #expect(expired.shows("href=\"/sign-in\"") && !expired.shows("href=\"/register/waiting\""))
    #expect(other.post(Self.path, ["email": " SAM@example.test "]).status == 200)
    let new = try instance.link(to: Self.waiting)
    #expect(new != old && other.get(new).status == 200)
  }

  @Test("The answer is the same for any address; only one for which a registration waits gets mail")
  func uniform() throws {
    let instance = try begun()
    try instance.alone("kim")
    let addresses = [Self.waiting, "kim@example.test", "unknown@example.test"]
    let answers = addresses.map { instance.browser().post(Self.path, ["email": $0]) }
    #expect(answers.map(\.status) == [200, 200, 200])
    #expect(Set(answers.map(\.withoutStates)).count == 1)
    #expect(try addresses.map { try instance.mails(to: $0).count } == [2, 0, 0])
  }

  @Test("Nothing is sent once the registration is completed, or a week old")
  func over() throws {
    let instance = try begun()
    let browser = instance.browser()
    let token = try #require(
      browser.get(try instance.link(to: Self.waiting)).value(of: "token"))
    browser.post("/register/complete", ["token": token, "password": "my own long words"])
    #expect(instance.browser().post(Self.path, ["email": Self.waiting]).status == 200)
    #expect(try instance.mails(to: Self.waiting).count == 1)
    let late = try begun()
    late.clock.advance(seconds: 7 * 86_400 + 1)
    #expect(late.browser().post(Self.path, ["email": Self.waiting]).status == 200)
    #expect(try late.count("SELECT count(*) FROM verification_tokens") == 1)
  }

  @Test("A partner gets the link of their own side")
  func partner() throws {
    let instance = try TestInstance()
    _ = RegisterCoupleTests.register(instance.browser())
    #expect(instance.browser().post(Self.path, ["email": "ben@example.test"]).status == 200)
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    #expect(try instance.mails(to: "ben@example.test").count == 2)
    let page = instance.browser().get(try instance.link(to: "ben@example.test"))
    #expect(page.status == 200 && page.shows("ben@example.test"))
  }

  @Test("A malformed address is 422 and stays in the field", arguments: ["", "sam", "sam@"])
  func wrong(email: String) throws {
    let answer = try begun().browser().post(Self.path, ["email": email])
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(answer.shows("value=\"\(email)\""))
  }

  @Test("An address gets four mails an hour, and the answers stay the same")
  func recipient() throws {
    let instance = try begun(limits: true)
    for number in 1...6 {
      let browser = instance.browser()
      browser.peer = "198.51.100.\(number)"
      #expect(browser.post(Self.path, ["email": Self.waiting]).status == 200)
    }
    #expect(try instance.mails(to: Self.waiting).count == 4)
  }

  @Test("One browser asks ten times an hour, whatever the address")
  func asking() throws {
    let instance = try begun(limits: true)
    let browser = instance.browser()
    for number in 1...10 {
      #expect(browser.post(Self.path, ["email": "n\(number)@example.test"]).status == 200)
    }
    for address in [Self.waiting, "unknown@example.test"] {
      #expect(browser.post(Self.path, ["email": address]).status == 429)
    }
    #expect(try instance.mails(to: Self.waiting).count == 1)
    instance.clock.advance(seconds: 3601)
    #expect(browser.post(Self.path, ["email": Self.waiting]).status == 200)
  }
}
