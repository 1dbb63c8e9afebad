import Core
import Foundation
import HTTPClient

@testable import OpenIDConnect
@testable import WebAuthn

extension FuzzTarget {
  static let signInTargets = [
    FuzzTarget(name: "cbor") { bytes in
      guard let value = try? CBORReader.read(bytes[...]) else { return }
      check((try? CBORReader.read((bytes + [0])[...])) == nil, "nothing follows a value")
      let short = encoded(value)
      check(short.count <= bytes.count, "no value is longer than its input")
      check((try? CBORReader.read(short[...])) == value, "what is written is read as it was")
    },
    FuzzTarget(name: "cose") { bytes in
      guard let key = try? CredentialPublicKey(bytes) else { return }
      check((try? CredentialPublicKey(key.bytes))?.algorithm == key.algorithm, "a key is kept")
      _ = key.verifies(bytes, of: [])
    },
    FuzzTarget(name: "passkey") { bytes in
      let response = RegistrationResponse(
        credentialID: [1], clientData: clientData, attestationObject: bytes, transports: [])
      if let record = try? site.register(response, challenge: challenge) {
        check(record.id == [1], "a credential has the id that the browser says")
      }
      if let data = try? AuthenticatorData(bytes) {
        check(data.relyingPartyHash.count == 32, "a hash is whole")
        check(1...1023 ~= data.credential?.id.count ?? 1, "an id has its limits")
      }
      _ = try? ClientData.read(bytes)
      _ = try? RegistrationResponse(json: bytes)
      _ = try? AuthenticationResponse(json: bytes)
    },
    FuzzTarget(name: "id-token") { bytes in
      guard let client else { return }
      let text = String(decoding: bytes, as: UTF8.self)
      let token = try? client.idToken(text, expecting: .app(nonce: "n"), now: now)
      check(token == nil, "nobody signs without the key")
      check((try? client.logoutToken(text, now: now)) == nil, "nobody signs without the key")
      check((try? client.appleNotice(bytes, now: now)) == nil, "nobody signs without the key")
    },
    FuzzTarget(name: "id-token-claims") { bytes in
      guard let client, let claims: TokenClaims = decoded(bytes) else { return }
      let provider = client.provider
      if let profile: ProviderProfile = decoded(bytes),
        let events: IDToken.EventClaims = decoded(bytes),
        let token = try? IDToken(
          claims, profile, events, of: provider, expecting: .app(nonce: "n"), now: now)
      {
        check(token.issuer == claims.iss, "the issuer is the provider")
        check(claims.aud.values == ["c"], "the audience is the client")
        check(1...255 ~= token.subject.utf8.count, "a subject has its limits")
      }
      if let events: LogoutToken.EventClaims = decoded(bytes) {
        _ = try? LogoutToken(claims, events, of: provider, now: now)
      }
      if let events: AppleNotice.EventClaims = decoded(bytes) {
        _ = try? AppleNotice(claims, events, of: provider, now: now)
      }
    },
    FuzzTarget(name: "discovery") { bytes in
      guard let client else { return }
      if let document = try? DiscoveryDocument(bytes, of: client.provider) {
        check(document.issuer == client.provider.issuer, "the issuer is the provider")
        check(document.tokenEndpoint.hasPrefix("https://"), "all is encrypted")
      }
      if let set = try? JSONWebKeySet(bytes) {
        check(1...64 ~= set.keys.count, "the number of keys has its limits")
      }
    },
  ]

  private static let now = Instant(milliseconds: 0)
  private static let challenge: [UInt8] = [1, 2, 3]
  private static let clientData = Array(
    #"{"type":"webauthn.create","challenge":"AQID","origin":"https://a.test"}"#.utf8)
  private static let site = RelyingParty(id: "a.test", name: "A", origins: ["https://a.test"])

  /// A provider whose answers do not change.
  private struct FixedProvider: ProviderTransport {
    static let document = """
      {"issuer":"https://a.test","authorization_endpoint":"https://a.test/a",
      "token_endpoint":"https://a.test/t","jwks_uri":"https://a.test/k",
      "id_token_signing_alg_values_supported":["RS256","ES256"]}
      """
    // The key of RFC 7515, appendix A.3.
    static let keys = """
      {"keys":[{"kty":"EC","crv":"P-256","kid":"x",
      "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
      """

    func send(_ call: HTTPCall) throws(OpenIDError) -> HTTPAnswer {
      HTTPAnswer(
        status: 200, body: Array((call.url.hasSuffix("/k") ? Self.keys : Self.document).utf8))
    }
  }

  private static let client: OpenIDClient? = {
    let provider = try? OpenIDProvider(
      issuer: "https://a.test", clientID: "c", credentials: .none)
    return provider.map { OpenIDClient(provider: $0, transport: FixedProvider()) }
  }()

  private static func decoded<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(Value.self, from: Data(bytes))
  }

  /// A value in the shortest form.
  private static func encoded(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .unsigned(let number): return head(0, number)
    case .negative(let number): return head(1, number)
    case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
    case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .list(let values): return head(4, UInt64(values.count)) + values.flatMap(encoded)
    case .map(let entries):
      return head(5, UInt64(entries.count))
        + entries.flatMap { encoded($0.key) + encoded($0.value) }
    case .flag(let flag): return [flag ? 0xF5 : 0xF4]
    case .null: return [0xF6]
    }
  }

  private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
    let bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
    switch number {
    case ..<24: return [major << 5 | UInt8(number)]
    case ...0xFF: return [major << 5 | 24] + bytes.suffix(1)
    case ...0xFFFF: return [major << 5 | 25] + bytes.suffix(2)
    case ...0xFFFF_FFFF: return [major << 5 | 26] + bytes.suffix(4)
    default: return [major << 5 | 27] + bytes
    }
  }
}
