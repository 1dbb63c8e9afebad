import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import Accounts
@testable import App

@Suite("Bringing an account back with an app")
struct RestoreAPITests {
  private static let path = "/account/restore"

  private func body(
    _ name: String, _ password: String = TestInstance.password, _ more: [String: Any] = [:]
  ) -> [String: Any] {
    ["email": "\(name)@example.test", "password": password].merging(more) { $1 }
  }

  /// An instance in which Sam has just deleted the account.
  private func left(limits: Bool = false) throws -> TestInstance {
    let instance = try TestInstance(limits: limits)
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    return instance
  }

  private func isDeleted(_ instance: TestInstance) throws -> Bool {
    try instance.count("SELECT count(*) FROM users WHERE deleted_at IS NOT NULL") == 1
  }

  @Test("On day 29 the account is back, with its couple, a mail, and tokens that open it")
  func back() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple?.id)
    try instance.signedIn("ann").leave()
    #expect(try instance.coupleStatus(couple) == "single")
    instance.clock.advance(seconds: .days(29))
    let app = instance.client()
    #expect(app.login("ann").code == "forbidden")
    let answer = app.post(Self.path, body("ann"))
    #expect(answer.status == 200 && answer.json["token_type"] as? String == "Bearer")
    let profile = try #require(answer.json["user_profile"] as? [String: Any])
    #expect(profile["couple_id"] as? String == couple.description)
    #expect(app.isSignedIn && app.refresh().status == 200)
    #expect(try instance.coupleStatus(couple) == "active")
    #expect(
      try instance.mails(to: "ann@example.test").last?.subject
        == "Your PairSpot account was restored")
  }

  @Test("After 30 days, for a wrong password and for an unknown address it answers as signing in")
  func wrong() throws {
    let instance = try left()
    let app = instance.client()
    let login = app.login("sam", "not the password")
    for answer in [
      app.post(Self.path, body("sam", "not the password")), app.post(Self.path, body("nobody")),
    ] {
      #expect(answer.status == 401 && answer.text == login.text)
    }
    #expect(
      Set(app.post(Self.path, ["email": "x", "password": ""]).fieldErrors.keys)
        == ["email", "password"])
    #expect(try isDeleted(instance))
    instance.clock.advance(seconds: .days(30))
    let late = app.post(Self.path, body("sam"))
    #expect(late.status == 401 && late.text == login.text)
    #expect(try isDeleted(instance))
  }

  @Test("An account that isn't deleted is a conflict, and so is the second call of two")
  func notDeleted() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    let answer = app.post(Self.path, body("sam"))
    #expect(answer.status == 409 && answer.code == "conflict")
    #expect(app.post(Self.path, body("sam", "wrong")).code == "invalid_credentials")
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 0)
    try instance.signedIn("sam").leave()
    #expect(app.post(Self.path, body("sam")).status == 200)
    #expect(app.post(Self.path, body("sam")).code == "conflict" && app.isSignedIn)
  }

  @Test("A member is not restored with an address that another account has by then")
  func taken() throws {
    let instance = try left()
    _ = try instance.instance.features.accounts.seeder.found(
      [("Other", "sam@example.test")], password: "another river nine", now: instance.clock.now())
    let answer = instance.client().post(Self.path, body("sam"))
    #expect(answer.status == 409 && answer.code == "conflict")
    #expect(try isDeleted(instance))
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 0)
  }

  @Test("The second factor is asked for here too, and the account stays away until it is right")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (authenticator, codes) = try sam.turnOnSecondFactor(instance)
    sam.leave()
    let app = instance.client()
    let asked = app.post(Self.path, body("sam"))
    #expect(asked.status == 401 && asked.code == "second_factor_required")
    let wrong = app.post(
      Self.path, body("sam", TestInstance.password, ["totp": authenticator.wrong]))
    #expect(wrong.code == "invalid_credentials" && wrong.fieldErrors["totp"] != nil)
    #expect(try isDeleted(instance))
    let right = app.post(Self.path, body("sam", TestInstance.password, ["totp": codes[0]]))
    #expect(right.status == 200 && app.isSignedIn)
    #expect(try !isDeleted(instance))
  }

  @Test("Restoring from another device than the bound one is refused, without a device it works")
  func device() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    #expect(instance.client().login("sam", device: true).status == 200)
    try instance.signedIn("sam").leave()
    let app = instance.client()
    let device = ["device_id": app.device.description]
    let refused = app.post(Self.path, body("sam", TestInstance.password, device))
    #expect(refused.status == 403 && refused.code == "device_already_bound")
    #expect(try isDeleted(instance))
    #expect(app.post(Self.path, body("sam")).status == 200 && app.isSignedIn)
  }

  @Test("Failures are counted together with those of signing in")
  func limits() throws {
    let instance = try left(limits: true)
    for number in 0..<10 {
      let app = instance.client(peer: "203.0.113.\(number)")
      let answer =
        number.isMultiple(of: 2)
        ? app.login("sam", "wrong") : app.post(Self.path, body("sam", "wrong"))
      #expect(answer.status == 401)
    }
    let answer = instance.client(peer: "203.0.113.77").post(Self.path, body("sam"))
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(try isDeleted(instance))
  }
}
