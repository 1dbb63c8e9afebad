import FakeAuthenticator
import Secrets
import Testing

@testable import App

extension PasskeyDevice {
  /// The credential's id as options and exports show it.
  var idText: String { Base64URL.text(id) }
}

extension TestClient {
  /// Enters the password with which passkeys are added and removed, if the page asks for it.
  func confirmPassword() throws {
    let page = "/settings/passkeys/new"
    guard get(page).shows("current_password") else { return }
    try #require(post(page, ["current_password": TestInstance.password]).status == 303)
  }

  /// Makes a passkey and adds it to the signed-in member.
  func addPasskey() throws -> PasskeyDevice {
    try confirmPassword()
    var device = PasskeyDevice()
    let answer = try device.make(get("/settings/passkeys/options").text)
    post("/settings/passkeys/new", ["name": "Key", "credential": answer])
    return device
  }

  /// The page of the first passkey in the settings.
  func passkeyPage() throws -> String {
    let found = get("/settings/sign-in").text
      .firstMatch(of: /href="(\/settings\/passkeys\/[0-9a-f-]{36})"/)
    return String(try #require(found).output.1)
  }

  func removePasskeys() throws {
    while get("/settings/sign-in").shows("Passkey, added") {
      try confirmPassword()
      try #require(post(passkeyPage(), ["remove": "1"]).status == 303)
    }
  }

  /// Signs this browser in by a passkey.
  @discardableResult
  func enter(with device: PasskeyDevice, next: String = "/") throws -> TestResponse {
    let answer = try device.use(get("/sign-in/passkey").text)
    return post("/sign-in/passkey", ["credential": answer, "next": next])
  }
}

extension TestInstance {
  /// Signs a new browser in by a passkey; returns the answer's address.
  func signIn(with device: PasskeyDevice, next: String = "/") throws -> String? {
    try browser().enter(with: device, next: next).location
  }
}
