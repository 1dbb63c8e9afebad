import Core
import Crypto
import Foundation
import Secrets
import Testing

@testable import OpenIDConnect

@Suite("ID tokens")
struct IDTokenTests {
  private static let now = FakeProvider.now
  private static let seconds = FakeProvider.seconds

  private let fake: FakeProvider
  private let client: OpenIDClient

  init() throws {
    fake = try FakeProvider()
    client = try fake.client()
  }

  /// The expectation of web sign-in, for a code and an access token.
  private static func expectation(
    nonce: IDTokenExpectation.Nonce = .equal("n-1"), clientIDs: [String]? = ["web"],
    maximumAuthenticationAge: Int64? = nil
  ) -> IDTokenExpectation {
    IDTokenExpectation(
      nonce: nonce, clientIDs: clientIDs, accessToken: "access-1", code: "code-1",
      maximumAge: 600, maximumAuthenticationAge: maximumAuthenticationAge)
  }

  private func read(
    _ draft: TokenDraft, expecting: IDTokenExpectation = IDTokenTests.expectation()
  ) throws -> IDToken {
    try client.idToken(try draft.text(), expecting: expecting, now: Self.now)
  }

  @Test("A good token is read, with RS256 and with ES256")
  func good() throws {
    var draft = TokenDraft.idToken()
    draft.claims["sid"] = "s-1"
    draft.claims["at_hash"] = IDToken.halfHash("access-1")
    draft.claims["c_hash"] = IDToken.halfHash("code-1")
    draft.claims["auth_time"] = Self.seconds - 60
    let token = try read(draft, expecting: Self.expectation(maximumAuthenticationAge: 60))
    #expect(token.issuer == FakeProvider.issuer && token.subject == "ann-1")
    #expect(token.sessionID == "s-1")
    #expect(token.issuedAt == Self.now.adding(seconds: -5))
    #expect(token.authenticatedAt == Self.now.adding(seconds: -60))
    #expect(token.profile.email == "ann@example.test" && token.profile.isEmailVerified)
    #expect(token.profile.name == "Ann" && !token.profile.isPrivateEmail)
    draft.header = ["alg": "ES256", "kid": "e1"]
    draft.signer = .p256
    #expect(try read(draft) == token)
  }

  @Test("The hash of an access token is that of the specification's example")
  func hash() {
    // OpenID Connect Core 1.0, appendix A.3: a token and its at_hash.
    #expect(
      IDToken.halfHash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        == "77QmUPtjPfzWtF2AnpK9RQ")
  }

  @Test("A token that breaks one check is refused for it", arguments: broken)
  func refused(_ broken: BrokenToken) throws {
    var draft = TokenDraft.idToken()
    draft.claims["at_hash"] = IDToken.halfHash("access-1")
    draft.claims["c_hash"] = IDToken.halfHash("code-1")
    draft.claims["auth_time"] = Self.seconds - 60
    let expectation = Self.expectation(maximumAuthenticationAge: 60)
    #expect(failure { try read(draft, expecting: expectation) } == nil)
    broken.change(&draft)
    #expect(failure { try read(draft, expecting: expectation) } == .token(broken.error))
  }

  static let broken: [BrokenToken] = [
    BrokenToken("no algorithm", .algorithm) {
      $0.header["alg"] = "none"
      $0.signer = .none
    },
    BrokenToken("no algorithm, but a signature", .algorithm) { $0.header["alg"] = "none" },
    BrokenToken("None", .algorithm) { $0.header["alg"] = "None" },
    BrokenToken("HS256 with the public key", .algorithm) {
      $0.header["alg"] = "HS256"
      $0.signer = .publicKeyAsSecret
    },
    BrokenToken("RS512", .algorithm) { $0.header["alg"] = "RS512" },
    BrokenToken("PS256", .algorithm) {
      $0.header["alg"] = "PS256"
      $0.signer = .pss
    },
    BrokenToken("the padding of PS256", .signature) { $0.signer = .pss },
    BrokenToken("another RSA key", .signature) { $0.signer = .otherRSA },
    BrokenToken("no signature", .signature) { $0.signer = .none },
    BrokenToken("another key on P-256", .signature) {
      $0.header = ["alg": "ES256", "kid": "e1"]
      $0.signer = .otherP256
    },
    BrokenToken("ES256 with an RSA key", .unknownKey) { $0.header["alg"] = "ES256" },
    BrokenToken("an unknown key", .unknownKey) { $0.header["kid"] = "r9" },
    BrokenToken("a key of the token's own", .unknownKey) {
      $0.header["kid"] = "e2"
      $0.header["alg"] = "ES256"
      $0.header["jwk"] = FakeProvider.ecFields(id: "e2")
      $0.signer = .p256
    },
    BrokenToken("an access token", .type) { $0.header["typ"] = "at+jwt" },
    BrokenToken("a logout token by its type", .type) { $0.header["typ"] = "logout+jwt" },
    BrokenToken("a logout token by its event", .event) {
      $0.claims["events"] = TokenDraft.logoutToken().claims["events"]
    },
    BrokenToken("a critical extension", .malformed) { $0.header["crit"] = ["exp"] },
    BrokenToken("an unencoded payload", .malformed) { $0.header["b64"] = false },
    BrokenToken("a compressed payload", .malformed) { $0.header["zip"] = "DEF" },
    BrokenToken("no algorithm field", .malformed) { $0.header["alg"] = nil },
    BrokenToken("another issuer", .issuer) { $0.claims["iss"] = "https://other.example.test" },
    BrokenToken("the issuer with a slash", .issuer) {
      $0.claims["iss"] = FakeProvider.issuer + "/"
    },
    BrokenToken("no issuer", .malformed) { $0.claims["iss"] = nil },
    BrokenToken("another client", .audience) { $0.claims["aud"] = "other" },
    BrokenToken("an app of the operator", .audience) { $0.claims["aud"] = "ios" },
    BrokenToken("another client as well", .audience) {
      $0.claims["aud"] = ["web", "other"]
      $0.claims["azp"] = "web"
    },
    BrokenToken("nobody", .audience) { $0.claims["aud"] = [String]() },
    BrokenToken("no audience", .malformed) { $0.claims["aud"] = nil },
    BrokenToken("an audience that is a number", .malformed) { $0.claims["aud"] = 5 },
    BrokenToken("two audiences and nobody authorized", .authorizedParty) {
      $0.claims["aud"] = ["web", "ios"]
    },
    BrokenToken("another authorized party", .authorizedParty) { $0.claims["azp"] = "other" },
    BrokenToken("expired now", .expired) { $0.claims["exp"] = seconds },
    BrokenToken("expired long ago", .expired) { $0.claims["exp"] = 0 },
    BrokenToken("no end", .expired) { $0.claims["exp"] = nil },
    BrokenToken("an end as a text", .malformed) { $0.claims["exp"] = "\(seconds + 600)" },
    BrokenToken("an end beyond all numbers", .malformed) { $0.claims["exp"] = 1e300 },
    BrokenToken("issued in the future", .notYetValid) { $0.claims["iat"] = seconds + 31 },
    BrokenToken("no time of issue", .notYetValid) { $0.claims["iat"] = nil },
    BrokenToken("not valid yet", .notYetValid) { $0.claims["nbf"] = seconds + 31 },
    BrokenToken("issued long ago", .tooOld) { $0.claims["iat"] = seconds - 601 },
    BrokenToken("another nonce", .nonce) { $0.claims["nonce"] = "n-2" },
    BrokenToken("a hashed nonce", .nonce) {
      $0.claims["nonce"] = Hex.text(Digests.sha256(Array("n-1".utf8)))
    },
    BrokenToken("an empty nonce", .nonce) { $0.claims["nonce"] = "" },
    BrokenToken("no nonce", .nonce) { $0.claims["nonce"] = nil },
    BrokenToken("no subject", .subject) { $0.claims["sub"] = nil },
    BrokenToken("an empty subject", .subject) { $0.claims["sub"] = "" },
    BrokenToken("a long subject", .subject) {
      $0.claims["sub"] = String(repeating: "a", count: 256)
    },
    BrokenToken("a subject that is not ASCII", .subject) { $0.claims["sub"] = "änn" },
    BrokenToken("a subject that is a number", .malformed) { $0.claims["sub"] = 1 },
    BrokenToken("asked long ago", .authenticationTime) {
      $0.claims["auth_time"] = seconds - 91
    },
    BrokenToken("asked at no time", .authenticationTime) { $0.claims["auth_time"] = nil },
    BrokenToken("another access token", .accessTokenHash) {
      $0.claims["at_hash"] = IDToken.halfHash("access-2")
    },
    BrokenToken("an empty hash", .accessTokenHash) { $0.claims["at_hash"] = "" },
    BrokenToken("another code", .codeHash) { $0.claims["c_hash"] = IDToken.halfHash("code-2") },
    BrokenToken("a flag of another kind", .malformed) { $0.claims["email_verified"] = "yes" },
    BrokenToken("an address that is a list", .malformed) { $0.claims["email"] = ["a"] },
    BrokenToken("too long", .malformed) {
      $0.claims["name"] = String(repeating: "a", count: 16 << 10)
    },
  ]

  @Test("Every check has a token that breaks it, here or among the other kinds of tokens")
  func complete() {
    let found = Set(
      (Self.broken + LogoutTokenTests.broken + AppleNoticeTests.broken).map(\.error))
    #expect(found == Set(ProviderTokenError.allCases))
  }

  @Test("Other forms than three parts of base64url are refused")
  func forms() throws {
    let good = try TokenDraft.idToken().text()
    let parts = good.split(separator: ".")
    for text in [
      "", ".", "..", "....", good + ".", good + "=", good + " ", " " + good, good + "\n",
      "\(parts[0]).\(parts[1])", "\(good).\(parts[0]).\(parts[1])",
      "\(parts[0]).\(parts[1])=.\(parts[2])", "{}.{}.{}",
    ] {
      let error = failure { try client.idToken(text, expecting: Self.expectation(), now: Self.now) }
      #expect(error == .token(.malformed), "\(text)")
    }
  }

  @Test("A change of any byte makes it worthless")
  func altered() throws {
    let good = Array(try TokenDraft.idToken().text().utf8)
    for index in stride(from: 0, to: good.count, by: 3) where good[index] != UInt8(ascii: ".") {
      var bad = good
      bad[index] = bad[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let text = String(decoding: bad, as: UTF8.self)
      #expect(
        failure { try client.idToken(text, expecting: Self.expectation(), now: Self.now) } != nil,
        "\(index)")
    }
  }

  @Test("At its limits a token is still good")
  func limits() throws {
    for change: @Sendable (inout TokenDraft) -> Void in [
      { $0.claims["exp"] = Self.seconds + 1 },
      { $0.claims["iat"] = Self.seconds + 30 },
      { $0.claims["iat"] = Self.seconds - 600 },
      { $0.claims["iat"] = Double(Self.seconds) - 0.5 },
      { $0.claims["nbf"] = Self.seconds + 30 },
      { $0.claims["aud"] = ["web"] },
      { $0.claims["azp"] = "android" },
      { $0.claims["sub"] = String(repeating: "a", count: 255) },
      { $0.header["typ"] = nil },
      { $0.header["typ"] = "jwt" },
      { $0.claims["unknown"] = ["a": [1, 2]] },
      {
        $0.claims["aud"] = ["web", "ios"]
        $0.claims["azp"] = "web"
      },
    ] {
      var draft = TokenDraft.idToken()
      change(&draft)
      #expect(failure { try read(draft) } == nil, "\(draft.claims)")
    }
  }

  @Test("An app's token may have its own audience, and the nonce as it is or hashed")
  func app() throws {
    var draft = TokenDraft.idToken()
    draft.claims["aud"] = "web"
    draft.claims["azp"] = "android"
    #expect(failure { try read(draft, expecting: .app(nonce: "n-1")) } == nil)
    draft.claims["aud"] = "ios"
    draft.claims["azp"] = nil
    draft.claims["nonce"] = Hex.text(Digests.sha256(Array("n-1".utf8)))
    #expect(failure { try read(draft, expecting: .app(nonce: "n-1")) } == nil)
    #expect(failure { try read(draft, expecting: .app(nonce: "n-2")) } == .token(.nonce))
    draft.claims["aud"] = "other"
    #expect(failure { try read(draft, expecting: .app(nonce: "n-1")) } == .token(.audience))
    draft.claims["aud"] = "ios"
    draft.claims["iat"] = Self.seconds - 3601
    #expect(failure { try read(draft, expecting: .app(nonce: "n-1")) } == .token(.tooOld))
  }

  @Test("Apple's booleans are texts")
  func flags() throws {
    for (value, isSet) in [("true", true), ("false", false)] {
      var draft = TokenDraft.idToken()
      draft.claims["email_verified"] = value
      draft.claims["is_private_email"] = value
      let profile = try read(draft).profile
      #expect(profile.isEmailVerified == isSet && profile.isPrivateEmail == isSet)
    }
    var draft = TokenDraft.idToken()
    draft.claims["email_verified"] = nil
    #expect(try !read(draft).profile.isEmailVerified)
  }

  @Test("Another spelling of the issuer stands for the configured one, if that is named")
  func alias() throws {
    let client = try fake.client(try FakeProvider.provider(aliases: ["login.example.test"]))
    var draft = TokenDraft.idToken()
    draft.claims["iss"] = "login.example.test"
    let token = try client.idToken(
      try draft.text(), expecting: Self.expectation(), now: Self.now)
    #expect(token.issuer == FakeProvider.issuer)
    #expect(failure { try read(draft) } == .token(.issuer))
  }

  @Test("An algorithm that the provider does not announce is refused")
  func announced() throws {
    fake.answer(
      "/.well-known/openid-configuration",
      FakeProvider.document(["id_token_signing_alg_values_supported": ["ES256"]]))
    #expect(failure { try read(TokenDraft.idToken()) } == .token(.algorithm))
  }
}
