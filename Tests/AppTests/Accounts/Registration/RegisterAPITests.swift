import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Registering with an app")
struct RegisterAPITests {
  private static let path = "/auth/register"
  private static let couple = [
    "email_a": "mei@example.test", "email_b": "jun@example.test", "couple_name": "Mei & Jun",
    "anniversary": "2020-01-17",
  ]

  private func begin(_ instance: TestInstance, _ changes: [String: Any] = [:]) -> TestResponse {
    instance.client().post(
      "\(Self.path)/initiate", (Self.couple as [String: Any]).merging(changes) { $1 })
  }

  private func verify(_ instance: TestInstance, _ name: String) throws -> TestResponse {
    let token = try instance.token(to: "\(name)@example.test")
    return instance.client().post("\(Self.path)/verify", ["token": token])
  }

  private func complete(_ instance: TestInstance, _ token: String, _ name: String) -> TestResponse {
    instance.client().post(
      "\(Self.path)/complete",
      ["completion_token": token, "password": TestInstance.password, "display_name": name])
  }

  @Test("Two register: both follow their mails, choose name and password, and are a couple")
  func couple() throws {
    let instance = try TestInstance()
    let begun = begin(instance)
    #expect(begun.status == 202 && begun.json["status"] as? String == "pending")
    #expect(begun.json["expires_at"] as? String == "2026-03-09T00:00:00.000Z")
    let id = try #require(begun.json["couple_id"] as? String)

    let mei = try verify(instance, "mei")
    #expect(mei.status == 200 && mei.json["couple_id"] as? String == id)
    #expect(mei.json["role"] as? String == "partner_a")
    #expect(mei.json["email_verified"] as? Bool == true)
    #expect(mei.json["both_verified"] as? Bool == false)
    let meisToken = try #require(mei.json["completion_token"] as? String)
    let half = complete(instance, meisToken, "Mei")
    #expect(half.status == 200 && half.json["couple_status"] as? String == "pending")

    let jun = try verify(instance, "jun")
    #expect(jun.json["role"] as? String == "partner_b")
    #expect(jun.json["both_verified"] as? Bool == true)
    let whole = complete(instance, try #require(jun.json["completion_token"] as? String), "Jun")
    #expect(whole.json["couple_status"] as? String == "active")

    for (name, verified) in [("mei", mei), ("jun", jun)] {
      let app = instance.client()
      #expect(app.login(name).status == 200)
      let profile = app.get("/account").json
      #expect(profile["id"] as? String == verified.json["user_id"] as? String)
      #expect(profile["couple_id"] as? String == id)
      #expect(profile["role"] as? String == verified.json["role"] as? String)
    }
    #expect(try instance.mails(to: "mei@example.test").count == 2)
    #expect(instance.browser().signIn("mei@example.test", TestInstance.password).status == 303)
  }

  @Test("Known and unknown addresses get the same answer, and mails of their own")
  func known() throws {
    let instance = try TestInstance()
    try instance.alone("jun")
    let answers = [begin(instance), begin(instance, ["email_b": "new@example.test"])]
    let shape = { (answer: TestResponse) in
      answer.text.replacing(/"couple_id":"[^"]*"/, with: "")
    }
    #expect(answers[0].status == 202 && shape(answers[0]) == shape(answers[1]))
    let link = try instance.link(to: "jun@example.test")
    #expect(link.hasPrefix("/pair/accept"))
    // This link is for pairing, not for another account.
    #expect(try verify(instance, "jun").code == "link_expired")
    let alone = instance.client().post(
      Self.path,
      ["email": "jun@example.test", "display_name": "J", "password": TestInstance.password])
    let other = instance.client().post(
      Self.path,
      ["email": "some@example.test", "display_name": "J", "password": TestInstance.password])
    #expect(alone.status == 202 && other.status == 202 && alone.text == other.text)
  }

  @Test("Errors are named by field")
  func fields() throws {
    let instance = try TestInstance()
    for (change, field): ([String: Any], String) in [
      (["email_a": "?"], "email_a"), (["email_b": "mei@example.test"], "email_b"),
      (["couple_name": " "], "couple_name"), (["couple_name": 7], "couple_name"),
      (["anniversary": "yesterday"], "anniversary"),
      (["anniversary": "2026-03-04"], "anniversary"), (["accept_terms": "yes"], "accept_terms"),
    ] {
      let answer = begin(instance, change)
      #expect(answer.status == 422 && answer.fieldErrors[field] != nil, "\(change)")
      #expect(answer.code == "validation_error")
    }
    for field in Self.couple.keys where field != "anniversary" {
      let answer = begin(instance, [field: NSNull()])
      #expect(answer.status == 422 && answer.fieldErrors[field] != nil, "\(field)")
    }
    #expect(try instance.count("SELECT count(*) FROM registrations") == 0)
    let alone = instance.client().post(
      Self.path, ["email": "?", "display_name": "", "password": "short"])
    #expect(Set(alone.fieldErrors.keys) == ["email", "display_name", "password"])
  }

  @Test("A link that is unknown, used or too old is 410")
  func links() throws {
    let instance = try TestInstance()
    _ = begin(instance)
    let token = try instance.token(to: "mei@example.test")
    let verified = try verify(instance, "mei")
    // Closing the app during registration locks out no one.
    #expect(try verify(instance, "mei").status == 200)
    let completion = try #require(verified.json["completion_token"] as? String)
    let weak = instance.client().post(
      "\(Self.path)/complete",
      ["completion_token": completion, "password": "mei@example.test", "display_name": ""])
    #expect(weak.status == 422 && Set(weak.fieldErrors.keys) == ["password", "display_name"])
    #expect(complete(instance, completion, "Mei").status == 200)
    #expect(complete(instance, completion, "Mei").code == "link_expired")
    for bad in [token, "x", "", completion] {
      let answer = instance.client().post("\(Self.path)/verify", ["token": bad])
      #expect(answer.status == 410 && answer.code == "link_expired")
    }
    instance.clock.advance(seconds: 24 * 3600)
    #expect(try verify(instance, "jun").code == "link_expired")
    #expect(complete(instance, "x", "Jun").code == "link_expired")
  }

  @Test("A page's link and an app's completion end in the same account")
  func mixed() throws {
    let instance = try TestInstance()
    let begun = begin(instance)
    let browser = instance.browser()
    let page = try instance.link(to: "mei@example.test")
    let token = try #require(browser.get(page).value(of: "token"))
    let fields: KeyValuePairs = [
      "token": token, "display_name": "Mei", "password": TestInstance.password,
    ]
    #expect(browser.post("/register/complete", fields).status == 303)
    let jun = try verify(instance, "jun")
    #expect(jun.json["both_verified"] as? Bool == true)
    _ = complete(instance, try #require(jun.json["completion_token"] as? String), "Jun")
    let id = try #require(begun.json["couple_id"] as? String)
    #expect(browser.get("/couples/\(id)").shows("Mei &amp; Jun"))
  }

  @Test(
    "A confirmed partner can resend the other's mail, three times an hour, or correct its address")
  func partner() throws {
    let instance = try TestInstance(limits: true)
    _ = begin(instance, ["email_b": "jum@example.test"])
    let wrongLink = try instance.token(to: "jum@example.test")
    let stray = instance.client().post("\(Self.path)/verify", ["token": wrongLink])
    let mei = try verify(instance, "mei")
    let token = try #require(mei.json["completion_token"] as? String)
    _ = complete(instance, token, "Mei")
    let app = instance.client()
    let resend = ["completion_token": token]
    #expect(app.post("\(Self.path)/resend", resend).status == 202)
    #expect(try instance.mails(to: "jum@example.test").count == 2)
    #expect(try instance.mails(to: "mei@example.test").count == 1)
    for bad in ["?", "mei@example.test"] {
      let answer = app.post(
        "\(Self.path)/partner-email", ["completion_token": token, "email": bad])
      #expect(answer.status == 422 && answer.fieldErrors["email"] != nil)
    }
    let right = ["completion_token": token, "email": "jun@example.test"]
    #expect(app.post("\(Self.path)/partner-email", right).status == 202)
    // The user of the wrong address has lost access, including the token from its link.
    let strayToken = try #require(stray.json["completion_token"] as? String)
    #expect(complete(instance, strayToken, "Jum").code == "link_expired")
    #expect(app.post("\(Self.path)/resend", resend).status == 202)
    #expect(app.post("\(Self.path)/resend", resend).status == 429)
    let jun = try verify(instance, "jun")
    _ = complete(instance, try #require(jun.json["completion_token"] as? String), "Jun")
    #expect(app.post("\(Self.path)/resend", resend).code == "conflict")
    #expect(app.post("\(Self.path)/partner-email", right).code == "conflict")
    #expect(app.post("\(Self.path)/resend", ["completion_token": "x"]).code == "link_expired")
    instance.clock.advance(seconds: 7 * 86_400)
    #expect(app.post("\(Self.path)/resend", resend).code == "link_expired")
  }

  @Test("One registers alone: with the password the link makes the account ready")
  func alone() throws {
    let instance = try TestInstance()
    let body = [
      "email": "sam@example.test", "display_name": "Sam", "password": TestInstance.password,
    ]
    #expect(instance.client().post(Self.path, body).status == 202)
    let token = try instance.token(to: "sam@example.test")
    let weak = instance.client().post("\(Self.path)/verify", ["token": token, "password": "short"])
    #expect(weak.status == 422 && weak.fieldErrors["password"] != nil)
    let done = instance.client().post(
      "\(Self.path)/verify", ["token": token, "password": TestInstance.password])
    #expect(done.status == 200 && done.json["completion_token"] is NSNull)
    #expect(done.json["couple_id"] is NSNull && done.json["role"] is NSNull)
    let app = instance.client()
    #expect(app.login("sam").status == 200)
    #expect(app.get("/account").json["id"] as? String == done.json["user_id"] as? String)
  }

  @Test("Without the password the link alone makes nothing: completing chooses one")
  func aloneElsewhere() throws {
    let instance = try TestInstance()
    let body = [
      "email": "sam@example.test", "display_name": "Sam", "password": "a stranger's choice",
    ]
    _ = instance.client().post(Self.path, body)
    let verified = try verify(instance, "sam")
    let completion = try #require(verified.json["completion_token"] as? String)
    #expect(instance.client().login("sam", "a stranger's choice").status == 401)
    let done = instance.client().post(
      "\(Self.path)/complete",
      ["completion_token": completion, "password": TestInstance.password])
    #expect(done.status == 200 && done.json["couple_status"] is NSNull)
    #expect(instance.client().login("sam", "a stranger's choice").status == 401)
    #expect(instance.client().login("sam").status == 200)
  }

  @Test("Accepted terms are kept with their version; none are made up")
  func terms() throws {
    let instance = try TestInstance()
    for (name, accepts) in [("yes", true), ("no", false)] {
      var body: [String: Any] = [
        "email": "\(name)@example.test", "display_name": name, "password": TestInstance.password,
      ]
      if accepts { body["accept_terms"] = true }
      _ = instance.client().post(Self.path, body)
      let token = try instance.token(to: "\(name)@example.test")
      _ = instance.client().post(
        "\(Self.path)/verify", ["token": token, "password": TestInstance.password])
    }
    let versions = try instance.database.read {
      try $0.values("SELECT terms_version FROM users ORDER BY display_name DESC", as: String.self)
    }
    #expect(versions.count == 2 && !versions[0].isEmpty && versions[1].isEmpty)
  }

  @Test("Five registrations an hour from one place, pages and apps together")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    for number in 0..<4 {
      #expect(begin(instance, ["email_a": "a\(number)@example.test"]).status == 202)
    }
    _ = RegisterCoupleTests.register(instance.browser())
    let answer = begin(instance)
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
  }

  // MARK: Guests

  @Test("A guest begins with nothing, comes back by the code, and becomes a member")
  func guest() throws {
    let instance = try TestInstance()
    let app = instance.client()
    let made = app.call(.post, "/auth/guest")
    #expect(made.status == 201)
    let profile = try #require(made.json["user_profile"] as? [String: Any])
    #expect(profile["kind"] as? String == "guest" && profile["display_name"] as? String == "Guest")
    #expect(app.isSignedIn)
    let code = try #require(made.json["recovery_code"] as? String)

    let other = instance.client()
    let back = other.post("/auth/guest/recover", ["recovery_code": code.lowercased()])
    let same = back.json["user_profile"] as? [String: Any]
    #expect(back.status == 200 && same?["id"] as? String == profile["id"] as? String)
    for bad in ["ABCD-EFGH-JKLM-NPQR", "x"] {
      let answer = instance.client().post("/auth/guest/recover", ["recovery_code": bad])
      #expect(answer.status == 401 && answer.code == "invalid_credentials")
    }
    #expect(instance.client().post("/auth/guest/recover", ["recovery_code": " "]).status == 422)

    let preference = ["email": "kim@example.test", "password": TestInstance.password]
    #expect(instance.client().post("/auth/guest/upgrade", preference).status == 401)
    #expect(app.post("/auth/guest/upgrade", ["email": "?", "password": "x"]).status == 422)
    #expect(app.post("/auth/guest/upgrade", preference).status == 202)
    let token = try instance.token(to: "kim@example.test")
    let done = instance.client().post(
      "/auth/register/verify", ["token": token, "password": TestInstance.password])
    #expect(done.json["user_id"] as? String == profile["id"] as? String)
    // A new role needs a new sign-in.
    #expect(!app.isSignedIn && !other.isSignedIn)
    app.access = nil
    #expect(app.login("kim").status == 200)
    #expect(app.get("/account").json["kind"] as? String == "member")
    #expect(app.post("/auth/guest/upgrade", preference).code == "forbidden")
    app.access = nil
    #expect(app.post("/auth/guest/recover", ["recovery_code": code]).status == 401)
  }

  @Test("A guest's device is bound, and released by the recovery code")
  func guestDevice() throws {
    let instance = try TestInstance()
    let (app, other) = (instance.client(), instance.client())
    let made = app.post(
      "/auth/guest", ["display_name": "Kim", "device_id": app.device.description])
    let code = try #require(made.json["recovery_code"] as? String)
    #expect(app.get("/devices/binding").json["device_id"] as? String == app.device.description)
    let refused = other.post(
      "/auth/guest/recover", ["recovery_code": code, "device_id": other.device.description])
    #expect(refused.status == 403 && refused.code == "device_already_bound")
    other.post("/auth/guest/recover", ["recovery_code": code])
    #expect(
      other.call(.delete, "/devices/binding", ["password": "x"]).code
        == "reauthentication_required")
    #expect(other.call(.delete, "/devices/binding", ["recovery_code": code]).status == 204)
    #expect(other.call(.post, "/auth/reauthenticate").code == "forbidden")
    #expect(
      app.post("/auth/guest", ["display_name": String(repeating: "x", count: 51)]).status == 422)
  }

  @Test("Five guests an hour from one place, ten wrong codes a minute")
  func guestLimits() throws {
    let instance = try TestInstance(limits: true)
    let made = (0..<6).map { _ in instance.client().call(.post, "/auth/guest").status }
    #expect(made == [201, 201, 201, 201, 201, 429])
    let tried = (0..<11).map { _ in
      instance.client().post("/auth/guest/recover", ["recovery_code": "x"]).status
    }
    #expect(tried == Array(repeating: 401, count: 10) + [429])
  }
}
