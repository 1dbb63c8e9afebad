import Core
import CryptoExtras
import Foundation
import Secrets
import Testing

@testable import SignedTokens

struct TestClaims: RegisteredClaims, Equatable {
  var iss = "https://pairspot.example"
  var aud = "https://pairspot.example/api/v1"
  var iat: Int64 = 1_700_000_000
  var exp: Int64 = 1_700_000_900
  var sub = "somebody"
  var role: String?
}

@Suite("Signed tokens")
struct SignedTokenTests {
  static let now = Instant(milliseconds: 1_700_000_000_000)
  /// Generated once, because it is slow.
  static let file = try? TokenKeyFile.random()
  static let other = try? TokenKeyFile.random()

  static func keys(_ file: TokenKeyFile?) throws -> TokenKeys {
    try TokenKeys(try #require(file), path: "token-keys.json")
  }

  private func signer(_ file: TokenKeyFile? = SignedTokenTests.file) throws -> SignedToken {
    SignedToken(
      keys: try Self.keys(file), issuer: TestClaims().iss, audience: TestClaims().aud)
  }

  private func problem(
    _ token: String, at now: Instant = SignedTokenTests.now
  ) throws -> SignedTokenError? {
    let signer = try signer()
    do throws(SignedTokenError) {
      _ = try signer.verify(token, as: TestClaims.self, now: now)
      return nil
    } catch {
      return error
    }
  }

  /// A handmade token with any header and signature.
  private func forged(
    header: String, claims: TestClaims = TestClaims(), sign: (Data) throws -> [UInt8]
  ) throws -> String {
    let body = Array(try JSONEncoder().encode(claims))
    let text = "\(Base64URL.text(Array(header.utf8))).\(Base64URL.text(body))"
    return "\(text).\(Base64URL.text(try sign(Data(text.utf8))))"
  }

  private func ours(_ data: Data) throws -> [UInt8] {
    Array(
      try Self.keys(Self.file).signing.key
        .signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation)
  }

  @Test("A signed payload is read back, with header RS256 and the key's name")
  func roundTrip() throws {
    let token = try signer().sign(TestClaims(role: "partner_a"))
    let claims: TestClaims = try signer().verify(token, now: Self.now)
    #expect(claims == TestClaims(role: "partner_a"))
    let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.bytes($0) })
    let read = try JSONSerialization.jsonObject(with: Data(header)) as? [String: String]
    let kid = try Self.keys(Self.file).signing.id
    #expect(read == ["alg": "RS256", "kid": kid, "typ": "JWT"])
  }

  @Test("Forged tokens are worth nothing")
  func forgeries() throws {
    let kid = try Self.keys(Self.file).signing.id
    let publicKey = try #require(try Self.keys(Self.file).key(kid, now: Self.now))
    let head = { (alg: String, id: String) in
      "{\"alg\":\"\(alg)\",\"kid\":\"\(id)\",\"typ\":\"JWT\"}"
    }
    let good = try signer().sign(TestClaims())
    var table: [String: String] = [
      "alg none": try forged(header: head("none", kid)) { _ in [] },
      "alg None": try forged(header: head("None", kid)) { _ in [] },
      "alg none, our signature": try forged(header: head("none", kid), sign: ours),
      "RS512": try forged(header: head("RS512", kid), sign: ours),
      "an unknown kid": try forged(header: head("RS256", "nobody"), sign: ours),
      "no kid": try forged(header: "{\"alg\":\"RS256\",\"typ\":\"JWT\"}", sign: ours),
      "another typ": try forged(
        header: "{\"alg\":\"RS256\",\"kid\":\"\(kid)\",\"typ\":\"at+jwt\"}", sign: ours),
      "crit": try forged(
        header:
          "{\"alg\":\"RS256\",\"kid\":\"\(kid)\",\"typ\":\"JWT\",\"crit\":[\"b64\"],\"b64\":false}",
        sign: ours),
      "a key of its own": try forged(header: head("RS256", kid)) {
        Array(
          try Self.keys(Self.other).signing.key
            .signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation)
      },
      "PSS": try forged(header: head("RS256", kid)) {
        Array(
          try Self.keys(Self.file).signing.key.signature(for: $0, padding: .PSS)
            .rawRepresentation)
      },
      "another issuer": try signer().sign(TestClaims(iss: "https://elsewhere.example")),
      "another audience": try signer().sign(TestClaims(aud: "https://elsewhere.example")),
      "not yet valid": try signer().sign(
        TestClaims(iat: 1_700_000_031, exp: 1_700_000_931)),
      "over before it began": try signer().sign(TestClaims(exp: 1_699_999_999)),
      "no signature": good.split(separator: ".").dropLast().joined(separator: ".") + ".",
      "two parts": good.split(separator: ".").dropLast().joined(separator: "."),
      "four parts": good + ".AAAA",
      "padding": good + "=",
      "a space": good + " ",
      "empty": "",
      "dots": "..",
      "no JSON": try forged(header: "RS256", sign: ours),
      "too long": good + String(repeating: "A", count: 10_000),
    ]
    for (name, key) in [
      ("PEM", Array(publicKey.pemRepresentation.utf8)), ("DER", Array(publicKey.derRepresentation)),
      ("PKCS #1", Array(publicKey.pkcs1PEMRepresentation.utf8)),
    ] {
      table["HS256 with the public key, \(name)"] = try forged(header: head("HS256", kid)) {
        Digests.hmac(Array($0), key: key)
      }
    }
    for (name, token) in table {
      #expect(try problem(token) == .invalid, "\(name)")
    }
    #expect(try problem(good) == nil)
  }

  @Test("Changing any one byte makes it worthless")
  func altered() throws {
    let good = Array(try signer().sign(TestClaims()).utf8)
    for index in stride(from: 0, to: good.count, by: 3) where good[index] != UInt8(ascii: ".") {
      var bad = good
      bad[index] = bad[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(try problem(String(decoding: bad, as: UTF8.self)) == .invalid, "\(index)")
    }
  }

  @Test("A token is good up to its end and expired from then on; an altered one never says expired")
  func ends() throws {
    let good = try signer().sign(TestClaims())
    #expect(try problem(good, at: Instant(milliseconds: 1_700_000_899_999)) == nil)
    #expect(try problem(good, at: Instant(milliseconds: 1_700_000_900_000)) == .expired)
    let old = try forged(header: "{\"alg\":\"none\",\"kid\":\"x\",\"typ\":\"JWT\"}") { _ in [] }
    #expect(try problem(old, at: Instant(milliseconds: 1_800_000_000_000)) == .invalid)
  }

  @Test("The clock of another machine may be half a minute ahead, no more")
  func drift() throws {
    let token = try signer().sign(TestClaims(iat: 1_700_000_030, exp: 1_700_000_930))
    #expect(try problem(token) == nil)
  }
}
