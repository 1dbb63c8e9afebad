import Core
import Foundation
import Testing

@testable import OpenIDConnect

@Suite("Metadata of OpenID providers")
struct ProviderMetadataTests {
  private static let path = "/.well-known/openid-configuration"
  private let fake: FakeProvider

  init() throws { fake = try FakeProvider() }

  private func now(_ seconds: Int64 = 0) -> Instant { FakeProvider.now.adding(seconds: seconds) }

  private func metadata() throws -> ProviderMetadata {
    ProviderMetadata(provider: try FakeProvider.provider(), transport: fake)
  }

  @Test("The document is read")
  func document() throws {
    let document = try fake.client().check(now: now())
    #expect(document.issuer == FakeProvider.issuer)
    #expect(document.authorizationEndpoint == FakeProvider.issuer + "/authorize")
    #expect(document.tokenEndpoint == FakeProvider.issuer + "/token")
    #expect(document.keySetAddress == FakeProvider.issuer + "/keys")
    #expect(document.userInfoEndpoint == FakeProvider.issuer + "/userinfo")
    #expect(document.algorithms == [.rs256, .es256])
    #expect(document.usesBasicAuthentication && !document.namesIssuerInResponses)
  }

  @Test("A document with one fault is refused for it")
  func faults() throws {
    for (changes, error) in [
      (["issuer": "https://other.example.test"], .issuer("https://other.example.test")),
      (["issuer": FakeProvider.issuer + "/"], .issuer(FakeProvider.issuer + "/")),
      (["issuer": nil], .unreadable),
      (["authorization_endpoint": nil], .endpoint("authorization_endpoint")),
      (["authorization_endpoint": "javascript:alert(1)"], .endpoint("authorization_endpoint")),
      (["token_endpoint": "http://login.example.test/token"], .endpoint("token_endpoint")),
      (["jwks_uri": "file:///etc/passwd"], .endpoint("jwks_uri")),
      (["jwks_uri": "https://a@login.example.test/"], .endpoint("jwks_uri")),
      (["userinfo_endpoint": "https://login.example.test/#a"], .endpoint("userinfo_endpoint")),
      (["response_types_supported": ["id_token"]], .responseType),
      (["id_token_signing_alg_values_supported": ["none", "HS256", "RS512"]], .algorithms),
      (["code_challenge_methods_supported": ["plain"]], .codeChallenge),
      (
        ["token_endpoint_auth_methods_supported": ["private_key_jwt"]], .clientAuthentication
      ),
      (["token_endpoint": 5], .unreadable),
    ] as [([String: Any?], DiscoveryError)] {
      fake.answer(Self.path, FakeProvider.document(changes))
      #expect(failure { try fake.client().check(now: now()) } == .discovery(error), "\(changes)")
    }
    for json in ["", "[]", "null", "<html>"] {
      fake.answer(Self.path, json)
      #expect(failure { try fake.client().check(now: now()) } == .discovery(.unreadable))
    }
    fake.answer(Self.path, "", status: 302)
    #expect(failure { try fake.client().check(now: now()) } == .discovery(.status(302)))
  }

  @Test("Without optional fields the defaults of the specification hold")
  func defaults() throws {
    fake.answer(
      Self.path,
      FakeProvider.document([
        "response_types_supported": nil, "id_token_signing_alg_values_supported": nil,
        "code_challenge_methods_supported": nil, "userinfo_endpoint": nil,
      ]))
    let document = try fake.client().check(now: now())
    #expect(document.algorithms == [.rs256] && document.usesBasicAuthentication)
    #expect(document.userInfoEndpoint == nil)
  }

  @Test("Keys for other uses, of other kinds or unreadable are left out, and none is an error")
  func keys() throws {
    let good = try FakeProvider.rsaFields(id: "a")
    var others: [[String: Any]] = []
    for change: [String: Any] in [
      ["use": "enc"], ["alg": "RS512"], ["kty": "oct"], ["n": "AQAB"], ["n": 5], ["e": "="],
      ["n": String(repeating: "A", count: 4096)], ["e": "AQABAQAB"],
    ] {
      others.append(good.merging(change) { $1 })
    }
    for change: [String: Any] in [["crv": "P-384"], ["x": "AA"], ["y": good["n"] ?? ""]] {
      others.append(FakeProvider.ecFields(id: "b").merging(change) { $1 })
    }
    // A point that is not on the curve.
    others.append(
      FakeProvider.ecFields(id: "b").merging(["y": String(repeating: "A", count: 43)]) { $1 })
    let none = FakeProvider.json(["keys": others])
    #expect(throws: DiscoveryError.keys) { try JSONWebKeySet(Array(none.utf8)) }
    let one = FakeProvider.json(["keys": others + [good]])
    #expect(try JSONWebKeySet(Array(one.utf8)).keys.map(\.id) == ["a"])
    let many = FakeProvider.json(["keys": Array(repeating: good, count: 65)])
    for json in [many, "{}", "[]", ""] {
      #expect(throws: DiscoveryError.unreadable) { try JSONWebKeySet(Array(json.utf8)) }
    }
  }

  @Test("A token without a key id needs a provider with one key for its algorithm")
  func withoutID() throws {
    let one = try JSONWebKeySet(Array(FakeProvider.keySet().utf8))
    #expect(one.key(nil, .rs256)?.id == "r1" && one.key(nil, .es256)?.id == "e1")
    let two = try JSONWebKeySet(
      Array(FakeProvider.keySet(more: [try FakeProvider.rsaFields(id: "r2")]).utf8))
    #expect(two.key(nil, .rs256) == nil && two.key("r2", .rs256)?.id == "r2")
  }

  @Test("Both are kept for as long as the provider says, within limits")
  func lifetimes() throws {
    for (caching, seconds) in [
      (nil, 3600), ("max-age=300", 300), ("max-age=1", 60), ("no-store", 60),
      ("max-age=9999999", 86_400),
    ] as [(String?, Int64)] {
      let fake = try FakeProvider()
      fake.answer(Self.path, FakeProvider.document(), caching: caching)
      fake.answer("/keys", try FakeProvider.keySet(), caching: caching)
      let metadata = ProviderMetadata(provider: try FakeProvider.provider(), transport: fake)
      for moment in [0, 1, seconds - 1] {
        #expect(try metadata.key("r1", .rs256, now: now(moment)) != nil)
      }
      #expect(fake.count(Self.path) == 1 && fake.count("/keys") == 1, "\(caching ?? "")")
      _ = try metadata.key("r1", .rs256, now: now(seconds))
      #expect(fake.count(Self.path) == 2 && fake.count("/keys") == 2, "\(caching ?? "")")
    }
  }

  @Test("An unknown key id fetches the keys once more, and invented ids not each time")
  func unknownKey() throws {
    let metadata = try metadata()
    #expect(try metadata.key("r2", .rs256, now: now()) == nil)
    #expect(fake.count("/keys") == 1)
    fake.answer("/keys", try FakeProvider.keySet(rsaID: "r2"))
    #expect(try metadata.key("r2", .rs256, now: now(10)) != nil)
    #expect(fake.count("/keys") == 2)
    #expect(try metadata.key("r1", .rs256, now: now(11)) == nil)
    for _ in 0..<5 { #expect(try metadata.key("x", .rs256, now: now(30)) == nil) }
    #expect(fake.count("/keys") == 3)
    #expect(try metadata.key("r2", .rs256, now: now(30)) != nil)
    #expect(fake.count("/keys") == 3 && fake.count(Self.path) == 1)
  }

  @Test("After a failure the provider is left alone for some seconds")
  func failures() throws {
    let metadata = try metadata()
    fake.fail(Self.path)
    for second: Int64 in [0, 1, 9] {
      #expect(failure { try metadata.document(now: now(second)) } != nil)
    }
    #expect(fake.count(Self.path) == 1)
    fake.answer(Self.path, FakeProvider.document(["issuer": "https://x.example.test"]))
    for second: Int64 in [10, 19] {
      #expect(
        failure { try metadata.document(now: now(second)) }
          == .discovery(.issuer("https://x.example.test")))
    }
    #expect(fake.count(Self.path) == 2)
    fake.answer(Self.path, FakeProvider.document())
    #expect(failure { try metadata.document(now: now(20)) } == nil)
  }

  @Test("A check of the configuration fetches both again")
  func check() throws {
    let client = try fake.client()
    try client.check(now: now())
    try client.check(now: now())
    #expect(fake.count(Self.path) == 2 && fake.count("/keys") == 2)
    fake.answer("/keys", "{\"keys\":[]}")
    #expect(failure { try client.check(now: now()) } == .discovery(.keys))
  }

  @Test("An issuer must be an https address without query")
  func issuers() throws {
    for (issuer, allowsPrivate, isGood) in [
      ("https://a.example.test", false, true), ("https://a.example.test/tenant/", false, true),
      ("http://127.0.0.1:9000", true, true), ("http://127.0.0.1:9000", false, false),
      ("https://a.example.test?x", false, false), ("https://a.example.test/#x", false, false),
      ("https://", false, false), ("a.example.test", false, false), ("", false, false),
    ] {
      let provider = try? OpenIDProvider(
        issuer: issuer, clientID: "web", credentials: .none, allowsPrivateNetwork: allowsPrivate)
      #expect((provider != nil) == isGood, "\(issuer)")
    }
    let tenant = try OpenIDProvider(
      issuer: "https://a.example.test/tenant/", clientID: "web", credentials: .none)
    #expect(
      tenant.discoveryAddress
        == "https://a.example.test/tenant/.well-known/openid-configuration")
  }
}
