import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Signing in with an app")
struct AuthAPITests {
  @Test("Address and password give tokens and the profile")
  func login() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let app = instance.client()
    let answer = app.login("ann")
    #expect(answer.status == 200 && answer.headers[.setCookie] == nil)
    #expect(answer.json["token_type"] as? String == "Bearer")
    #expect(answer.json["expires_in"] as? Int == 900)
    let profile = try #require(answer.json["user_profile"] as? [String: Any])
    #expect(profile["id"] as? String == ann.id.description)
    #expect(profile["display_name"] as? String == "Ann")
    #expect(profile["couple_id"] as? String == ann.couple?.id.description)
    #expect(profile["role"] as? String == "partner_a" && profile["kind"] as? String == "member")
    #expect(
      Set(profile.keys) == [
        "id", "display_name", "avatar_url", "couple_id", "role", "kind", "staff_role", "language",
        "time_zone",
      ])
    #expect(app.isSignedIn)
  }

  @Test("A wrong password and an unknown address get the same answer")
  func wrong() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let answers = [
      instance.client().login("sam", "not the password"), instance.client().login("nobody"),
    ]
    for answer in answers {
      #expect(answer.status == 401 && answer.code == "invalid_credentials")
    }
    #expect(answers[0].text == answers[1].text)
  }

  @Test("Fields that are missing or none are named")
  func fields() throws {
    let instance = try TestInstance()
    let app = instance.client()
    #expect(Set(app.post("/auth/login").fieldErrors.keys) == ["email", "password"])
    let bad = app.post(
      "/auth/login", ["email": "no address", "password": "", "device_id": "phone"])
    #expect(bad.status == 422 && Set(bad.fieldErrors.keys) == ["device_id"])
    let empty = app.post("/auth/login", ["email": "no address", "password": ""])
    #expect(empty.status == 422 && Set(empty.fieldErrors.keys) == ["email", "password"])
    #expect(app.call(.get, "/auth/login").status == 405)
  }

  @Test("A token that is forged, changed or of the other kind is refused")
  func bearers() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let access = try #require(app.access)
    let parts = access.split(separator: ".").map(String.init)
    for token in [
      "", "x", app.refreshToken ?? "", access + "A", "eyJhbGciOiJub25lIn0.\(parts[1]).",
      "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[2]).\(parts[1])",
    ] {
      let answer = app.call(.get, "/account", bearer: token)
      #expect(answer.status == 401 && answer.code == "invalid_token", "\(token.prefix(30))")
    }
    instance.clock.advance(seconds: 900)
    let late = app.get("/account")
    #expect(late.status == 401 && late.code == "token_expired")
    #expect(app.refresh().status == 200 && app.isSignedIn)
  }

  @Test("With a second factor a code is asked for; the app's and a recovery code each work once")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (authenticator, codes) = try instance.signedIn("sam").turnOnSecondFactor(instance)
    let app = instance.client()
    let asked = app.login("sam")
    #expect(asked.status == 401 && asked.code == "second_factor_required")
    #expect(app.login("sam", "wrong password").code == "invalid_credentials")
    let wrong = app.login("sam", totp: authenticator.wrong)
    #expect(wrong.status == 401 && wrong.code == "invalid_credentials")
    #expect(wrong.fieldErrors["totp"] != nil)
    let code = authenticator.next()
    #expect(app.login("sam", totp: code).status == 200 && app.isSignedIn)
    #expect(app.login("sam", totp: code).code == "invalid_credentials")
    #expect(app.login("sam", totp: codes[0]).status == 200)
    #expect(app.login("sam", totp: codes[0]).code == "invalid_credentials")
  }

  @Test("Signing in alone does not restore a deleted account")
  func deleted() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    let answer = instance.client().login("sam")
    #expect(answer.status == 403 && answer.code == "forbidden")
    #expect(instance.client().login("sam", "wrong").code == "invalid_credentials")
  }

  // MARK: Limits

  @Test(
    "A stranger's failures end in 429 with when to come back; a device that was in isn't kept out")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let owner = instance.client(peer: "198.51.100.7")
    #expect(owner.login("sam", device: true).status == 200)
    owner.post("/auth/logout")
    let statuses = (0..<30).map {
      instance.client(peer: "203.0.113.\($0)").login("sam", "not the password").status
    }
    #expect(statuses == Array(repeating: 401, count: 10) + Array(repeating: 429, count: 20))
    let refused = instance.client(peer: "203.0.113.77").login("sam")
    #expect(refused.status == 429 && refused.code == "rate_limited")
    #expect((refused.headers[.retryAfter].flatMap { Int($0) } ?? 0) > 0)
    // The same device, and the same without naming it.
    owner.access = nil
    #expect(owner.login("sam").status == 429)
    #expect(owner.login("sam", device: true).status == 200)
  }

  @Test("Pages and apps are counted together")
  func together() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    for number in 0..<5 {
      let browser = instance.browser()
      browser.peer = "203.0.113.\(number)"
      _ = browser.signIn("sam@example.test", "not the password")
      _ = instance.client(peer: "203.0.114.\(number)").login("sam", "not the password")
    }
    #expect(instance.client(peer: "203.0.115.1").login("sam").status == 429)
    let browser = instance.browser()
    browser.peer = "203.0.115.2"
    #expect(browser.signIn("sam@example.test", TestInstance.password).status == 429)
  }

  @Test("Once the password is another one, a device that was in with the old one is a stranger")
  func oldDevice() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam", device: true)
    let browser = try instance.signedIn("sam")
    browser.post(
      "/settings/password",
      ["current_password": TestInstance.password, "password": "another sentence"])
    for number in 0..<10 {
      _ = instance.client(peer: "203.0.113.\(number)").login("sam", "not the password")
    }
    app.access = nil
    #expect(app.login("sam", "another sentence", device: true).status == 429)
  }

  @Test("Failures under an app's device, whose name is no secret, keep no browser out")
  func deviceIsNoSecret() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.get("/")
    browser.post("/sign-out")
    let phone = instance.client(peer: "198.51.100.7")
    #expect(phone.login("sam", device: true).status == 200)
    let guess = [
      "email": "sam@example.test", "password": "not the password",
      "device_id": phone.device.description,
    ]
    let statuses = (0..<12).map {
      instance.client(peer: "203.0.113.\($0)").post("/auth/login", guess).status
    }
    #expect(statuses == Array(repeating: 401, count: 10) + [429, 429])
    #expect(browser.signIn("sam@example.test", TestInstance.password).status == 303)
  }

  @Test("A device that was in is counted by its address all the same")
  func deviceByAddress() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let phone = instance.client()
    let statuses = (0..<11).map { _ in phone.login("sam", device: true).status }
    #expect(statuses == Array(repeating: 200, count: 10) + [429])
  }

  // MARK: Concurrent changes

  /// Applies a change after the next credentials were verified, but before the sign-in: at the time
  /// when the counted attempt is given back.
  private func meanwhile(_ change: String, in instance: TestInstance) throws {
    try instance.migrate(
      "CREATE TRIGGER meanwhile AFTER DELETE ON rate_limits BEGIN \(change); END")
  }

  @Test(
    "A password replaced during its verification signs no one in",
    arguments: ["password_hash = 'another'", "deleted_at = 1"])
  func staleAtLogin(change: String) throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    try meanwhile("UPDATE users SET \(change)", in: instance)
    let answer = instance.client().login("sam")
    #expect(answer.status == 401 && answer.code == "invalid_credentials")
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 0)
  }

  @Test("Nor does it on the pages, be there a second factor or not", arguments: [false, true])
  func staleOnPages(hasSecondFactor: Bool) throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    if hasSecondFactor { _ = try instance.signedIn("sam").turnOnSecondFactor(instance) }
    let before = try instance.count("SELECT count(*) FROM sessions")
    try meanwhile("UPDATE users SET password_hash = 'another'", in: instance)
    let browser = instance.browser()
    #expect(browser.signIn("sam@example.test", TestInstance.password).status == 422)
    #expect(!browser.isSignedIn)
    #expect(try instance.count("SELECT count(*) FROM sessions") == before)
    #expect(try instance.count("SELECT count(*) FROM waiting_sign_ins") == 0)
  }

  @Test("A guest's code replaced during its verification is refused, on pages and in the API")
  func staleCode() throws {
    for isPage in [true, false] {
      let instance = try TestInstance(limits: true)
      let code = try #require(
        instance.client().post("/auth/guest").json["recovery_code"] as? String)
      try meanwhile("DELETE FROM guest_recovery_codes", in: instance)
      if isPage {
        let browser = instance.browser()
        #expect(browser.post("/recover", ["recovery_code": code]).status == 422)
        #expect(!browser.isSignedIn)
      } else {
        let app = instance.client()
        let answer = app.post("/auth/guest/recover", ["recovery_code": code])
        #expect(answer.status == 401 && answer.code == "invalid_credentials")
      }
      #expect(try instance.count("SELECT count(*) FROM refresh_families") == 1)
      #expect(try instance.count("SELECT count(*) FROM guest_recovery_codes") == 0)
    }
  }

  // MARK: Refresh and sign-out

  @Test("A refresh token goes in the header or in the body, under either address")
  func refresh() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    for path in ["/auth/token/refresh", "/auth/refresh"] {
      let inHeader = app.call(.post, path, bearer: app.refreshToken)
      #expect(inHeader.status == 200 && app.isSignedIn)
      app.access = nil
      let inBody = app.post(path, ["refresh_token": app.refreshToken ?? ""])
      #expect(inBody.status == 200 && app.isSignedIn)
      #expect(inBody.json["user_profile"] != nil)
      app.access = nil
      for bad: [String: Any] in [[:], ["refresh_token": "x"], ["refresh_token": NSNull()]] {
        #expect(app.post(path, bad).code == "invalid_token")
      }
      #expect(app.post(path, ["refresh_token": 7]).status == 422)
      #expect(app.call(.post, path).code == "invalid_token")
    }
  }

  @Test("Within the grace period the same pair is returned; afterwards all tokens end")
  func reuse() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let old = app.refreshToken ?? ""
    let first = app.call(.post, "/auth/refresh", bearer: old)
    instance.clock.advance(seconds: 10)
    let again = app.call(.post, "/auth/refresh", bearer: old)
    #expect(again.json["refresh_token"] as? String == first.json["refresh_token"] as? String)
    #expect(again.json["access_token"] as? String == first.json["access_token"] as? String)
    #expect(again.json["expires_in"] as? Int == 890)
    instance.clock.advance(seconds: 1)
    #expect(app.call(.post, "/auth/refresh", bearer: old).code == "invalid_token")
    #expect(!app.isSignedIn && app.get("/account").code == "invalid_token")
  }

  @Test("A refresh token that is too old says so")
  func expired() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    instance.clock.advance(seconds: 30 * 86_400)
    #expect(app.refresh().code == "token_expired")
  }

  @Test("Signing out ends access and refresh at once, and releases the device")
  func logout() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam", device: true)
    let access = app.access
    #expect(app.call(.post, "/auth/logout").status == 204)
    #expect(app.get("/account").code == "invalid_token")
    app.access = nil
    #expect(app.refresh().code == "invalid_token")
    let other = instance.client()
    #expect(other.login("sam", device: true).status == 200)
    #expect(app.call(.post, "/auth/logout", bearer: access).code == "invalid_token")
    #expect(app.call(.post, "/auth/logout").code == "invalid_token")
  }

  @Test("A late sign-out with only the refresh token releases only its own device")
  func lateLogout() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (old, new) = (instance.client(), instance.client())
    old.login("sam", device: true)
    instance.clock.advance(seconds: 3600)
    new.login("sam")
    #expect(
      new.call(.delete, "/devices/binding", ["password": TestInstance.password]).status == 204)
    new.call(.put, "/devices/binding", ["device_id": new.device.description, "name": "New"])
    let token = old.refreshToken ?? ""
    old.access = nil
    let body = ["refresh_token": token, "device_id": old.device.description]
    #expect(old.post("/auth/logout", body).status == 204)
    #expect(new.get("/devices/binding").json["name"] as? String == "New")
    // Repeated because the answer got lost.
    #expect(old.post("/auth/logout", body).status == 204)
    old.access = nil
    #expect(old.refresh().code == "invalid_token" && new.isSignedIn)
  }

  @Test("With an access token that is too old or unknown, the refresh token signs out")
  func logoutByBody() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    for bearer in [nil, "x"] {
      let app = instance.client()
      #expect(app.login("sam", device: true).status == 200)
      instance.clock.advance(seconds: 3600)
      let alone = app.call(.post, "/auth/logout", bearer: bearer)
      #expect(alone.status == 401)
      #expect(alone.code == (bearer == nil ? "token_expired" : "invalid_token"))
      let none = app.call(.post, "/auth/logout", ["refresh_token": "x"], bearer: bearer)
      #expect(none.status == 401)
      #expect(try instance.count("SELECT count(*) FROM refresh_families") == 1)
      let body = ["refresh_token": app.refreshToken ?? ""]
      #expect(app.call(.post, "/auth/logout", body, bearer: bearer).status == 204)
      #expect(try instance.count("SELECT count(*) FROM refresh_families") == 0)
      #expect(try instance.count("SELECT count(*) FROM device_bindings") == 0)
    }
  }

  @Test("A page's own script signs its browser out")
  func cookieLogout() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.get("/settings")
    #expect(browser.call(.post, "/auth/logout", "{}").status == 204)
    #expect(!browser.isSignedIn)
  }

  // MARK: Re-authentication

  @Test("A mailed code authenticates a user, once, for ten minutes")
  func mailedCode() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam", device: true)
    func code() throws -> String {
      // Mails of the same time have no order.
      instance.clock.advance(seconds: 1)
      #expect(app.call(.post, "/auth/reauthenticate").status == 202)
      let text = try #require(try instance.mails(to: "sam@example.test").last?.text)
      return String(try #require(text.firstMatch(of: /(?m)^\d{6}$/)).output)
    }
    func release(_ code: String) -> TestResponse {
      app.call(.delete, "/devices/binding", ["code": code])
    }
    let first = try code()
    let wrong = first == "123456" ? "654321" : "123456"
    #expect(release(wrong).status == 403 && release(wrong).code == "reauthentication_required")
    let second = try code()
    if first != second { #expect(release(first).status == 403) }
    #expect(release(second).status == 204)
    #expect(release(second).status == 403)
    let third = try code()
    instance.clock.advance(seconds: 600)
    app.access = nil
    app.refresh()
    #expect(release(third).status == 403)
  }

  @Test("A mailed code is worth nothing for another action or in another sign-in")
  func codeBinding() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (app, other) = (instance.client(), instance.client())
    for client in [app, other] { client.login("sam") }
    #expect(app.post("/auth/reauthenticate", ["action": "nonsense"]).status == 422)
    #expect(app.post("/auth/reauthenticate", ["action": "account_delete"]).status == 202)
    let mail = try #require(try instance.mails(to: "sam@example.test").last)
    #expect(mail.subject == "Your code to delete your account")
    let code = String(try #require(mail.text.firstMatch(of: /(?m)^\d{6}$/)).output)
    #expect(app.call(.delete, "/devices/binding", ["code": code]).status == 403)
    #expect(other.call(.delete, "/account", ["code": code]).status == 403)
    #expect(app.call(.delete, "/account", ["code": code]).status == 202)
  }

  @Test("After five wrong codes the right one is worth nothing, and a new one is")
  func codeTries() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam", device: true)
    func code() throws -> String {
      instance.clock.advance(seconds: 1)
      app.post("/auth/reauthenticate")
      let text = try #require(try instance.mails(to: "sam@example.test").last?.text)
      return String(try #require(text.firstMatch(of: /(?m)^\d{6}$/)).output)
    }
    let first = try code()
    let wrong = first == "123456" ? "654321" : "123456"
    for code in Array(repeating: wrong, count: 5) + [first] {
      #expect(app.call(.delete, "/devices/binding", ["code": code]).status == 403)
    }
    #expect(app.call(.delete, "/devices/binding", ["code": try code()]).status == 204)
  }

  @Test("Codes are mailed three times an hour, and asked for in vain ten times")
  func mailedCodeLimits() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let statuses = (0..<4).map { _ in app.call(.post, "/auth/reauthenticate").status }
    #expect(statuses == [202, 202, 202, 429])
    let tries = (0..<12).map { _ in
      app.call(.delete, "/devices/binding", ["password": "wrong"]).status
    }
    #expect(tries == Array(repeating: 403, count: 10) + [429, 429])
    #expect(instance.client().call(.post, "/auth/reauthenticate").status == 401)
  }

  // MARK: A new password

  @Test("A link by mail sets a new password and signs out everywhere")
  func reset() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let known = app.post("/auth/password/reset", ["email": "sam@example.test"])
    let unknown = app.post("/auth/password/reset", ["email": "nobody@example.test"])
    #expect(known.status == 202 && unknown.status == 202 && known.text == unknown.text)
    #expect(try instance.mails(to: "nobody@example.test").isEmpty)
    let token = try instance.token(to: "sam@example.test")
    let path = "/auth/password/reset/confirm"
    let weak = app.post(path, ["token": token, "password": "password"])
    #expect(weak.status == 422 && weak.fieldErrors["password"] != nil)
    let body = ["token": token, "password": "another sentence"]
    #expect(app.post(path, body).status == 204)
    #expect(!app.isSignedIn)
    for again in [body, ["token": "x", "password": "another sentence"]] {
      let answer = app.post(path, again)
      #expect(answer.status == 410 && answer.code == "link_expired")
    }
    app.access = nil
    #expect(app.login("sam").status == 401 && app.login("sam", "another sentence").status == 200)
  }

  @Test("A fourth link within the hour is not sent, and the answer is the same")
  func resetLimit() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    for _ in 0..<5 {
      let answer = instance.client().post("/auth/password/reset", ["email": "sam@example.test"])
      #expect(answer.status == 202)
    }
    #expect(try instance.mails(to: "sam@example.test").count == 3)
    #expect(instance.client().post("/auth/password/reset", ["email": "?"]).status == 422)
  }
}
