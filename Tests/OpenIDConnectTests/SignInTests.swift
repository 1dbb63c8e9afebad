import Core
import Crypto
import Foundation
import HTTPClient
import Secrets
import SignedTokens
import Testing

@testable import OpenIDConnect

@Suite("Sign-in with an OpenID provider")
struct SignInTests {
  private static let now = FakeProvider.now
  private static let redirect = "https://pairspot.example.test/sign-in/home"
  private let fake: FakeProvider

  init() throws { fake = try FakeProvider() }

  private let request = AuthorizationRequest(
    state: "s-1", nonce: "n-1",
    // RFC 7636, appendix B.
    codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", redirectURI: SignInTests.redirect)

  private func response(_ changes: [String: String?] = [:]) -> AuthorizationResponse {
    var fields: [String: String] = ["state": "s-1", "code": "code-1"]
    for (name, value) in changes { fields[name] = value }
    return AuthorizationResponse { fields[$0] }
  }

  private func answerTokens(_ draft: TokenDraft = .idToken(), more: [String: Any] = [:]) throws {
    var fields: [String: Any] = [
      "id_token": try draft.text(), "access_token": "access-1", "token_type": "Bearer",
      "expires_in": 3600,
    ]
    fields.merge(more) { $1 }
    fake.answer("/token", FakeProvider.json(fields))
  }

  private func signIn(
    _ response: AuthorizationResponse? = nil, _ client: OpenIDClient? = nil
  ) throws -> IDToken {
    try (client ?? fake.client()).signIn(
      response ?? self.response(), for: request, now: Self.now)
  }

  /// The fields of a query or form.
  private func fields(_ text: some StringProtocol) -> [String: String] {
    var url = URLComponents()
    url.percentEncodedQuery = String(text)
    return Dictionary(
      uniqueKeysWithValues: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") })
  }

  @Test("The browser is sent to the provider with all fields")
  func address() throws {
    let address = try fake.client().authorizationAddress(
      for: request, loginHint: "ann@example.test", now: Self.now)
    let parts = address.split(separator: "?")
    #expect(parts.first == "https://login.example.test/authorize")
    #expect(
      fields(parts.last ?? "") == [
        "response_type": "code", "client_id": "web", "redirect_uri": Self.redirect,
        "scope": "openid email profile", "state": "s-1", "nonce": "n-1",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256", "login_hint": "ann@example.test",
      ])
  }

  @Test("Each request has secrets of its own, of 43 characters")
  func random() {
    let requests = [1, 2].map { _ in
      AuthorizationRequest.random(redirectURI: Self.redirect, maximumAuthenticationAge: 0)
    }
    let secrets = requests.flatMap { [$0.state, $0.nonce, $0.codeVerifier] }
    #expect(Set(secrets).count == 6 && secrets.allSatisfy { $0.count == 43 })
  }

  @Test("A code is exchanged, with the secret in a header")
  func exchange() throws {
    try answerTokens()
    let token = try signIn()
    #expect(token.subject == "ann-1" && token.profile.email == "ann@example.test")
    let call = try #require(fake.calls.last { $0.method == "POST" })
    #expect(call.url == FakeProvider.issuer + "/token")
    let authorization = call.headers.first { $0.name == "Authorization" }?.value
    let both = Data("web:s3cret%20%26".utf8).base64EncodedString()
    #expect(authorization == "Basic \(both)")
    #expect(
      fields(String(decoding: call.body, as: UTF8.self)) == [
        "grant_type": "authorization_code", "code": "code-1", "redirect_uri": Self.redirect,
        "code_verifier": request.codeVerifier,
      ])
  }

  @Test("A provider that wants the secret in the form gets it there, and a public client has none")
  func secretInForm() throws {
    try answerTokens()
    fake.answer(
      "/.well-known/openid-configuration",
      FakeProvider.document(["token_endpoint_auth_methods_supported": ["client_secret_post"]]))
    for (credentials, secret) in [(ClientCredentials.secret("s3cret"), "s3cret"), (.none, nil)] {
      let client = try fake.client(try FakeProvider.provider(credentials: credentials))
      _ = try signIn(nil, client)
      let call = try #require(fake.calls.last { $0.method == "POST" })
      #expect(!call.headers.contains { $0.name == "Authorization" })
      let found = fields(String(decoding: call.body, as: UTF8.self))
      #expect(found["client_id"] == "web" && found["client_secret"] == secret)
    }
  }

  @Test("Apple gets a signed secret, and answers in a form")
  func apple() throws {
    try answerTokens()
    fake.answer(
      "/.well-known/openid-configuration",
      FakeProvider.document(["token_endpoint_auth_methods_supported": ["client_secret_post"]]))
    let key = P256.Signing.PrivateKey()
    let apple = try OpenIDProvider.apple(
      clientID: "web", appClientIDs: ["ios"],
      key: try #require(
        AppleClientKey(teamID: "TEAM000001", keyID: "KEY0000001", pem: key.pemRepresentation)),
      issuer: FakeProvider.issuer)
    let client = try fake.client(apple)
    let address = try client.authorizationAddress(for: request, now: Self.now)
    #expect(address.contains("&response_mode=form_post"))
    #expect(address.contains("&scope=openid%20email%20name&"))
    _ = try signIn(nil, client)
    let call = try #require(fake.calls.last { $0.method == "POST" })
    let secret = try #require(
      fields(String(decoding: call.body, as: UTF8.self))["client_secret"])
    let token = try #require(CompactJWS(secret, maximumBytes: 1000))
    #expect(token.header.alg == "ES256" && token.header.kid == "KEY0000001")
    #expect(
      key.publicKey.isValidSignature(
        try .init(rawRepresentation: token.signature), for: token.signedBytes))
    let claims =
      try JSONSerialization.jsonObject(with: Data(token.payload)) as? NSDictionary
    #expect(
      claims == [
        "iss": "TEAM000001", "sub": "web", "aud": FakeProvider.issuer,
        "iat": Int(FakeProvider.seconds), "exp": Int(FakeProvider.seconds) + 300,
      ])
    #expect(AppleClientKey(teamID: "T", keyID: "K", pem: "no key") == nil)
  }

  @Test("A response that breaks one check is refused for it, and no code is exchanged")
  func responses() throws {
    try answerTokens()
    for (changes, error) in [
      (["state": "s-2"], .state), (["state": nil], .state), (["state": ""], .state),
      (["iss": "https://other.example.test"], .issuer),
      (["error": "access_denied"], .denied(code: "access_denied")),
      (["error": "a\nb"], .malformed), (["error": ""], .malformed),
      (["code": nil], .malformed), (["code": ""], .malformed),
      (["code": String(repeating: "a", count: 4097)], .malformed),
    ] as [([String: String?], AuthorizationError)] {
      #expect(failure { try signIn(response(changes)) } == .authorization(error), "\(changes)")
    }
    #expect(fake.count("/token") == 0)
    #expect(failure { try signIn(response(["iss": FakeProvider.issuer])) } == nil)
  }

  @Test("A provider that always names itself must do so")
  func issuerInResponse() throws {
    try answerTokens()
    fake.answer(
      "/.well-known/openid-configuration",
      FakeProvider.document(["authorization_response_iss_parameter_supported": true]))
    #expect(failure { try signIn() } == .authorization(.issuer))
    #expect(failure { try signIn(response(["iss": FakeProvider.issuer])) } == nil)
  }

  @Test("The provider's refusals and unreadable answers are told apart")
  func refusals() throws {
    for (json, status, error) in [
      ("{\"error\":\"invalid_grant\"}", 400, .refused(code: "invalid_grant")),
      ("{\"error\":\"a b\"}", 400, .refused(code: "400")), ("<html>", 502, .refused(code: "502")),
      ("{}", 200, .unreadable), ("", 200, .unreadable),
      ("{\"id_token\":\"a.b.c\",\"token_type\":\"mac\"}", 200, .unreadable),
      ("{\"id_token\":\"a.b.c\",\"token_type\":\"bearer\"}", 200, .token(.malformed)),
    ] as [(String, Int, OpenIDError)] {
      fake.answer("/token", json, status: status)
      #expect(failure { try signIn() } == error, "\(json)")
    }
    fake.fail("/token")
    #expect(failure { try signIn() } == .unreachable("nothing at \(FakeProvider.issuer)/token"))
  }

  @Test("The token must belong to the code and to the access token")
  func hashes() throws {
    var draft = TokenDraft.idToken()
    draft.claims["at_hash"] = IDToken.halfHash("access-2")
    try answerTokens(draft)
    #expect(failure { try signIn() } == .token(.accessTokenHash))
    draft = .idToken()
    draft.claims["c_hash"] = IDToken.halfHash("code-2")
    try answerTokens(draft)
    #expect(failure { try signIn() } == .token(.codeHash))
    draft = .idToken()
    draft.claims["aud"] = "ios"
    try answerTokens(draft)
    #expect(failure { try signIn() } == .token(.audience))
  }

  @Test("A provider that keeps the mail address out of its tokens is asked for the profile")
  func userInfo() throws {
    var draft = TokenDraft.idToken()
    draft.claims["email"] = nil
    try answerTokens(draft)
    fake.answer(
      "/userinfo", "{\"sub\":\"ann-1\",\"email\":\"ann@example.test\",\"email_verified\":true}")
    let token = try signIn()
    #expect(token.profile.email == "ann@example.test" && token.profile.isEmailVerified)
    let call = try #require(fake.calls.last)
    #expect(call.headers.contains { $0.name == "Authorization" && $0.value == "Bearer access-1" })
    fake.answer("/userinfo", "{\"sub\":\"ben-1\",\"email\":\"ann@example.test\"}")
    #expect(failure { try signIn() } == .token(.subject))
    fake.answer("/userinfo", "{\"email\":\"ann@example.test\"}")
    #expect(failure { try signIn() } == .unreadable)
  }

  @Test("A person who must be asked again was asked")
  func askedAgain() throws {
    let client = try fake.client()
    let again = AuthorizationRequest(
      state: "s-1", nonce: "n-1", codeVerifier: request.codeVerifier, redirectURI: Self.redirect,
      maximumAuthenticationAge: 0)
    #expect(try client.authorizationAddress(for: again, now: Self.now).hasSuffix("&max_age=0"))
    try answerTokens()
    #expect(
      failure { try client.signIn(response(), for: again, now: Self.now) }
        == .token(.authenticationTime))
    var draft = TokenDraft.idToken()
    draft.claims["auth_time"] = FakeProvider.seconds - 20
    try answerTokens(draft)
    #expect(failure { try client.signIn(response(), for: again, now: Self.now) } == nil)
  }

  @Test("Apple's name is read from the form, and anything else there is no name")
  func proposedName() {
    let json = "{\"name\":{\"firstName\":\"Ann\",\"lastName\":\"Lee\"},\"email\":\"a@b.test\"}"
    let name = response(["user": json]).proposedName
    #expect(name?.givenName == "Ann" && name?.familyName == "Lee")
    for json in ["", "{}", "[]", "{\"name\":\"Ann\"}", String(repeating: " ", count: 5000) + json] {
      #expect(response(["user": json]).proposedName == nil)
    }
  }

  @Test("Google's issuer may be written without a scheme")
  func google() throws {
    let google = try OpenIDProvider.google(clientID: "web", secret: "s")
    #expect(
      google.isIssuer("https://accounts.google.com") && google.isIssuer("accounts.google.com"))
    #expect(!google.isIssuer("http://accounts.google.com"))
  }
}
