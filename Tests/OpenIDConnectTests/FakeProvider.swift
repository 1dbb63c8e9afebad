import Core
import Crypto
import CryptoExtras
import Foundation
import HTTPClient
import Secrets
import Synchronization
import Testing

@testable import OpenIDConnect

/// A provider without a network: it answers from a table and counts what is asked.
final class FakeProvider: ProviderTransport {
  static let issuer = "https://login.example.test"
  static let now = Instant(milliseconds: 1_800_000_000_000)
  static let seconds: Int64 = 1_800_000_000
  /// Generated once, because it is slow.
  static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048)
  static let otherRSA = try? _RSA.Signing.PrivateKey(keySize: .bits2048)
  static let p256 = P256.Signing.PrivateKey()

  private struct State {
    var answers: [String: HTTPAnswer] = [:]
    var calls: [HTTPCall] = []
  }

  private let state = Mutex(State())

  init() throws {
    answer("/.well-known/openid-configuration", Self.document())
    answer("/keys", try Self.keySet())
  }

  func send(_ call: HTTPCall) throws(OpenIDError) -> HTTPAnswer {
    let answer = state.withLock {
      $0.calls.append(call)
      return $0.answers[call.url]
    }
    guard let answer else { throw .unreachable("nothing at \(call.url)") }
    return answer
  }

  var calls: [HTTPCall] { state.withLock { $0.calls } }

  func count(_ path: String) -> Int { calls.filter { $0.url == Self.issuer + path }.count }

  func answer(_ path: String, _ json: String, status: Int = 200, caching: String? = nil) {
    let answer = HTTPAnswer(status: status, body: Array(json.utf8), cacheControl: caching)
    state.withLock { $0.answers[Self.issuer + path] = answer }
  }

  func fail(_ path: String) {
    state.withLock { _ = $0.answers.removeValue(forKey: Self.issuer + path) }
  }

  /// The discovery document with fields changed; nil removes one.
  static func document(_ changes: [String: Any?] = [:]) -> String {
    var fields: [String: Any] = [
      "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize",
      "token_endpoint": "\(issuer)/token", "jwks_uri": "\(issuer)/keys",
      "response_types_supported": ["code", "id_token"],
      "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
      "code_challenge_methods_supported": ["plain", "S256"],
      "userinfo_endpoint": "\(issuer)/userinfo",
    ]
    for (name, value) in changes { fields[name] = value }
    return json(fields)
  }

  static func keySet(rsaID: String = "r1", ecID: String = "e1", more: [[String: Any]] = [])
    throws -> String
  {
    json(["keys": [try rsaFields(id: rsaID), ecFields(id: ecID)] + more])
  }

  static func rsaFields(id: String) throws -> [String: Any] {
    let numbers = try rsa?.publicKey.getKeyPrimitives()
    return [
      "kty": "RSA", "kid": id, "use": "sig", "alg": "RS256",
      "n": Base64URL.text(numbers?.modulus ?? Data()),
      "e": Base64URL.text(numbers?.publicExponent ?? Data()),
    ]
  }

  static func ecFields(id: String) -> [String: Any] {
    let raw = p256.publicKey.rawRepresentation
    return [
      "kty": "EC", "crv": "P-256", "kid": id, "x": Base64URL.text(raw.prefix(32)),
      "y": Base64URL.text(raw.suffix(32)),
    ]
  }

  static func json(_ value: [String: Any]) -> String {
    let bytes = try? JSONSerialization.data(withJSONObject: value)
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }

  static func provider(
    credentials: ClientCredentials = .secret("s3cret &"), aliases: Set<String> = []
  ) throws -> OpenIDProvider {
    try OpenIDProvider(
      issuer: issuer, issuerAliases: aliases, clientID: "web", appClientIDs: ["ios", "android"],
      credentials: credentials)
  }

  func client(_ provider: OpenIDProvider? = nil) throws -> OpenIDClient {
    OpenIDClient(provider: try provider ?? Self.provider(), transport: self)
  }
}

/// A token to be signed, and changed before.
struct TokenDraft {
  enum Signer {
    case rsa
    case otherRSA
    case pss
    case p256
    case otherP256
    /// HMAC with the provider's public key.
    case publicKeyAsSecret
    case none
  }

  var header: [String: Any] = ["alg": "RS256", "kid": "r1", "typ": "JWT"]
  var claims: [String: Any]
  var signer = Signer.rsa

  static func idToken() -> TokenDraft {
    TokenDraft(claims: [
      "iss": FakeProvider.issuer, "aud": "web", "sub": "ann-1", "nonce": "n-1",
      "iat": FakeProvider.seconds - 5, "exp": FakeProvider.seconds + 600,
      "email": "ann@example.test", "email_verified": true, "name": "Ann",
    ])
  }

  static func logoutToken() -> TokenDraft {
    TokenDraft(
      header: ["alg": "RS256", "kid": "r1", "typ": "logout+jwt"],
      claims: [
        "iss": FakeProvider.issuer, "aud": "web", "sub": "ann-1", "sid": "s-1", "jti": "j-1",
        "iat": FakeProvider.seconds - 5, "exp": FakeProvider.seconds + 120,
        "events": ["http://schemas.openid.net/event/backchannel-logout": [String: Any]()],
      ])
  }

  func text() throws -> String {
    let parts = [header, claims].map { Base64URL.text(Array(FakeProvider.json($0).utf8)) }
    let text = parts.joined(separator: ".")
    return "\(text).\(Base64URL.text(try signature(Data(text.utf8))))"
  }

  private func signature(_ bytes: Data) throws -> [UInt8] {
    switch signer {
    case .rsa: try Self.sign(bytes, FakeProvider.rsa, .insecurePKCS1v1_5)
    case .otherRSA: try Self.sign(bytes, FakeProvider.otherRSA, .insecurePKCS1v1_5)
    case .pss: try Self.sign(bytes, FakeProvider.rsa, .PSS)
    case .p256: Array(try FakeProvider.p256.signature(for: bytes).rawRepresentation)
    case .otherP256: Array(try P256.Signing.PrivateKey().signature(for: bytes).rawRepresentation)
    case .publicKeyAsSecret:
      Digests.hmac(
        Array(bytes), key: Array((FakeProvider.rsa?.publicKey.pemRepresentation ?? "").utf8))
    case .none: []
    }
  }

  private static func sign(
    _ bytes: Data, _ key: _RSA.Signing.PrivateKey?, _ padding: _RSA.Signing.Padding
  ) throws -> [UInt8] {
    Array(try key?.signature(for: bytes, padding: padding).rawRepresentation ?? Data())
  }
}

/// One check, and a change of a good token that breaks it alone.
struct BrokenToken: Sendable, CustomTestStringConvertible {
  let name: String
  let error: ProviderTokenError
  let change: @Sendable (inout TokenDraft) -> Void

  init(
    _ name: String, _ error: ProviderTokenError,
    _ change: @escaping @Sendable (inout TokenDraft) -> Void
  ) {
    self.name = name
    self.error = error
    self.change = change
  }

  var testDescription: String { name }
}

/// The error that a call throws.
func failure<Value>(_ body: () throws -> Value) -> OpenIDError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? OpenIDError
  }
}
