import Accounts
import Core
import Foundation
import Secrets
import Testing

@testable import App

@Suite("Signing an app in with a provider")
struct ProviderAPITests {
  private let path = "/auth/sso/home"

  private func fields(
    _ house: ProviderInstance, _ subject: String, _ changes: [String: Any?] = [:]
  ) -> [String: Any] {
    let claims = house.provider.claims(
      subject, nonce: "n-1", ["aud": "ios"].merging(changes) { $1 })
    return ["id_token": house.provider.idToken(claims), "nonce": "n-1"]
  }

  private func profile(_ answer: TestResponse) -> [String: Any] {
    answer.json["user_profile"] as? [String: Any] ?? [:]
  }

  @Test("A new person is registered, and known the next time, in browsers as well")
  func registers() throws {
    let house = try ProviderInstance()
    let app = house.instance.client()
    var first = fields(house, "sam", ["name": nil])
    first["user_info"] = ["first_name": "Samuel", "last_name": "Long"]
    let made = app.post(path, first)
    #expect(made.status == 200 && app.isSignedIn)
    #expect(profile(made)["display_name"] as? String == "Samuel Long")
    let again = house.instance.client().post(path, fields(house, "sam"))
    #expect(profile(again)["id"] as? String == profile(made)["id"] as? String)
    let browser = house.instance.browser()
    #expect(try house.signIn("sam", browser).location == "/")
    #expect(browser.get("/settings").shows("Samuel Long"))
  }

  @Test("A token that fails a check is invalid, whatever it fails")
  func invalid() throws {
    let house = try ProviderInstance()
    let app = house.instance.client()
    let now = house.instance.clock.now().milliseconds / 1000
    let broken: [[String: Any?]] = [
      ["nonce": "n-2"], ["nonce": nil], ["aud": "another"], ["iss": "https://other.example.test"],
      ["sub": nil], ["exp": now - 1], ["iat": now - 4000],
    ]
    for changes in broken {
      let answer = app.post(path, fields(house, "sam", changes))
      #expect(answer.status == 401 && answer.code == "invalid_token", "\(changes)")
    }
    #expect(app.post(path, ["id_token": "x", "nonce": "n-1"]).code == "invalid_token")
    #expect(Set(app.post(path).fieldErrors.keys) == ["id_token", "nonce"])
    #expect(app.post("/auth/sso/nobody", fields(house, "sam")).status == 404)
    house.provider.isDown = true
    house.instance.clock.advance(seconds: 2 * 86_400)
    #expect(app.post(path, fields(house, "sam")).status == 503)
  }

  @Test("The hash of the nonce in the token is accepted as well")
  func hashedNonce() throws {
    let house = try ProviderInstance()
    let hash = Hex.text(Digests.sha256(Array("n-1".utf8)))
    #expect(house.instance.client().post(path, fields(house, "sam", ["nonce": hash])).status == 200)
  }

  @Test("An address that has an account is not taken over")
  func conflict() throws {
    let house = try ProviderInstance()
    try house.instance.alone("sam")
    let answer = house.instance.client().post(path, fields(house, "sam"))
    #expect(answer.status == 409 && answer.code == "conflict")
  }

  @Test("Without a verified address nobody is registered")
  func noAddress() throws {
    let house = try ProviderInstance()
    let answer = house.instance.client().post(
      path, fields(house, "sam", ["email_verified": "false"]))
    #expect(answer.status == 403 && answer.code == "email_not_verified")
  }

  @Test("Where registration is by invitation, an app needs one")
  func closed() throws {
    let house = try ProviderInstance(variables: ["PAIRSPOT_REGISTRATION": "invitation"])
    let answer = house.instance.client().post(path, fields(house, "sam"))
    #expect(answer.status == 403 && answer.code == "registration_closed")
    let access = RegistrationAccess(house.instance.instance.site)
    var invited = fields(house, "sam")
    invited["invitation"] = access.invitation(
      until: house.instance.clock.now().adding(seconds: 60))
    #expect(house.instance.client().post(path, invited).status == 200)
  }

  @Test("A device is bound, and another one refused")
  func device() throws {
    let house = try ProviderInstance()
    let (first, second) = (house.instance.client(), house.instance.client())
    var sent = fields(house, "sam")
    sent["device_id"] = first.device.description
    #expect(first.post(path, sent).status == 200)
    sent["device_id"] = second.device.description
    let answer = second.post(path, sent)
    #expect(answer.status == 403 && answer.code == "device_already_bound")
  }

  @Test("A second factor is asked for")
  func secondFactor() throws {
    let house = try ProviderInstance()
    try house.instance.alone("sam")
    let sam = try house.instance.signedIn("sam")
    try house.link("x-1", sam)
    let (authenticator, _) = try sam.turnOnSecondFactor(house.instance)
    let app = house.instance.client()
    var sent = fields(house, "x-1")
    #expect(app.post(path, sent).code == "second_factor_required")
    sent["totp"] = authenticator.wrong
    #expect(app.post(path, sent).code == "invalid_credentials")
    sent["totp"] = authenticator.next()
    #expect(app.post(path, sent).status == 200)
  }

  @Test("A deleted account is not signed in")
  func deleted() throws {
    let house = try ProviderInstance()
    try house.instance.alone("sam")
    let sam = try house.instance.signedIn("sam")
    try house.link("x-1", sam)
    sam.leave()
    let answer = house.instance.client().post(path, fields(house, "x-1"))
    #expect(answer.status == 403 && answer.code == "forbidden")
  }
}
