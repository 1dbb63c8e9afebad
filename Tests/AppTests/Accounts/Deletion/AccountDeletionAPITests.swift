import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("/api/v1: parting, leaving, sessions and the second factor")
struct AccountDeletionAPITests {
  private static let password = #"{"password":"\#(TestInstance.password)"}"#

  /// A couple's two clients and its URL.
  private func two(_ instance: TestInstance) throws -> (
    ann: TestClient, ben: TestClient, path: String
  ) {
    let couple = try #require(try instance.couple().first?.couple)
    return (try instance.signedIn("ann"), try instance.signedIn("ben"), "/couples/\(couple.id)")
  }

  // MARK: Separation

  @Test("Separating asks for the password, and both together undo it")
  func parting() throws {
    let instance = try TestInstance()
    let (ann, ben, path) = try two(instance)
    try instance.alone("sam")
    for body in ["{}", #"{"password":"wrong"}"#, #"{"code":"123456"}"#] {
      let answer = ann.call(.post, "\(path)/part", body)
      #expect(answer.status == 403 && answer.code == "reauthentication_required")
    }
    #expect(
      try instance.signedIn("sam").call(.post, "\(path)/part", Self.password).code == "forbidden")
    #expect(instance.browser().call(.post, "\(path)/part", Self.password).status == 401)
    #expect(ann.call(.post, "\(path)/undo-part").code == "conflict")
    let parted = ann.call(.post, "\(path)/part", Self.password)
    #expect(parted.status == 200 && parted.json["status"] as? String == "frozen")
    #expect(ben.call(.post, "\(path)/part", Self.password).code == "conflict")
    for (browser, status) in [(ann, "frozen"), (ann, "frozen"), (ben, "active")] {
      let answer = browser.call(.post, "\(path)/undo-part")
      #expect(answer.status == 200 && answer.json["status"] as? String == status)
    }
  }

  // MARK: Deletion

  @Test("A member who deletes the account gets the deadline for restoring and is signed out")
  func accountDeletion() throws {
    let instance = try TestInstance()
    let (ann, ben, path) = try two(instance)
    let other = try instance.signedIn("ann")
    for body in ["{}", #"{"password":"wrong"}"#, #"{"recovery_code":"ABCD-EFGH-JKLM-NPQR"}"#] {
      #expect(ann.call(.delete, "/account", body).code == "reauthentication_required")
    }
    let left = ann.call(.delete, "/account", Self.password)
    #expect(left.status == 202)
    #expect(left.json["restore_until"] as? String == "2026-04-01T00:00:00.000Z")
    for browser in [ann, other] { #expect(browser.call(.get, "/account").status == 401) }
    let couple = ben.call(.get, path)
    #expect(couple.json["status"] as? String == "single")
    #expect(couple.list("partners").map { $0["display_name"] as? String } == ["Ben"])
  }

  @Test("A guest shows the recovery code and is gone for good")
  func forgetting() throws {
    let instance = try TestInstance()
    let gia = try instance.guest("Gia")
    let code = try gia.recoveryCode()
    #expect(gia.call(.delete, "/account", Self.password).code == "reauthentication_required")
    let left = gia.call(.delete, "/account", #"{"recovery_code":"\#(code)"}"#)
    #expect(left.status == 202 && left.json["restore_until"] is NSNull)
    #expect(try instance.count("SELECT count(*) FROM users WHERE role = 1") == 0)
    #expect(gia.call(.get, "/account").status == 401)
  }

  @Test("Wrong passwords are counted as on the pages")
  func counted() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for _ in 0..<10 {
      #expect(sam.call(.delete, "/account", #"{"password":"wrong"}"#).status == 403)
    }
    let answer = sam.call(.delete, "/account", Self.password)
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(sam.leave().status == 429)
  }

  // MARK: Sessions

  @Test("Sessions are listed and ended, one's own but not this one")
  func sessions() throws {
    let instance = try TestInstance()
    for name in ["sam", "kim"] { try instance.alone(name) }
    let (sam, other, kim) = (
      try instance.signedIn("sam"), try instance.signedIn("sam"), try instance.signedIn("kim")
    )
    let list = sam.call(.get, "/account/sessions").list("sessions")
    #expect(list.map { $0["current"] as? Bool } == [true, false])
    let ids = list.compactMap { $0["id"] as? String }
    #expect(ids.count == 2)
    #expect(kim.call(.delete, "/account/sessions/\(ids[1])").status == 404)
    #expect(sam.call(.delete, "/account/sessions/x").status == 404)
    #expect(sam.call(.delete, "/account/sessions/\(ids[0])").code == "conflict")
    #expect(sam.call(.delete, "/account/sessions/\(ids[1])").status == 204)
    #expect(other.call(.get, "/account").status == 401 && sam.call(.get, "/account").status == 200)
    #expect(sam.call(.delete, "/account/sessions/\(ids[1])").status == 404)
  }

  // MARK: The second factor

  @Test("A second factor is turned on with its first code and the password, and off with both")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    #expect(sam.call(.delete, "/account/totp", Self.password).status == 404)
    let setup = sam.call(.post, "/account/totp")
    #expect(setup.status == 201)
    let secret = try #require(setup.json["secret"] as? String)
    #expect((setup.json["otpauth_url"] as? String)?.contains("secret=\(secret)&") == true)
    let app = try Authenticator(secret: secret, instance)
    let confirm = "/account/totp/confirm"
    func body(_ code: String, _ more: String = #","password":"\#(TestInstance.password)""#)
      -> String
    {
      #"{"code":"\#(code)"\#(more)}"#
    }
    #expect(sam.call(.post, confirm, body(app.code(), "")).code == "reauthentication_required")
    #expect(Set(sam.call(.post, confirm, body(app.wrong)).fieldErrors.keys) == ["code"])
    let on = sam.call(.post, confirm, body(app.next()))
    #expect(on.status == 200)
    let codes = on.json["recovery_codes"] as? [String] ?? []
    #expect(Set(codes).count == 10 && codes.allSatisfy { $0.count == 12 })
    #expect(other.call(.get, "/account").status == 401 && sam.call(.get, "/account").status == 200)
    #expect(sam.call(.post, "/account/totp").code == "conflict")
    let off = "/account/totp"
    #expect(sam.call(.delete, off, Self.password).code == "second_factor_required")
    func both(_ code: String) -> String {
      #"{"totp":"\#(code)","password":"\#(TestInstance.password)"}"#
    }
    #expect(sam.call(.delete, off, #"{"totp":"\#(app.next())"}"#).status == 403)
    #expect(Set(sam.call(.delete, off, both(app.wrong)).fieldErrors.keys) == ["totp"])
    #expect(sam.call(.delete, off, both(codes[0])).status == 204)
    #expect(try instance.count("SELECT count(*) FROM totp_secrets") == 0)
  }
}
