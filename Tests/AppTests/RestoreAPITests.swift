import Basics
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
    _ name: String, _ password: String = TestHouse.password, _ more: [String: Any] = [:]
  ) -> [String: Any] {
    ["email": "\(name)@example.test", "password": password].merging(more) { $1 }
  }

  /// Sam, who has just deleted the account.
  private func left(limits: Bool = false) throws -> TestHouse {
    let house = try TestHouse(limits: limits)
    try house.alone("sam")
    try house.signedIn("sam").leave()
    return house
  }

  private func isDeleted(_ house: TestHouse) throws -> Bool {
    try house.count("SELECT count(*) FROM users WHERE deleted_at IS NOT NULL") == 1
  }

  @Test("On day 29 the account is back, with its couple, a mail, and tokens that open it")
  func back() throws {
    let house = try TestHouse()
    let couple = try #require(try house.couple().first?.couple?.id)
    try house.signedIn("ann").leave()
    #expect(try house.coupleStatus(couple) == "single")
    house.clock.advance(seconds: .days(29))
    let app = house.client()
    #expect(app.login("ann").code == "forbidden")
    let answer = app.post(Self.path, body("ann"))
    #expect(answer.status == 200 && answer.json["token_type"] as? String == "Bearer")
    let profile = try #require(answer.json["user_profile"] as? [String: Any])
    #expect(profile["couple_id"] as? String == couple.description)
    #expect(app.isSignedIn && app.refresh().status == 200)
    #expect(try house.coupleStatus(couple) == "active")
    #expect(
      try house.mails(to: "ann@example.test").last?.subject == "Your PairSpot account is back")
  }

  @Test("After 30 days, for a wrong password and for an unknown address it answers as signing in")
  func wrong() throws {
    let house = try left()
    let app = house.client()
    let login = app.login("sam", "not the password")
    for answer in [
      app.post(Self.path, body("sam", "not the password")), app.post(Self.path, body("nobody")),
    ] {
      #expect(answer.status == 401 && answer.text == login.text)
    }
    #expect(
      Set(app.post(Self.path, ["email": "x", "password": ""]).fieldErrors.keys)
        == ["email", "password"])
    #expect(try isDeleted(house))
    house.clock.advance(seconds: .days(30))
    let late = app.post(Self.path, body("sam"))
    #expect(late.status == 401 && late.text == login.text)
    #expect(try isDeleted(house))
  }

  @Test("An account that isn't deleted is a conflict, and so is the second call of two")
  func notDeleted() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let app = house.client()
    let answer = app.post(Self.path, body("sam"))
    #expect(answer.status == 409 && answer.code == "conflict")
    #expect(app.post(Self.path, body("sam", "wrong")).code == "invalid_credentials")
    #expect(try house.count("SELECT count(*) FROM refresh_families") == 0)
    try house.signedIn("sam").leave()
    #expect(app.post(Self.path, body("sam")).status == 200)
    #expect(app.post(Self.path, body("sam")).code == "conflict" && app.isSignedIn)
  }

  @Test("Nobody comes back to an address that is somebody else's by now")
  func taken() throws {
    let house = try left()
    _ = try house.house.features.accounts.founding.found(
      [("Other", "sam@example.test")], password: "another river nine", now: house.clock.now())
    let answer = house.client().post(Self.path, body("sam"))
    #expect(answer.status == 409 && answer.code == "conflict")
    #expect(try isDeleted(house))
    #expect(try house.count("SELECT count(*) FROM refresh_families") == 0)
  }

  @Test("The second factor is asked for here too, and the account stays away until it is right")
  func secondFactor() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    let (authenticator, codes) = try sam.turnOnSecondFactor(house)
    sam.leave()
    let app = house.client()
    let asked = app.post(Self.path, body("sam"))
    #expect(asked.status == 401 && asked.code == "second_factor_required")
    let wrong = app.post(
      Self.path, body("sam", TestHouse.password, ["totp": authenticator.wrong]))
    #expect(wrong.code == "invalid_credentials" && wrong.fieldErrors["totp"] != nil)
    #expect(try isDeleted(house))
    let right = app.post(Self.path, body("sam", TestHouse.password, ["totp": codes[0]]))
    #expect(right.status == 200 && app.isSignedIn)
    #expect(try !isDeleted(house))
  }

  @Test("Who comes back with another device than the bound one stays away, and may come without")
  func device() throws {
    let house = try TestHouse()
    try house.alone("sam")
    #expect(house.client().login("sam", device: true).status == 200)
    try house.signedIn("sam").leave()
    let app = house.client()
    let device = ["device_id": app.device.description]
    let refused = app.post(Self.path, body("sam", TestHouse.password, device))
    #expect(refused.status == 403 && refused.code == "device_already_bound")
    #expect(try isDeleted(house))
    #expect(app.post(Self.path, body("sam")).status == 200 && app.isSignedIn)
  }

  @Test("Failures are counted together with those of signing in")
  func limits() throws {
    let house = try left(limits: true)
    for number in 0..<10 {
      let app = house.client(peer: "203.0.113.\(number)")
      let answer =
        number.isMultiple(of: 2)
        ? app.login("sam", "wrong") : app.post(Self.path, body("sam", "wrong"))
      #expect(answer.status == 401)
    }
    let answer = house.client(peer: "203.0.113.77").post(Self.path, body("sam"))
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(try isDeleted(house))
  }
}
