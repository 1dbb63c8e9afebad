import Basics
import Testing
import Web

@testable import App

@Suite("What a stranger prepares as a guest doesn't wait for the owner of an address")
struct PreparedGuestTests {
  /// A stranger has a contact, a group and an address of somebody else ready; answers the stranger.
  private func prepared(_ house: TestHouse) throws -> Browser {
    let stranger = try house.guest("Vic")
    stranger.post("/checkin/contacts", ["name": "Eve", "email": "eve@evil.test"])
    _ = try stranger.makeGroup()
    stranger.post(
      "/become-a-member", ["email": "vic@example.test", "password": TestHouse.password])
    return stranger
  }

  private func complete(_ house: TestHouse, _ browser: Browser, _ password: String) throws {
    let token = try #require(
      browser.get(try house.link(to: "vic@example.test")).value(of: "token"))
    let form = browser.post("/verify", ["token": token])
    #expect(browser.get(try #require(form.location)).shows("data-testid=\"of-guest\""))
    #expect(
      browser.post("/register/complete", ["token": token, "password": password]).status == 303)
  }

  @Test("What a stranger prepared as a guest doesn't come along to the owner of an address")
  func preparedByStranger() throws {
    let house = try TestHouse()
    let stranger = try prepared(house)
    let mail = try #require(try house.mails(to: "vic@example.test").last)
    #expect(mail.text.contains("emergency contacts") && mail.text.contains("it starts empty"))
    let victim = house.browser()
    try complete(house, victim, "a password of my own")
    #expect(try house.people(named: "Vic").count == 2)
    #expect(!victim.get("/checkin/contacts").shows("eve@evil.test"))
    #expect(victim.get("/groups").text.firstMatch(of: /\/groups\/[0-9a-f-]{36}/) == nil)
    #expect(stranger.get("/checkin/contacts").shows("eve@evil.test"))
    #expect(house.browser().signIn("vic@example.test", TestHouse.password).status == 422)
  }

  @Test("Who started empty takes along what the guest has by signing in where the guest is")
  func takenAlongLater() throws {
    let house = try TestHouse()
    let guest = try prepared(house)
    try complete(house, house.browser(), "a password of my own")
    let merge = try #require(
      guest.signIn("vic@example.test", "a password of my own").location)
    #expect(merge.hasPrefix("/merge"))
    guest.get(merge)
    #expect(guest.post("/merge", ["take": "1"]).status == 303)
    #expect(guest.get("/checkin/contacts").shows("eve@evil.test"))
  }

  @Test("An app starts empty too with another password than that of the guest")
  func preparedInApp() throws {
    let house = try TestHouse()
    _ = try prepared(house)
    let vic = try #require(try house.people(named: "Vic").first)
    let done = house.client().post(
      "/auth/register/verify",
      ["token": try house.token(to: "vic@example.test"), "password": "a password of my own"])
    #expect(done.status == 200)
    #expect(done.json["user_id"] as? String != vic.description)
  }
}
