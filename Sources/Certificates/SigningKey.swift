import Crypto
import Foundation

/// A public key on one of the two curves of Apple's certificates.
enum SigningKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)

  /// A signature algorithm of a certificate (RFC 5758, section 3.2).
  enum Algorithm: Sendable {
    case sha256
    case sha384

    init?(_ name: String) {
      switch name {
      case "1.2.840.10045.4.3.2": self = .sha256
      case "1.2.840.10045.4.3.3": self = .sha384
      default: return nil
      }
    }
  }

  private static let ellipticCurve = "1.2.840.10045.2.1"

  /// Parses a certificate's key (RFC 5480, section 2); nil for another kind of key.
  init?(_ value: DERValue) throws(CertificateError) {
    var fields = value.inside
    var algorithm = try fields.next(DERValue.Tag.sequence).inside
    let kind = try algorithm.next(DERValue.Tag.oid).dotted
    let curve = try algorithm.next().dotted
    guard kind == Self.ellipticCurve, let point = try fields.next(DERValue.Tag.bitString).bits
    else { return nil }
    try algorithm.end()
    try fields.end()
    switch curve {
    case "1.2.840.10045.3.1.7":
      guard let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
      self = .p256(key)
    case "1.3.132.0.34":
      guard let key = try? P384.Signing.PublicKey(x963Representation: point) else { return nil }
      self = .p384(key)
    default: return nil
    }
  }

  /// Verifies a certificate's signature, in DER.
  func verifies(
    _ signature: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>, _ algorithm: Algorithm
  ) -> Bool {
    switch algorithm {
    case .sha256: verifies(signature, SHA256.hash(data: bytes))
    case .sha384: verifies(signature, SHA384.hash(data: bytes))
    }
  }

  private func verifies(_ signature: ArraySlice<UInt8>, _ digest: some Digest) -> Bool {
    switch self {
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: Data(signature))
      else { return false }
      return key.isValidSignature(signature, for: digest)
    case .p384(let key):
      guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: Data(signature))
      else { return false }
      return key.isValidSignature(signature, for: digest)
    }
  }

  /// Verifies an ES256 signature of a text (RFC 7518, section 3.4): two numbers of 32 bytes. False
  /// for a key on another curve.
  func verifiesES256(_ signature: [UInt8], of text: String) -> Bool {
    guard case .p256(let key) = self, signature.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: SHA256.hash(data: Data(text.utf8)))
  }
}
