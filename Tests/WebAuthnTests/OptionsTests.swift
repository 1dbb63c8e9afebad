import Crypto
import Foundation
import Testing

@testable import FakeAuthenticator
@testable import WebAuthn

@Suite("WebAuthn: options for browsers")
struct OptionsTests {
  private let site = FakeAuthenticator.site

  private func record(_ transports: [String]) throws -> CredentialRecord {
    let key = FakeAuthenticator.cose(.es256(P256.Signing.PrivateKey()))
    return CredentialRecord(
      id: [1, 2, 3], publicKey: try CredentialPublicKey(CBORWriter.map(key)), signCount: 0,
      isBackupEligible: true, isBackedUp: true, transports: transports)
  }

  private func object(_ json: [UInt8]) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
  }

  @Test("A new passkey is discoverable, verified, not attested, and none that the user has")
  func creation() throws {
    let json = try site.creationOptions(
      challenge: FakeAuthenticator.challenge,
      user: CredentialUser(
        handle: FakeAuthenticator.userHandle, name: "ann@example.test", displayName: "Ann"),
      excluding: [try record(["internal"]), try record([])])
    let known: [[String: Any]] = [
      ["type": "public-key", "id": "AQID", "transports": ["internal"]],
      ["type": "public-key", "id": "AQID"],
    ]
    #expect(
      try object(json) == [
        "rp": ["id": "pairspot.example", "name": "PairSpot"],
        "user": ["id": "YW5u", "name": "ann@example.test", "displayName": "Ann"],
        "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "pubKeyCredParams": [
          ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8],
          ["type": "public-key", "alg": -257],
        ],
        "timeout": 300_000, "excludeCredentials": known,
        "authenticatorSelection": [
          "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
        ],
        "attestation": "none",
      ])
  }

  @Test("At sign-in any passkey of the site is asked for, or the given ones")
  func request() throws {
    #expect(
      try object(site.requestOptions(challenge: FakeAuthenticator.challenge)) == [
        "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "timeout": 300_000,
        "rpId": "pairspot.example", "allowCredentials": [Any](), "userVerification": "required",
      ])
    let named = try object(
      site.requestOptions(challenge: FakeAuthenticator.challenge, allowing: [try record([])]))
    let expected: [[String: Any]] = [["type": "public-key", "id": "AQID"]]
    #expect(named["allowCredentials"] as? NSArray == expected as NSArray)
  }
}
