import Core
import Database
import Testing

@testable import Accounts
@testable import App

@Suite("Apps are signed out wherever browsers are")
struct TokenEndTests {
  private static let page = "/settings/sessions"

  /// Sam with a browser and an app.
  private func sam(_ instance: TestInstance) throws -> (ID<Person>, TestClient, TokenPair) {
    let sam = try instance.alone("sam")
    return (sam.id, try instance.signedIn("sam"), try instance.app(sam.id))
  }

  private func end(_ browser: TestClient, _ name: String, _ value: String) -> TestResponse {
    browser.post(
      Self.page, all: [(name, value), ("current_password", TestInstance.password)])
  }

  @Test("A changed password signs apps out")
  func password() throws {
    let instance = try TestInstance()
    let (_, browser, app) = try sam(instance)
    let fields: KeyValuePairs = [
      "current_password": TestInstance.password, "password": "another sentence",
    ]
    #expect(browser.post("/settings/password", fields).status == 303)
    #expect(try instance.access(app) == "invalid_token")
    #expect(try instance.code { try instance.refresh(app.refresh) } == "invalid_token")
  }

  @Test("A password set by mail signs apps out")
  func reset() throws {
    let instance = try TestInstance()
    let (_, _, app) = try sam(instance)
    let browser = instance.browser()
    browser.post("/reset", ["email": "sam@example.test"])
    let token = try #require(
      browser.get(try instance.link(to: "sam@example.test")).value(of: "token"))
    browser.post("/reset/confirm", ["token": token, "password": "another sentence"])
    #expect(try instance.access(app) == "invalid_token")
  }

  @Test("A deleted account signs apps out; coming back doesn't bring them back")
  func deleted() throws {
    let instance = try TestInstance()
    let (_, browser, app) = try sam(instance)
    browser.leave()
    #expect(try instance.access(app) == "invalid_token")
    #expect(browser.comeBack("sam@example.test").status == 303)
    #expect(try instance.access(app) == "invalid_token")
  }

  @Test("Turning the second factor on signs apps out")
  func secondFactor() throws {
    let instance = try TestInstance()
    let (_, browser, app) = try sam(instance)
    _ = try browser.turnOnSecondFactor(instance)
    #expect(try instance.access(app) == "invalid_token")
  }

  @Test("Becoming staff signs apps out, and staff powers need today's sign-in there too")
  func staff() throws {
    let instance = try TestInstance()
    let (person, browser, app) = try sam(instance)
    _ = try browser.turnOnSecondFactor(instance)
    let second = try instance.app(person)
    try instance.appoint("sam@example.test")
    #expect(
      try instance.access(app) == "invalid_token" && instance.access(second) == "invalid_token")
    let third = try instance.app(person)
    let role = { (pair: TokenPair) in
      try instance.tokens.caller(pair.access, now: instance.clock.now()).viewer.role
    }
    #expect(try role(third) == .moderator)
    instance.clock.advance(seconds: 12 * 3600)
    #expect(try role(try instance.refresh(third.refresh)) == .member)
  }

  @Test("The settings list apps, and end one or all others")
  func listed() throws {
    let instance = try TestInstance()
    let (person, browser, app) = try sam(instance)
    let list = browser.get(Self.page)
    #expect(list.shows("An app"))
    let handle = try #require(list.sessionHandles.first)
    #expect(end(browser, "session", handle).status == 303)
    #expect(try instance.access(app) == "invalid_token")
    #expect(!browser.get(Self.page).shows("An app"))
    let others = [try instance.app(person), try instance.app(person)]
    #expect(browser.get(Self.page).sessionHandles.count == 2)
    #expect(end(browser, "others", "1").status == 303)
    for other in others { #expect(try instance.access(other) == "invalid_token") }
    #expect(browser.isSignedIn)
  }

  @Test("A user cannot end another user's app")
  func foreign() throws {
    let instance = try TestInstance()
    let (_, browser, app) = try sam(instance)
    let handle = try #require(browser.get(Self.page).sessionHandles.first)
    try instance.alone("eve")
    let eve = try instance.signedIn("eve")
    #expect(end(eve, "session", handle).status == 303)
    #expect(end(eve, "others", "1").status == 303)
    #expect(try instance.access(app) == "fine")
  }

  @Test("A guest who becomes a member, or is merged into one, is signed out in the app")
  func guest() throws {
    let instance = try TestInstance()
    let made = try GuestService(services: instance.instance.features.accounts.services).make(
      .init(name: "Kim", language: .english, timeZone: nil, termsVersion: ""), from: "a",
      now: instance.clock.now())
    let app = try instance.app(made.guest)
    #expect(try instance.access(app) == "fine")
    let member = try instance.alone("sam")
    try instance.database.write { writer in
      for participant in instance.instance.participants {
        try participant.merge(
          guest: made.guest, into: member.id, now: instance.clock.now(), in: writer)
      }
    }
    #expect(try instance.access(app) == "invalid_token")
  }

  @Test("The export lists apps and the bound device, without a secret")
  func export() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let device = ID<Device>.random()
    let app = try instance.app(sam.id, device: device, name: "PairSpot/7.3 (iPhone)")
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(sam.id, from: reader) }
    }
    let text = files.map { String(decoding: $0.json, as: UTF8.self) }.joined()
    #expect(text.contains("PairSpot/7.3 (iPhone)") || text.contains("PairSpot\\/7.3 (iPhone)"))
    #expect(files.map(\.name).contains("device.json") && text.contains(device.description))
    #expect(!text.contains(app.refresh) && !text.contains(app.access))
  }
}
