import Core
import Crypto
import Database
import Foundation
import HTTPClient
import OpenIDConnect
import Secrets
import Synchronization
import Testing

@testable import App

/// An OpenID provider in this process. The test says who signs in, and follows the redirects.
final class StandInProvider: ProviderTransport {
  static let issuer = "https://login.example.test"

  private struct State {
    var claims: [String: [String: Any]] = [:]
    var isDown = false
    var lastForm: [String: String] = [:]
  }

  private let key = P256.Signing.PrivateKey()
  // `Any` in the claims is JSON made by the tests.
  private let state = Mutex(UncheckedBox(State()))
  private let clock: ManualClock

  private struct UncheckedBox: @unchecked Sendable {
    var value: State
    init(_ value: State) { self.value = value }
  }

  init(clock: ManualClock) { self.clock = clock }

  /// Settings of an instance with this provider.
  static let variables = [
    "PAIRSPOT_OIDC_PROVIDERS": "home", "PAIRSPOT_OIDC_HOME_ISSUER": issuer,
    "PAIRSPOT_OIDC_HOME_CLIENT_ID": "web", "PAIRSPOT_OIDC_HOME_CLIENT_SECRET": "s3cret",
    "PAIRSPOT_OIDC_HOME_LABEL": "Home", "PAIRSPOT_OIDC_HOME_APP_CLIENT_IDS": "ios, android",
  ]

  var isDown: Bool {
    get { state.withLock { $0.value.isDown } }
    set { state.withLock { $0.value.isDown = newValue } }
  }

  /// The fields of the last request for tokens.
  var lastForm: [String: String] { state.withLock { $0.value.lastForm } }

  func send(_ call: HTTPCall) throws(OpenIDError) -> HTTPAnswer {
    if isDown { throw .unreachable("it is down") }
    switch call.url.dropFirst(Self.issuer.count) {
    case "/.well-known/openid-configuration":
      return answer([
        "issuer": Self.issuer, "authorization_endpoint": "\(Self.issuer)/authorize",
        "token_endpoint": "\(Self.issuer)/token", "jwks_uri": "\(Self.issuer)/keys",
        "response_types_supported": ["code"],
        "id_token_signing_alg_values_supported": ["ES256"],
      ])
    case "/keys":
      let raw = key.publicKey.rawRepresentation
      return answer([
        "keys": [
          [
            "kty": "EC", "crv": "P-256", "kid": "k1", "x": Base64URL.text(raw.prefix(32)),
            "y": Base64URL.text(raw.suffix(32)),
          ]
        ]
      ])
    case "/token":
      let form = Dictionary(
        String(decoding: call.body, as: UTF8.self).split(separator: "&").map {
          let pair = $0.split(separator: "=", maxSplits: 1).map {
            String($0).removingPercentEncoding ?? ""
          }
          return (pair[0], pair.count > 1 ? pair[1] : "")
        }, uniquingKeysWith: { $1 })
      // The secret comes in a header (RFC 6749, section 2.3.1). Apple's is a signed token.
      let header = call.headers.first { $0.name == "Authorization" }?.value ?? ""
      let client = Data(base64Encoded: String(header.dropFirst("Basic ".count))) ?? Data()
      let secret = String(decoding: client, as: UTF8.self).dropFirst("web:".count)
      guard secret == "s3cret" || secret.split(separator: ".").count == 3 else {
        return answer(["error": "invalid_client"], status: 401)
      }
      let claims = state.withLock { state -> [String: Any]? in
        state.value.lastForm = form
        return state.value.claims.removeValue(forKey: form["code"] ?? "")
      }
      guard let claims else { return answer(["error": "invalid_grant"], status: 400) }
      return answer([
        "id_token": idToken(claims), "access_token": "a-1", "token_type": "Bearer",
      ])
    default: throw .unreachable("nothing at \(call.url)")
    }
  }

  /// Claims of a person who signed in now, with changes; nil removes a claim.
  func claims(
    _ subject: String, nonce: String, _ changes: [String: Any?] = [:]
  ) -> [String: Any] {
    let now = clock.now().milliseconds / 1000
    var claims: [String: Any] = [
      "iss": Self.issuer, "aud": "web", "sub": subject, "nonce": nonce, "iat": now,
      "exp": now + 600, "auth_time": now, "email": "\(subject)@example.test",
      "email_verified": true, "name": subject.capitalized,
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  /// A logout token about a subject or a session.
  func logoutToken(_ changes: [String: Any?]) -> String {
    let event = "http://schemas.openid.net/event/backchannel-logout"
    var all = claims("", nonce: "").filter { ["iss", "aud", "iat", "exp"].contains($0.key) }
    all["jti"] = "j-\(UUID())"
    all["events"] = [event: [String: String]()]
    for (name, value) in changes { all[name] = value }
    return idToken(all)
  }

  /// The body of a notice from Apple.
  func notice(_ type: String, _ subject: String, email: String? = nil) -> [UInt8] {
    var event: [String: Any] = [
      "type": type, "sub": subject, "event_time": clock.now().milliseconds,
    ]
    event["email"] = email
    let text = String(decoding: Self.json(event), as: UTF8.self)
    let token = logoutToken(["events": text, "exp": nil])
    return Array(Self.json(["payload": token]))
  }

  func idToken(_ claims: [String: Any]) -> String {
    let parts = [["alg": "ES256", "kid": "k1", "typ": "JWT"], claims].map {
      Base64URL.text(Array(Self.json($0)))
    }
    let text = parts.joined(separator: ".")
    let signature = try? key.signature(for: Data(text.utf8)).rawRepresentation
    return "\(text).\(Base64URL.text(signature ?? Data()))"
  }

  /// Signs a person in at the provider's address; returns the path of our site to which the browser
  /// is sent back.
  func signIn(
    _ subject: String, at address: String, _ changes: [String: Any?] = [:]
  ) throws -> String {
    let fields = try #require(URLComponents(string: address)?.queryItems)
    let field = { name in fields.first { $0.name == name }?.value ?? "" }
    let code = "code-\(UUID())"
    let claims = claims(subject, nonce: field("nonce"), changes)
    state.withLock { $0.value.claims[code] = claims }
    let path = try #require(URL(string: field("redirect_uri"))?.path)
    return "\(path)?code=\(code)&state=\(field("state"))"
  }

  private func answer(_ fields: [String: Any], status: Int = 200) -> HTTPAnswer {
    HTTPAnswer(status: status, body: Array(Self.json(fields)))
  }

  private static func json(_ fields: [String: Any]) -> Data {
    (try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)) ?? Data()
  }
}

/// An instance with a provider.
struct ProviderInstance {
  let instance: TestInstance
  let provider: StandInProvider
  /// The provider's name in addresses.
  let name: String

  init(
    limits: Bool = false, statements: StatementLog? = nil, variables: [String: String] = [:]
  ) throws {
    let clock = ManualClock(TestInstance.start)
    provider = StandInProvider(clock: clock)
    name = "home"
    instance = try TestInstance(
      limits: limits, statements: statements,
      variables: StandInProvider.variables.merging(variables) { $1 },
      clock: clock, providers: provider)
  }

  /// With the provider as Apple; its key is in the folder.
  init(appleIn folder: TemporaryFolder) throws {
    let clock = ManualClock(TestInstance.start)
    provider = StandInProvider(clock: clock)
    name = "apple"
    let file = folder.path + "/key.p8"
    try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: URL(filePath: file))
    instance = try TestInstance(
      variables: [
        "PAIRSPOT_OIDC_PROVIDERS": name, "PAIRSPOT_OIDC_APPLE_ISSUER": StandInProvider.issuer,
        "PAIRSPOT_OIDC_APPLE_CLIENT_ID": "web", "PAIRSPOT_OIDC_APPLE_TEAM_ID": "TEAM123456",
        "PAIRSPOT_OIDC_APPLE_KEY_ID": "KEY1234567", "PAIRSPOT_OIDC_APPLE_KEY_FILE": file,
      ], clock: clock, providers: provider)
  }

  /// Signs in with the provider; returns the answer to the browser that comes back.
  @discardableResult
  func signIn(
    _ subject: String, _ browser: TestClient, next: String = "/", _ changes: [String: Any?] = [:]
  ) throws -> TestResponse {
    let begun = browser.get("/sign-in/with/\(name)?next=\(TestClient.encoded(next))")
    let address = try #require(begun.location)
    return browser.get(try provider.signIn(subject, at: address, changes))
  }

  /// Links the provider's account to the signed-in member.
  @discardableResult
  func link(
    _ subject: String, _ browser: TestClient, _ changes: [String: Any?] = [:]
  ) throws -> TestResponse {
    let leaving = browser.post(
      "/settings/sign-in/\(name)", ["current_password": TestInstance.password])
    return browser.get(try provider.signIn(subject, at: leaving.refreshAddress(), changes))
  }
}

extension ProviderInstance {
  /// A browser whose person registered alone with the provider, and has no password.
  func registered(
    _ subject: String, _ changes: [String: Any?] = [:]
  ) throws -> TestClient {
    let browser = instance.browser()
    try signIn(subject, browser, changes)
    let name = subject.capitalized
    let made = browser.post(
      "/sign-in/with/\(self.name)/register", ["display_name": name, "accept": "1"])
    #expect(made.location == "/")
    return browser
  }

  /// Confirms with the provider on the page at this address; returns the answer to the browser that
  /// comes back.
  func confirm(
    _ page: String, _ subject: String, _ browser: TestClient, _ changes: [String: Any?] = [:]
  ) throws -> TestResponse {
    let text = browser.get(page).text
    let found = try #require(text.firstMatch(of: /href="(\/settings\/confirm\/home[^"]+)"/))
    let link = String(found.output.1).replacing("&amp;", with: "&")
    let address = try #require(browser.get(link).location)
    return browser.get(try provider.signIn(subject, at: address, changes))
  }
}

extension TestResponse {
  /// The address to which a page leads by itself.
  func refreshAddress() throws -> String {
    let found = try #require(text.firstMatch(of: /http-equiv="refresh" content="0; url=([^"]+)"/))
    return String(found.output.1).replacing("&amp;", with: "&")
  }
}
