import Core
import Testing
import Web

@testable import App

@Suite("Data prepared by a guest don't wait for the owner of an address")
struct PreparedGuestTests {
  /// A guest prepares a contact, a group and another user's address; returns the guest's browser.
  private func prepared(_ instance: TestInstance) throws -> TestClient {
    let stranger = try instance.guest("Vic")
    stranger.post("/checkin/contacts", ["name": "Eve", "email": "eve@evil.test"])
    _ = try stranger.makeGroup()
    stranger.post(
      "/become-a-member", ["email": "vic@example.test", "password": TestInstance.password])
    return stranger
  }

  private func complete(_ instance: TestInstance, _ browser: TestClient, _ password: String) throws
  {
    let token = try #require(
      browser.get(try instance.link(to: "vic@example.test")).value(of: "token"))
    let form = browser.post("/verify", ["token": token])
    #expect(browser.get(try #require(form.location)).shows("data-testid=\"of-guest\""))
    #expect(
      browser.post("/register/complete", ["token": token, "password": password]).status == 303)
  }

  @Test("Data prepared by a guest aren't merged into the account of an address's owner")
  func preparedByStranger() throws {
    let instance = try TestInstance()
    let stranger = try prepared(instance)
    let mail = try #require(try instance.mails(to: "vic@example.test").last)
    #expect(mail.text.contains("emergency contacts") && mail.text.contains("it starts empty"))
    let victim = instance.browser()
    try complete(instance, victim, "a password of my own")
    #expect(try instance.people(named: "Vic").count == 2)
    #expect(!victim.get("/checkin/contacts").shows("eve@evil.test"))
    #expect(victim.get("/groups").text.firstMatch(of: /\/groups\/[0-9a-f-]{36}/) == nil)
    #expect(stranger.get("/checkin/contacts").shows("eve@evil.test"))
    #expect(instance.browser().signIn("vic@example.test", TestInstance.password).status == 422)
  }

  @Test("A member who started empty can take over the guest's data by signing in there")
  func takenAlongLater() throws {
    let instance = try TestInstance()
    let guest = try prepared(instance)
    try complete(instance, instance.browser(), "a password of my own")
    let merge = try #require(
      guest.signIn("vic@example.test", "a password of my own").location)
    #expect(merge.hasPrefix("/merge"))
    guest.get(merge)
    #expect(guest.post("/merge", ["take": "1"]).status == 303)
    #expect(guest.get("/checkin/contacts").shows("eve@evil.test"))
  }

  @Test("An app starts empty too with another password than that of the guest")
  func preparedInApp() throws {
    let instance = try TestInstance()
    _ = try prepared(instance)
    let vic = try #require(try instance.people(named: "Vic").first)
    let done = instance.client().post(
      "/auth/register/verify",
      ["token": try instance.token(to: "vic@example.test"), "password": "a password of my own"])
    #expect(done.status == 200)
    #expect(done.json["user_id"] as? String != vic.description)
  }
}
