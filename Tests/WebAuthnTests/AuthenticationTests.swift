import Crypto
import CryptoExtras
import Foundation
import Secrets
import Testing

@testable import FakeAuthenticator
@testable import WebAuthn

@Suite("WebAuthn: signing in with a passkey")
struct AuthenticationTests {
  private static let es256 = FakeAuthenticator.Key.es256(P256.Signing.PrivateKey())
  private static let site = FakeAuthenticator.site

  private func good(_ key: FakeAuthenticator.Key = es256) -> FakeAuthenticator {
    FakeAuthenticator(key, "webauthn.get")
  }

  private func record(
    _ key: FakeAuthenticator.Key = es256, signCount: UInt32 = 6, isBackupEligible: Bool = true
  ) throws -> CredentialRecord {
    CredentialRecord(
      id: FakeAuthenticator.id,
      publicKey: try CredentialPublicKey(CBORWriter.map(FakeAuthenticator.cose(key))),
      signCount: signCount, isBackupEligible: isBackupEligible, isBackedUp: false)
  }

  private func authenticate(
    _ answer: FakeAuthenticator, _ record: CredentialRecord? = nil, isUserKnown: Bool = false
  ) throws -> Authentication {
    try Self.site.authenticate(
      try answer.authentication(), challenge: FakeAuthenticator.challenge,
      credential: try record ?? self.record(answer.key),
      userHandle: FakeAuthenticator.userHandle, isUserKnown: isUserKnown)
  }

  @Test("A good answer is accepted, with each kind of key")
  func accepted() throws {
    let rsa = try #require(FakeAuthenticator.rsa)
    for key: FakeAuthenticator.Key in [
      Self.es256, .eddsa(Curve25519.Signing.PrivateKey()), .rs256(rsa),
    ] {
      let result = try authenticate(good(key))
      #expect(result.signCount == 7 && result.isBackedUp && result.isUserVerified)
      #expect(!result.hasCounterGoneBack)
    }
  }

  @Test("An answer that breaks one check is refused for it", arguments: broken)
  func refused(_ broken: BrokenAnswer) throws {
    var answer = good()
    broken.change(&answer)
    #expect(failure { try authenticate(answer) } == broken.error)
  }

  static let broken: [BrokenAnswer] = [
    BrokenAnswer("the other ceremony", .type) { $0.clientData["type"] = "webauthn.create" },
    BrokenAnswer("a payment", .type) { $0.clientData["type"] = "payment.get" },
    BrokenAnswer("another challenge", .challenge) { $0.clientData["challenge"] = "AAAA" },
    BrokenAnswer("another origin", .origin) { $0.clientData["origin"] = "https://pairspot.test" },
    BrokenAnswer("a frame", .crossOrigin) { $0.clientData["crossOrigin"] = true },
    BrokenAnswer("a frame of a named website", .crossOrigin) {
      $0.clientData["topOrigin"] = "https://pairspot.example"
    },
    BrokenAnswer("another relying party", .relyingParty) { $0.relyingPartyID = "pairspot.test" },
    BrokenAnswer("nobody present", .userPresence) { $0.flags &= ~0x01 },
    BrokenAnswer("nobody verified", .userVerification) { $0.flags &= ~0x04 },
    BrokenAnswer("backed up, but not eligible", .backup) { $0.flags &= ~0x08 },
    BrokenAnswer("eligible no longer", .backup) { $0.flags &= ~0x18 },
    BrokenAnswer("another credential", .credential) { $0.sentID = [1, 2, 3] },
    BrokenAnswer("another user", .user) { $0.userHandle = Array("ben".utf8) },
    BrokenAnswer("no user", .user) { $0.userHandle = nil },
    BrokenAnswer("an empty user", .user) { $0.userHandle = [] },
    BrokenAnswer("something after the data", .malformed) { $0.tail = [0] },
    BrokenAnswer("another key", .signature) {
      let key = P256.Signing.PrivateKey()
      $0.signature = { Array((try? key.signature(for: $0).derRepresentation) ?? Data()) }
    },
    BrokenAnswer("a signature over the data alone", .signature) {
      let answer = $0
      $0.signature = { (try? answer.sign(Array($0.dropLast(32)))) ?? [] }
    },
    BrokenAnswer("a signature without its form", .signature) {
      guard case .es256(let key) = $0.key else { return }
      $0.signature = { Array((try? key.signature(for: $0).rawRepresentation) ?? Data()) }
    },
    BrokenAnswer("no signature", .signature) { $0.signature = { _ in [] } },
    BrokenAnswer("a signature that is too long", .signature) {
      $0.signature = { _ in [UInt8](repeating: 0x30, count: 2000) }
    },
  ]

  @Test("A change of any byte of the signature, the data or the client data is noticed")
  func altered() throws {
    let answer = try good().authentication()
    let record = try record()
    func isRefused(_ data: [UInt8], _ clientData: [UInt8], _ signature: [UInt8]) -> Bool {
      let response = AuthenticationResponse(
        credentialID: answer.credentialID, userHandle: answer.userHandle, clientData: clientData,
        authenticatorData: data, signature: signature)
      return failure {
        try Self.site.authenticate(
          response, challenge: FakeAuthenticator.challenge, credential: record,
          userHandle: FakeAuthenticator.userHandle)
      } != nil
    }
    func changed(_ bytes: [UInt8]) -> [[UInt8]] {
      bytes.indices.map {
        var other = bytes
        other[$0] ^= 0x40
        return other
      }
    }
    let (data, client, signature) = (
      answer.authenticatorData, answer.clientData, answer.signature
    )
    #expect(!isRefused(data, client, signature))
    #expect(changed(data).allSatisfy { isRefused($0, client, signature) })
    #expect(changed(client).allSatisfy { isRefused(data, $0, signature) })
    #expect(changed(signature).allSatisfy { isRefused(data, client, $0) })
  }

  @Test("A counter that does not grow is told, and one that is not used is not")
  func counters() throws {
    for (stored, sent, isBack) in [
      (0, 0, false), (0, 1, false), (6, 7, false), (7, 7, true), (8, 7, true), (7, 0, true),
      (.max, 1, true),
    ] as [(UInt32, UInt32, Bool)] {
      var answer = good()
      answer.signCount = sent
      let result = try authenticate(answer, try record(signCount: stored))
      #expect(result.hasCounterGoneBack == isBack && result.signCount == sent)
    }
  }

  @Test("An authenticator need not name a user who is known already, but not another one")
  func knownUser() throws {
    var answer = good()
    for handle in [nil, [], FakeAuthenticator.userHandle] {
      answer.userHandle = handle
      #expect(failure { try authenticate(answer, isUserKnown: true) } == nil)
    }
    answer.userHandle = Array("ben".utf8)
    #expect(failure { try authenticate(answer, isUserKnown: true) } == .user)
  }

  @Test("A credential for one device stays one")
  func oneDevice() throws {
    var answer = good()
    answer.flags &= ~0x18
    let record = try record(isBackupEligible: false)
    #expect(try !authenticate(answer, record).isBackedUp)
    #expect(failure { try authenticate(good(), record) } == .backup)
  }

  @Test("Without the need of verification, a touch is enough")
  func presence() throws {
    let site = RelyingParty(
      id: "pairspot.example", name: "PairSpot", origins: ["https://pairspot.example"],
      requiresUserVerification: false)
    var answer = good()
    answer.flags &= ~0x04
    let result = try site.authenticate(
      try answer.authentication(), challenge: FakeAuthenticator.challenge,
      credential: try record(), userHandle: FakeAuthenticator.userHandle)
    #expect(!result.isUserVerified)
  }

  @Test("The JSON of a browser is read, and nothing else")
  func json() throws {
    let answer = try good().authentication()
    func read(_ changes: [String: Any?] = [:]) throws -> AuthenticationResponse {
      var response: [String: Any] = [
        "clientDataJSON": Base64URL.text(answer.clientData),
        "authenticatorData": Base64URL.text(answer.authenticatorData),
        "signature": Base64URL.text(answer.signature),
        "userHandle": Base64URL.text(FakeAuthenticator.userHandle),
      ]
      for (name, value) in changes { response[name] = value }
      let id = Base64URL.text(answer.credentialID)
      let all: [String: Any] = [
        "id": id, "rawId": id, "type": "public-key", "response": response,
        "clientExtensionResults": [String: Any](),
      ]
      return try AuthenticationResponse(
        json: Array(try JSONSerialization.data(withJSONObject: all)))
    }
    let response = try read()
    #expect(response.credentialID == FakeAuthenticator.id)
    #expect(response.userHandle == FakeAuthenticator.userHandle)
    #expect(
      failure {
        try Self.site.authenticate(
          response, challenge: FakeAuthenticator.challenge, credential: try record(),
          userHandle: FakeAuthenticator.userHandle)
      } == nil)
    #expect(try read(["userHandle": nil]).userHandle == nil)
    for changes: [String: Any?] in [
      ["signature": nil], ["authenticatorData": nil], ["clientDataJSON": nil],
      ["signature": "a b"], ["userHandle": 5],
    ] {
      #expect(failure { try read(changes) } == .malformed, "\(changes)")
    }
  }
}
