import Basics
import Database
import Testing

@testable import Accounts
@testable import App

@Suite("Apps are signed out wherever browsers are")
struct TokenEndTests {
  private static let page = "/settings/sessions"

  /// Sam with a browser and an app.
  private func sam(_ house: TestHouse) throws -> (ID<Person>, Browser, TokenPair) {
    let sam = try house.alone("sam")
    return (sam.id, try house.signedIn("sam"), try house.app(sam.id))
  }

  private func end(_ browser: Browser, _ name: String, _ value: String) -> Answer {
    browser.post(
      Self.page, all: [(name, value), ("current_password", TestHouse.password)])
  }

  @Test("A changed password signs apps out")
  func password() throws {
    let house = try TestHouse()
    let (_, browser, app) = try sam(house)
    let fields: KeyValuePairs = [
      "current_password": TestHouse.password, "password": "another sentence",
    ]
    #expect(browser.post("/settings/password", fields).status == 303)
    #expect(try house.access(app) == "invalid_token")
    #expect(try house.code { try house.refresh(app.refresh) } == "invalid_token")
  }

  @Test("A password set by mail signs apps out")
  func reset() throws {
    let house = try TestHouse()
    let (_, _, app) = try sam(house)
    let browser = house.browser()
    browser.post("/reset", ["email": "sam@example.test"])
    let token = try #require(browser.get(try house.link(to: "sam@example.test")).value(of: "token"))
    browser.post("/reset/confirm", ["token": token, "password": "another sentence"])
    #expect(try house.access(app) == "invalid_token")
  }

  @Test("A deleted account signs apps out; coming back doesn't bring them back")
  func deleted() throws {
    let house = try TestHouse()
    let (_, browser, app) = try sam(house)
    browser.leave()
    #expect(try house.access(app) == "invalid_token")
    #expect(browser.comeBack("sam@example.test").status == 303)
    #expect(try house.access(app) == "invalid_token")
  }

  @Test("Turning the second factor on signs apps out")
  func secondFactor() throws {
    let house = try TestHouse()
    let (_, browser, app) = try sam(house)
    _ = try browser.turnOnSecondFactor(house)
    #expect(try house.access(app) == "invalid_token")
  }

  @Test("Becoming staff signs apps out, and staff powers need today's sign-in there too")
  func staff() throws {
    let house = try TestHouse()
    let (person, browser, app) = try sam(house)
    _ = try browser.turnOnSecondFactor(house)
    let second = try house.app(person)
    try house.appoint("sam@example.test")
    #expect(try house.access(app) == "invalid_token" && house.access(second) == "invalid_token")
    let third = try house.app(person)
    let role = { (pair: TokenPair) in
      try house.tokens.caller(pair.access, now: house.clock.now()).viewer.role
    }
    #expect(try role(third) == .moderator)
    house.clock.advance(seconds: 12 * 3600)
    #expect(try role(try house.refresh(third.refresh)) == .member)
  }

  @Test("The settings list apps, and end one or all others")
  func listed() throws {
    let house = try TestHouse()
    let (person, browser, app) = try sam(house)
    let list = browser.get(Self.page)
    #expect(list.shows("An app"))
    let handle = try #require(list.sessionHandles.first)
    #expect(end(browser, "session", handle).status == 303)
    #expect(try house.access(app) == "invalid_token")
    #expect(!browser.get(Self.page).shows("An app"))
    let others = [try house.app(person), try house.app(person)]
    #expect(browser.get(Self.page).sessionHandles.count == 2)
    #expect(end(browser, "others", "1").status == 303)
    for other in others { #expect(try house.access(other) == "invalid_token") }
    #expect(browser.isSignedIn)
  }

  @Test("Nobody ends somebody else's app")
  func foreign() throws {
    let house = try TestHouse()
    let (_, browser, app) = try sam(house)
    let handle = try #require(browser.get(Self.page).sessionHandles.first)
    try house.alone("eve")
    let eve = try house.signedIn("eve")
    #expect(end(eve, "session", handle).status == 303)
    #expect(end(eve, "others", "1").status == 303)
    #expect(try house.access(app) == "fine")
  }

  @Test("A guest who becomes a member, or is merged into one, leaves the app signed out")
  func guest() throws {
    let house = try TestHouse()
    let made = try GuestDesk(services: house.house.features.accounts.services).make(
      .init(name: "Kim", language: .english, timeZone: nil, termsVersion: ""), from: "a",
      now: house.clock.now())
    let app = try house.app(made.guest)
    #expect(try house.access(app) == "fine")
    let member = try house.alone("sam")
    try house.database.write { writer in
      for participant in house.house.participants {
        try participant.merge(
          guest: made.guest, into: member.id, now: house.clock.now(), in: writer)
      }
    }
    #expect(try house.access(app) == "invalid_token")
  }

  @Test("The export lists apps and the bound device, without a secret")
  func export() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let device = ID<Device>.random()
    let app = try house.app(sam.id, device: device, name: "PairSpot/7.3 (iPhone)")
    let files = try house.database.read { reader in
      try house.house.participants.flatMap { try $0.export(sam.id, from: reader) }
    }
    let text = files.map { String(decoding: $0.json, as: UTF8.self) }.joined()
    #expect(text.contains("PairSpot/7.3 (iPhone)") || text.contains("PairSpot\\/7.3 (iPhone)"))
    #expect(files.map(\.name).contains("device.json") && text.contains(device.description))
    #expect(!text.contains(app.refresh) && !text.contains(app.access))
  }
}
