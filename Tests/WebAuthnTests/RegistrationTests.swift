import Crypto
import CryptoExtras
import Foundation
import Secrets
import Testing

@testable import FakeAuthenticator
@testable import WebAuthn

@Suite("WebAuthn: registering a passkey")
struct RegistrationTests {
  private static let es256 = FakeAuthenticator.Key.es256(P256.Signing.PrivateKey())

  private func good(_ key: FakeAuthenticator.Key = es256) -> FakeAuthenticator {
    var answer = FakeAuthenticator(key, "webauthn.create")
    answer.flags |= 0x40
    return answer
  }

  private func register(
    _ answer: FakeAuthenticator, challenge: [UInt8] = FakeAuthenticator.challenge
  ) throws -> CredentialRecord {
    try FakeAuthenticator.site.register(answer.registration, challenge: challenge)
  }

  @Test("A good answer gives a record, with each kind of key")
  func records() throws {
    let rsa = try #require(FakeAuthenticator.rsa)
    for (key, algorithm) in [
      (Self.es256, .es256), (.eddsa(Curve25519.Signing.PrivateKey()), .eddsa),
      (.rs256(rsa), .rs256),
    ] as [(FakeAuthenticator.Key, CredentialAlgorithm)] {
      let record = try register(good(key))
      #expect(record.id == FakeAuthenticator.id && record.publicKey.algorithm == algorithm)
      #expect(record.publicKey.bytes == CBORWriter.map(FakeAuthenticator.cose(key)))
      #expect(record.signCount == 7 && record.isBackupEligible && record.isBackedUp)
      #expect(record.transports == ["hybrid", "internal"])
      let stored = try CredentialPublicKey(record.publicKey.bytes)
      #expect(stored.algorithm == algorithm)
    }
  }

  @Test("An answer that breaks one check is refused for it", arguments: broken)
  func refused(_ broken: BrokenAnswer) throws {
    var answer = good()
    broken.change(&answer)
    #expect(failure { try register(answer) } == broken.error)
  }

  static let broken: [BrokenAnswer] = [
    BrokenAnswer("the other ceremony", .type) { $0.clientData["type"] = "webauthn.get" },
    BrokenAnswer("no type", .malformed) { $0.clientData["type"] = nil },
    BrokenAnswer("another challenge", .challenge) {
      $0.clientData["challenge"] = Base64URL.text([UInt8](repeating: 1, count: 32))
    },
    BrokenAnswer("a challenge with padding", .challenge) {
      $0.clientData["challenge"] = Base64URL.text(FakeAuthenticator.challenge) + "="
    },
    BrokenAnswer("no challenge", .malformed) { $0.clientData["challenge"] = nil },
    BrokenAnswer("another origin", .origin) { $0.clientData["origin"] = "https://pairspot.test" },
    BrokenAnswer("a subdomain", .origin) {
      $0.clientData["origin"] = "https://a.pairspot.example"
    },
    BrokenAnswer("another port", .origin) {
      $0.clientData["origin"] = "https://pairspot.example:8443"
    },
    BrokenAnswer("plain http", .origin) { $0.clientData["origin"] = "http://pairspot.example" },
    BrokenAnswer("a frame", .crossOrigin) { $0.clientData["crossOrigin"] = true },
    BrokenAnswer("a frame of a named website", .crossOrigin) {
      $0.clientData["topOrigin"] = "https://example.test"
    },
    BrokenAnswer("client data that is a list", .malformed) { $0.rawClientData = Array("[]".utf8) },
    BrokenAnswer("client data in UTF-16", .malformed) {
      $0.rawClientData = Array(
        String(decoding: $0.clientDataBytes, as: UTF8.self).data(using: .utf16LittleEndian)
          ?? Data())
    },
    BrokenAnswer("client data that is too long", .malformed) {
      $0.clientData["more"] = String(repeating: "a", count: 8192)
    },
    BrokenAnswer("another relying party", .relyingParty) { $0.relyingPartyID = "example" },
    BrokenAnswer("nobody present", .userPresence) { $0.flags &= ~0x01 },
    BrokenAnswer("nobody verified", .userVerification) { $0.flags &= ~0x04 },
    BrokenAnswer("backed up, but not eligible", .backup) { $0.flags &= ~0x08 },
    BrokenAnswer("no credential", .malformed) { $0.flags &= ~0x40 },
    BrokenAnswer("another id than the browser says", .credential) { $0.sentID = [1] },
    BrokenAnswer("an empty id", .credential) {
      ($0.id, $0.sentID) = ([], [])
    },
    BrokenAnswer("an id that is too long", .credential) {
      $0.id = [UInt8](repeating: 1, count: 1024)
      $0.sentID = $0.id
    },
    BrokenAnswer("an id that is cut", .malformed) { $0.idLength = 1000 },
    BrokenAnswer("something after the key", .malformed) { $0.tail = [0] },
    BrokenAnswer("extensions that are not announced", .malformed) {
      $0.extensions = CBORWriter.map([])
    },
    BrokenAnswer("announced extensions that are missing", .malformed) { $0.flags |= 0x80 },
    BrokenAnswer("extensions that are no map", .malformed) {
      $0.flags |= 0x80
      $0.extensions = [0]
    },
    BrokenAnswer("data that is too short", .malformed) {
      $0.attestation = [
        (CBORWriter.text("fmt"), CBORWriter.text("none")),
        (CBORWriter.text("attStmt"), CBORWriter.map([])),
        (CBORWriter.text("authData"), CBORWriter.bytes([1, 2, 3])),
      ]
    },
    BrokenAnswer("no data", .malformed) {
      $0.attestation = [
        (CBORWriter.text("fmt"), CBORWriter.text("none")),
        (CBORWriter.text("attStmt"), CBORWriter.map([])),
      ]
    },
    BrokenAnswer("ES384", .algorithm) { $0.cose[1].1 = CBORWriter.number(-35) },
    BrokenAnswer("ES256K", .algorithm) { $0.cose[1].1 = CBORWriter.number(-47) },
    BrokenAnswer("HS256", .algorithm) { $0.cose[1].1 = CBORWriter.number(5) },
    BrokenAnswer("no algorithm", .publicKey) { $0.cose.remove(at: 1) },
    BrokenAnswer("another type of key", .publicKey) { $0.cose[0].1 = CBORWriter.number(1) },
    BrokenAnswer("another curve", .publicKey) { $0.cose[2].1 = CBORWriter.number(2) },
    BrokenAnswer("a point that is not on the curve", .publicKey) {
      $0.cose[4].1 = CBORWriter.bytes([UInt8](repeating: 1, count: 32))
    },
    BrokenAnswer("a compressed point", .publicKey) { $0.cose[4].1 = [0xF5] },
    BrokenAnswer("a short coordinate", .publicKey) { $0.cose[3].1 = CBORWriter.bytes([1]) },
    BrokenAnswer("the private key as well", .publicKey) {
      $0.cose.append((CBORWriter.number(-4), CBORWriter.bytes([UInt8](repeating: 1, count: 32))))
    },
    BrokenAnswer("a parameter twice", .malformed) { $0.cose.append($0.cose[4]) },
  ]

  @Test("Every check has an answer that breaks it, here or at the authentication")
  func complete() {
    let found = Set((Self.broken + AuthenticationTests.broken).map(\.error))
    #expect(found == Set(WebAuthnError.allCases))
  }

  @Test("Keys of other kinds with wrong values are refused")
  func keys() throws {
    let rsa = try #require(FakeAuthenticator.rsa)
    let number = CBORWriter.number
    for (key, index, value) in [
      (.rs256(rsa), 2, CBORWriter.bytes([UInt8](repeating: 0xFF, count: 128))),
      (.rs256(rsa), 2, CBORWriter.bytes([UInt8](repeating: 0xFF, count: 1025))),
      (.rs256(rsa), 3, CBORWriter.bytes([1, 0, 0, 0, 1])), (.rs256(rsa), 0, number(2)),
      (.eddsa(Curve25519.Signing.PrivateKey()), 2, number(7)),
      (.eddsa(Curve25519.Signing.PrivateKey()), 3, CBORWriter.bytes([1, 2])),
    ] as [(FakeAuthenticator.Key, Int, [UInt8])] {
      var answer = good(key)
      answer.cose[index].1 = value
      #expect(failure { try register(answer) } == .publicKey, "\(index)")
    }
  }

  @Test("Extensions, other fields and other statements are ignored, and so is a byte order mark")
  func ignored() throws {
    var answer = good()
    answer.flags |= 0x80
    answer.extensions = CBORWriter.map([(CBORWriter.text("credProtect"), CBORWriter.number(2))])
    answer.clientData["future"] = ["a": 1]
    answer.clientData["crossOrigin"] = nil
    answer.rawClientData = [0xEF, 0xBB, 0xBF] + answer.clientDataBytes
    #expect(failure { try register(answer) } == nil)
  }

  @Test("An empty challenge never fits")
  func emptyChallenge() {
    var answer = good()
    answer.clientData["challenge"] = ""
    #expect(failure { try register(answer, challenge: []) } == .challenge)
  }

  @Test("The JSON of a browser is read, and nothing else")
  func json() throws {
    let answer = good().registration
    let fields: [String: Any] = [
      "id": Base64URL.text(answer.credentialID), "rawId": Base64URL.text(answer.credentialID),
      "type": "public-key", "authenticatorAttachment": "platform",
      "clientExtensionResults": ["credProps": ["rk": true]],
      "response": [
        "clientDataJSON": Base64URL.text(answer.clientData),
        "attestationObject": Base64URL.text(answer.attestationObject),
        "transports": ["internal"], "publicKeyAlgorithm": -7,
      ],
    ]
    func read(_ changes: [String: Any] = [:]) throws -> RegistrationResponse {
      let all = fields.merging(changes) { $1 }
      return try RegistrationResponse(
        json: Array(try JSONSerialization.data(withJSONObject: all)))
    }
    let record = try FakeAuthenticator.site.register(
      try read(), challenge: FakeAuthenticator.challenge)
    #expect(record.id == FakeAuthenticator.id && record.transports == ["internal"])
    for changes: [String: Any] in [
      ["type": "password"], ["rawId": "AA"], ["id": "AA="], ["response": [String: Any]()],
      ["response": ["clientDataJSON": "AAAA"]], ["more": String(repeating: "a", count: 140_000)],
    ] {
      #expect(failure { try read(changes) } == .malformed, "\(changes)")
    }
    #expect(failure { try RegistrationResponse(json: []) } == .malformed)
  }
}
