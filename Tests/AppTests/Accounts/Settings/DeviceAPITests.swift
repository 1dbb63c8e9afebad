import Core
import Foundation
import Secrets
import Testing

@testable import Accounts
@testable import App

@Suite("The one device on which workouts are recorded")
struct DeviceAPITests {
  private static let path = "/devices/binding"

  private func bind(_ app: TestAPIClient, name: String = "Phone") -> TestResponse {
    app.call(.put, Self.path, ["device_id": app.device.description, "name": name])
  }

  @Test("Nothing is bound until an app names a device; then it is that one, since then")
  func binding() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let none = app.get(Self.path)
    #expect(none.status == 200 && none.json["device_id"] is NSNull)
    #expect(none.json["bound_since"] is NSNull && none.json["name"] is NSNull)
    let bound = bind(app)
    #expect(bound.status == 200 && bound.json["device_id"] as? String == app.device.description)
    #expect(bound.json["bound_since"] as? String == "2026-03-02T00:00:00.000Z")
    instance.clock.advance(seconds: 60)
    let again = bind(app, name: "My phone")
    #expect(again.status == 200 && again.json["name"] as? String == "My phone")
    #expect(again.json["bound_since"] as? String == "2026-03-02T00:00:00.000Z")
    var shown = again.json
    #expect(shown.removeValue(forKey: "unbind_token") is NSNull)
    #expect(app.get(Self.path).json as NSDictionary == shown as NSDictionary)
  }

  @Test("A second device is refused at sign-in, at refresh and when it wants to be bound")
  func second() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (phone, tablet) = (instance.client(), instance.client())
    #expect(phone.login("sam", device: true).status == 200)
    for answer in [tablet.login("sam", device: true), tablet.login("sam", device: true)] {
      #expect(answer.status == 403 && answer.code == "device_already_bound")
    }
    // Reading needs no device.
    #expect(tablet.login("sam").status == 200 && tablet.isSignedIn)
    tablet.access = nil
    #expect(tablet.refresh(device: true).code == "device_already_bound")
    #expect(tablet.refresh().status == 200)
    #expect(bind(tablet).code == "device_already_bound")
    #expect(phone.isSignedIn && phone.login("sam", device: true).status == 200)
    #expect(phone.get(Self.path).json["name"] as? String == "PairSpot/1.0 (iPhone)")
  }

  @Test("A wrong device costs no code of the second factor")
  func codeIsKept() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (authenticator, _) = try instance.signedIn("sam").turnOnSecondFactor(instance)
    let (phone, tablet) = (instance.client(), instance.client())
    #expect(phone.login("sam", device: true, totp: authenticator.next()).status == 200)
    let code = authenticator.next()
    #expect(tablet.login("sam", device: true, totp: code).code == "device_already_bound")
    #expect(tablet.login("sam", totp: code).status == 200)
  }

  @Test("Releasing asks for the password, sends a mail, and allows another device")
  func release() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (phone, tablet) = (instance.client(), instance.client())
    phone.login("sam", device: true)
    tablet.login("sam")
    for wrong: [String: Any] in [
      [:], ["password": "wrong"], ["code": "123456"], ["recovery_code": "ABCD-EFGH-JKLM-NPQR"],
    ] {
      let answer = tablet.call(.delete, Self.path, wrong)
      #expect(answer.status == 403 && answer.code == "reauthentication_required")
    }
    #expect(tablet.call(.delete, Self.path).code == "invalid_json")
    let right = ["password": TestInstance.password]
    #expect(tablet.call(.delete, Self.path, right).status == 204)
    #expect(tablet.call(.delete, Self.path, right).status == 204)
    let mails = try instance.mails(to: "sam@example.test")
    #expect(mails.count == 1 && mails[0].subject == "Your recording device was released")
    #expect(mails[0].visibleText.contains("“PairSpot/1.0 (iPhone)”"))
    #expect(bind(tablet).status == 200)
    #expect(phone.isSignedIn)
    phone.access = nil
    #expect(phone.refresh(device: true).code == "device_already_bound")
    // An app that has named its device stays bound to it, whether it repeats the name or not.
    #expect(phone.refresh().code == "device_already_bound")
  }

  @Test("A device that was released isn't bound again by the next refresh")
  func refreshAfterRelease() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let phone = instance.client()
    // Naming the device for the first time binds it, also at a refresh.
    phone.login("sam")
    #expect(phone.refresh(device: true).status == 200)
    #expect(phone.get(Self.path).json["device_id"] as? String == phone.device.description)
    let right = ["password": TestInstance.password]
    #expect(phone.call(.delete, Self.path, right).status == 204)
    #expect(phone.refresh(device: true).status == 200 && phone.refresh().status == 200)
    #expect(phone.get(Self.path).json["device_id"] is NSNull)
    #expect(bind(phone).status == 200)
  }

  @Test("A client that only names the bound device doesn't release it by signing out")
  func pretender() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (phone, other) = (instance.client(), instance.client())
    phone.login("sam", device: true)
    let device = phone.device.description
    for _ in 1...2 {
      other.access = nil
      other.login("sam")
      #expect(
        other.call(.put, Self.path, ["device_id": device, "name": "Phone"]).status == 200)
      let body = ["refresh_token": other.refreshToken ?? "", "device_id": device]
      #expect(other.post("/auth/refresh", body).status == 200)
      #expect(other.post("/auth/logout", ["device_id": device]).status == 204)
      #expect(phone.get(Self.path).json["device_id"] as? String == device)
    }
    // An app that bound the device without naming it at sign-in can release it all the same.
    phone.post("/auth/logout")
    other.access = nil
    other.login("sam")
    #expect(bind(other).status == 200)
    other.post("/auth/logout")
    #expect(instance.client().login("sam", device: true).status == 200)
  }

  @Test("Names and identifiers are checked")
  func fields() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    for (body, field): ([String: Any], String) in [
      (["device_id": "x", "name": "Phone"], "device_id"),
      (["device_id": app.device.description, "name": " "], "name"),
      (["device_id": app.device.description, "name": String(repeating: "x", count: 61)], "name"),
      (["device_id": app.device.description], "name"),
    ] {
      let answer = app.call(.put, Self.path, body)
      #expect(answer.status == 422 && answer.fieldErrors[field] != nil, "\(body)")
    }
    #expect(instance.client().get(Self.path).status == 401)
  }

  @Test("A user's device does not affect other users")
  func foreign() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.alone("eve")
    let app = instance.client()
    app.login("sam", device: true)
    app.access = nil
    #expect(app.login("eve", device: true).status == 200)
    app.call(.delete, Self.path, ["password": TestInstance.password])
    let sam = instance.client()
    sam.login("sam")
    #expect(sam.get(Self.path).json["device_id"] as? String == app.device.description)
  }
}

@Suite("A binding ends with a token of its own, however late it is sent")
struct DeviceUnbindTests {
  private let instance: TestInstance
  private let sam: TestClient
  private let device = ID<Device>.random()

  init() throws {
    instance = try TestInstance()
    try instance.alone("sam")
    sam = try instance.signedIn("sam")
  }

  private func bind(_ device: ID<Device>) -> TestResponse {
    sam.call(
      .put, "/devices/binding", #"{"device_id":"\#(device)","name":"Mei’s laptop"}"#)
  }

  /// From a client without a session.
  @discardableResult
  private func unbind(_ device: ID<Device>, _ token: String) -> Int {
    instance.client().post(
      "/devices/unbind", ["device_id": device.description, "unbind_token": token]
    ).status
  }

  private var bound: String? {
    sam.call(.get, "/devices/binding").json["device_id"] as? String
  }

  @Test("The binding app gets the token once, and it ends that binding without a session")
  func once() throws {
    let answer = bind(device)
    let token = try #require(answer.json["unbind_token"] as? String)
    #expect(answer.status == 200 && answer.json["device_id"] as? String == device.description)
    #expect(bind(device).json["unbind_token"] is NSNull)
    #expect(unbind(.random(), token) == 204 && bound == device.description)
    #expect(unbind(device, Token.random().text) == 204 && bound == device.description)
    #expect(unbind(device, token) == 204 && bound == nil)
    #expect(unbind(device, token) == 204)
    #expect(try instance.mails(to: "sam@example.test").isEmpty)
  }

  @Test("A late one has no effect once another device is bound, or the same one again")
  func late() throws {
    let token = try #require(bind(device).json["unbind_token"] as? String)
    sam.call(.delete, "/devices/binding", #"{"password":"\#(TestInstance.password)"}"#)
    let other = ID<Device>.random()
    #expect(bind(other).status == 200)
    #expect(unbind(device, token) == 204 && bound == other.description)
    sam.call(.delete, "/devices/binding", #"{"password":"\#(TestInstance.password)"}"#)
    let second = try #require(bind(device).json["unbind_token"] as? String)
    #expect(unbind(device, token) == 204 && bound == device.description)
    #expect(unbind(device, second) == 204 && bound == nil)
  }

  @Test("A malformed token is reported as invalid; the token itself is not stored")
  func hashed() throws {
    let token = try #require(bind(device).json["unbind_token"] as? String)
    let answer = instance.client().post(
      "/devices/unbind", ["device_id": device.description, "unbind_token": "x"])
    #expect(answer.status == 422 && answer.fieldErrors["unbind_token"] != nil)
    let hash = try #require(Token(token)).sha256
    #expect(
      try instance.database.read {
        try $0.exists("SELECT 1 FROM device_bindings WHERE unbind_hash = \(hash)")
      })
  }
}
