import Core
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Notices from providers")
struct ProviderNoticeTests {
  /// Ann, whose account `x-1` with the provider is linked.
  private func linked(_ house: ProviderInstance) throws -> ProviderInstance {
    try house.instance.couple()
    try house.link("x-1", try house.instance.signedIn("ann"))
    return house
  }

  /// A browser that the provider signed in, a second later.
  private func signedIn(_ house: ProviderInstance, session: String? = nil) throws -> TestClient {
    house.instance.clock.advance(seconds: 2)
    let browser = house.instance.browser()
    try #require(try house.signIn("x-1", browser, ["sid": session]).location == "/")
    return browser
  }

  private func logOut(_ house: ProviderInstance, _ changes: [String: Any?]) -> TestResponse {
    house.instance.clock.advance(seconds: 2)
    return house.instance.browser().plainPost(
      "/sign-in/with/home/logout", [("logout_token", house.provider.logoutToken(changes))])
  }

  private func notify(
    _ house: ProviderInstance, _ type: String, email: String? = nil
  ) -> TestResponse {
    house.instance.clock.advance(seconds: 2)
    return house.instance.browser().send(
      .post, "/sign-in/with/apple/notices", headers: [.contentType: "application/json"],
      body: house.provider.notice(type, "x-1", email: email))
  }

  // MARK: Back-channel logout

  @Test("A logout token ends the sessions that the provider began, and no others")
  func subject() throws {
    let house = try linked(ProviderInstance())
    let byPassword = try house.instance.signedIn("ann")
    let (one, two) = (try signedIn(house), try signedIn(house, session: "s-2"))
    #expect(logOut(house, ["sub": "x-9"]).status == 200)
    #expect(one.isSignedIn && two.isSignedIn)
    let answer = logOut(house, ["sub": "x-1"])
    #expect(answer.status == 200)
    #expect(answer.headers[.cacheControl]?.contains("no-store") == true)
    #expect(!one.isSignedIn && !two.isSignedIn && byPassword.isSignedIn)
  }

  @Test("A logout token with a session ends that session")
  func session() throws {
    let house = try linked(ProviderInstance())
    let (one, two) = (try signedIn(house, session: "s-1"), try signedIn(house, session: "s-2"))
    let unknown = try signedIn(house)
    #expect(logOut(house, ["sid": "s-2"]).status == 200)
    #expect(one.isSignedIn && !two.isSignedIn && unknown.isSignedIn)
    #expect(logOut(house, ["sub": "x-1", "sid": "s-1"]).status == 200)
    #expect(!one.isSignedIn && !unknown.isSignedIn)
  }

  @Test("A logout token that is sent again does not end later sessions")
  func replay() throws {
    let house = try linked(ProviderInstance())
    _ = try signedIn(house)
    let token = house.provider.logoutToken(["sub": "x-1"])
    let later = try signedIn(house)
    let again = house.instance.browser().plainPost(
      "/sign-in/with/home/logout", [("logout_token", token)])
    #expect(again.status == 200 && later.isSignedIn)
  }

  @Test("A sign-in that waits for its code ends too")
  func waiting() throws {
    let house = try linked(ProviderInstance())
    let ann = try house.instance.signedIn("ann")
    let (app, _) = try ann.turnOnSecondFactor(house.instance)
    house.instance.clock.advance(seconds: 60)
    let (early, late) = (house.instance.browser(), house.instance.browser())
    #expect(try house.signIn("x-1", early).location == "/sign-in/code")
    #expect(logOut(house, ["sub": "x-1"]).status == 200)
    #expect(early.enter(app.next()).location == "/sign-in")
    #expect(try house.signIn("x-1", late).location == "/sign-in/code")
    #expect(late.enter(app.next()).location == "/")
    #expect(logOut(house, ["sub": "x-1"]).status == 200)
    #expect(!late.isSignedIn)
  }

  @Test("Apps that the provider signed in are signed out")
  func apps() throws {
    let house = try linked(ProviderInstance())
    let app = house.instance.client()
    let claims = house.provider.claims("x-1", nonce: "n", ["sid": "s-1"])
    app.post("/auth/sso/home", ["id_token": house.provider.idToken(claims), "nonce": "n"])
    #expect(app.isSignedIn)
    #expect(logOut(house, ["sid": "s-1"]).status == 200)
    #expect(!app.isSignedIn)
  }

  @Test("A token that fails a check ends nothing")
  func refused() throws {
    let house = try linked(ProviderInstance())
    let browser = try signedIn(house)
    for wrong: [String: Any?] in [
      [:], ["sub": "x-1", "nonce": "n"], ["sub": "x-1", "events": nil], ["sub": "x-1", "aud": "b"],
      ["sub": "x-1", "iat": 0],
    ] {
      let answer = logOut(house, wrong)
      #expect(answer.status == 400 && answer.text == #"{"error":"invalid_request"}"#)
    }
    let idToken = house.provider.idToken(house.provider.claims("x-1", nonce: "n"))
    for text in ["", "x", idToken] {
      let answer = house.instance.browser().plainPost(
        "/sign-in/with/home/logout", [("logout_token", text)])
      #expect(answer.status == 400)
    }
    #expect(browser.isSignedIn)
    #expect(
      house.instance.browser().plainPost(
        "/sign-in/with/away/logout", [("logout_token", "x")]
      ).status == 404)
  }

  @Test("Calls are limited for each address")
  func rate() throws {
    let house = try ProviderInstance(limits: true)
    let statuses = (1...601).map { _ in
      house.instance.browser().plainPost(
        "/sign-in/with/home/logout", [("logout_token", "x")]
      ).status
    }
    #expect(statuses == Array(repeating: 400, count: 600) + [429])
  }

  // MARK: Apple

  @Test("A revoked consent ends sessions; the account stays linked")
  func revoked() throws {
    let folder = try TemporaryFolder()
    let house = try linked(ProviderInstance(appleIn: folder))
    let browser = try signedIn(house)
    #expect(notify(house, "consent-revoked").status == 200)
    #expect(!browser.isSignedIn)
    #expect(try signedIn(house).isSignedIn)
  }

  @Test("A notice that comes again does not end later sessions")
  func noticeAgain() throws {
    let folder = try TemporaryFolder()
    let house = try linked(ProviderInstance(appleIn: folder))
    let notice = house.provider.notice("consent-revoked", "x-1")
    let later = try signedIn(house)
    let answer = house.instance.browser().send(
      .post, "/sign-in/with/apple/notices", headers: [.contentType: "application/json"],
      body: notice)
    #expect(answer.status == 200 && later.isSignedIn)
  }

  @Test("A deleted Apple account ends sessions, is unlinked, and the member gets a mail")
  func deleted() throws {
    let folder = try TemporaryFolder()
    let house = try linked(ProviderInstance(appleIn: folder))
    let browser = try signedIn(house)
    #expect(notify(house, "account-delete").status == 200)
    #expect(!browser.isSignedIn)
    let ann = try house.instance.signedIn("ann")
    #expect(ann.get("/settings/sign-in").shows("Not linked"))
    let mails = try house.instance.mails(to: "ann@example.test")
    #expect(mails.contains { $0.text.contains("Apple was just unlinked") })
    #expect(notify(house, "account-delete").status == 200)
  }

  @Test("A member whose relay address gets no mail any more is told, until it does again")
  func relay() throws {
    let folder = try TemporaryFolder()
    let house = try linked(ProviderInstance(appleIn: folder))
    let ann = try house.instance.signedIn("ann")
    let isTold = { ann.get($0).shows("no longer forwards") }
    #expect(notify(house, "email-disabled", email: "other@example.test").status == 200)
    #expect(!isTold("/settings/sign-in"))
    #expect(notify(house, "email-disabled", email: "ANN@example.test").status == 200)
    #expect(isTold("/settings/sign-in") && isTold("/settings/email"))
    #expect(notify(house, "email-enabled", email: "ann@example.test").status == 200)
    #expect(!isTold("/settings/sign-in") && !isTold("/settings/email"))
  }

  @Test("A notice that fails a check changes nothing, and other providers send none")
  func refusedNotice() throws {
    let folder = try TemporaryFolder()
    let house = try linked(ProviderInstance(appleIn: folder))
    let browser = try signedIn(house)
    for body in ["", "{}", #"{"payload":"x.y.z"}"#, String(repeating: "[", count: 30_000)] {
      let answer = house.instance.browser().send(
        .post, "/sign-in/with/apple/notices", headers: [.contentType: "application/json"],
        body: Array(body.utf8))
      #expect(answer.status == 400)
    }
    #expect(notify(house, "something-new").status == 200)
    #expect(browser.isSignedIn)
    let other = try ProviderInstance()
    #expect(
      other.instance.browser().send(.post, "/sign-in/with/home/notices").status == 404)
  }
}
