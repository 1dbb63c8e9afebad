import Crypto
import CryptoExtras
import Foundation
import Secrets

@testable import WebAuthn

/// An authenticator and a browser, whose answers can be changed before they are signed.
struct FakeAuthenticator {
  enum Key {
    case es256(P256.Signing.PrivateKey)
    case eddsa(Curve25519.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)
  }

  static let site = RelyingParty(
    id: "pairspot.example", name: "PairSpot", origins: ["https://pairspot.example"])
  static let challenge: [UInt8] = Array(0..<32)
  static let userHandle: [UInt8] = Array("ann".utf8)
  static let id: [UInt8] = Array(100..<116)
  /// Generated once, because it is slow.
  static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

  let key: Key
  /// The fields of the client data; nil in place of it for other bytes.
  var clientData: [String: Any] = [:]
  var rawClientData: [UInt8]?
  var relyingPartyID = "pairspot.example"
  /// UP, UV, BE and BS.
  var flags: UInt8 = 0x1D
  var signCount: UInt32 = 7
  /// The bytes after the counter at registration.
  var idLength: Int?
  var id = FakeAuthenticator.id
  var cose: [([UInt8], [UInt8])]
  var extensions: [UInt8] = []
  var tail: [UInt8] = []
  var attestation: [([UInt8], [UInt8])]?
  var userHandle: [UInt8]? = FakeAuthenticator.userHandle
  /// What the browser says is the id.
  var sentID = FakeAuthenticator.id
  var signature: (([UInt8]) -> [UInt8])?

  init(_ key: Key, _ ceremony: String) {
    self.key = key
    cose = Self.cose(key)
    clientData = [
      "type": ceremony, "challenge": Base64URL.text(Self.challenge),
      "origin": "https://pairspot.example", "crossOrigin": false,
    ]
  }

  static func cose(_ key: Key) -> [([UInt8], [UInt8])] {
    let number = CBORWriter.number
    switch key {
    case .es256(let key):
      let raw = key.publicKey.rawRepresentation
      return [
        (number(1), number(2)), (number(3), number(-7)), (number(-1), number(1)),
        (number(-2), CBORWriter.bytes(Array(raw.prefix(32)))),
        (number(-3), CBORWriter.bytes(Array(raw.suffix(32)))),
      ]
    case .eddsa(let key):
      return [
        (number(1), number(1)), (number(3), number(-8)), (number(-1), number(6)),
        (number(-2), CBORWriter.bytes(Array(key.publicKey.rawRepresentation))),
      ]
    case .rs256(let key):
      let numbers = try? key.publicKey.getKeyPrimitives()
      return [
        (number(1), number(3)), (number(3), number(-257)),
        (number(-1), CBORWriter.bytes(Array(numbers?.modulus ?? Data()))),
        (number(-2), CBORWriter.bytes(Array(numbers?.publicExponent ?? Data()))),
      ]
    }
  }

  var clientDataBytes: [UInt8] {
    if let rawClientData { return rawClientData }
    // The same bytes each time: they are signed and sent.
    let bytes = try? JSONSerialization.data(withJSONObject: clientData, options: .sortedKeys)
    return Array(bytes ?? Data())
  }

  private var fixedData: [UInt8] {
    Digests.sha256(Array(relyingPartyID.utf8)) + [flags]
      + withUnsafeBytes(of: signCount.bigEndian, Array.init)
  }

  var registration: RegistrationResponse {
    let length = idLength ?? id.count
    let credential =
      [UInt8](repeating: 0xAA, count: 16) + [UInt8(length >> 8), UInt8(length & 0xFF)] + id
      + CBORWriter.map(cose)
    let data = fixedData + (flags & 0x40 != 0 ? credential : []) + extensions + tail
    let object =
      attestation ?? [
        (CBORWriter.text("fmt"), CBORWriter.text("none")),
        (CBORWriter.text("attStmt"), CBORWriter.map([])),
        (CBORWriter.text("authData"), CBORWriter.bytes(data)),
      ]
    return RegistrationResponse(
      credentialID: sentID, clientData: clientDataBytes, attestationObject: CBORWriter.map(object),
      transports: ["internal", "hybrid", "invented"])
  }

  func authentication() throws -> AuthenticationResponse {
    let data = fixedData + extensions + tail
    let signed = data + Digests.sha256(clientDataBytes)
    return AuthenticationResponse(
      credentialID: sentID, userHandle: userHandle, clientData: clientDataBytes,
      authenticatorData: data, signature: try signature.map { $0(signed) } ?? sign(signed))
  }

  func sign(_ bytes: [UInt8]) throws -> [UInt8] {
    switch key {
    case .es256(let key): Array(try key.signature(for: bytes).derRepresentation)
    case .eddsa(let key): Array(try key.signature(for: bytes))
    case .rs256(let key):
      Array(try key.signature(for: bytes, padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }
}
