import Crypto
import CryptoExtras
import Foundation

/// The public key of a credential (WebAuthn Level 3, section 6.5.1.1; RFC 9052, section 7; RFC 9053).
public struct CredentialPublicKey: Sendable {
  private enum Material: Sendable {
    case es256(P256.Signing.PublicKey)
    case eddsa(Curve25519.Signing.PublicKey)
    case rs256(_RSA.Signing.PublicKey)
  }

  /// The labels of a COSE key. Negative ones depend on the type of the key.
  private enum Label {
    static let type: Int64 = 1
    static let algorithm: Int64 = 3
    static let curve: Int64 = -1
    static let x: Int64 = -2
    static let y: Int64 = -3
    static let modulus: Int64 = -1
    static let exponent: Int64 = -2
  }

  /// The maximum size of a modulus, in bytes: the time of a check grows with it.
  private static let maximumModulusBytes = 1024
  private static let maximumExponentBytes = 4
  /// The maximum size of a signature, in bytes.
  private static let maximumSignatureBytes = 1024

  private let material: Material
  /// The key as the authenticator wrote it, in COSE; to be stored.
  public let bytes: [UInt8]

  public var algorithm: CredentialAlgorithm {
    switch material {
    case .es256: .es256
    case .eddsa: .eddsa
    case .rs256: .rs256
    }
  }

  /// Reads a stored key. Throws `WebAuthnError`.
  public init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard let value = try? CBORReader.read(bytes[...]) else { throw .publicKey }
    try self.init(value, bytes: bytes)
  }

  /// Reads a key in COSE. Its parameters must be those that its type needs, and no others. Throws
  /// `WebAuthnError`.
  init(_ value: CBORValue, bytes: [UInt8]) throws(WebAuthnError) {
    guard case .map(let entries) = value, let number = value[Label.algorithm]?.integer else {
      throw .publicKey
    }
    guard let algorithm = Int(exactly: number).flatMap(CredentialAlgorithm.init) else {
      throw .algorithm
    }
    let count: Int
    switch algorithm {
    case .es256:
      material = .es256(try Self.es256(value))
      count = 5
    case .eddsa:
      material = .eddsa(try Self.eddsa(value))
      count = 4
    case .rs256:
      material = .rs256(try Self.rs256(value))
      count = 4
    }
    guard entries.count == count else { throw .publicKey }
    self.bytes = bytes
  }

  /// A key of the type EC2 on P-256, not compressed (RFC 9053, section 7.1.1).
  private static func es256(_ value: CBORValue) throws(WebAuthnError) -> P256.Signing.PublicKey {
    guard value[Label.type]?.integer == 2, value[Label.curve]?.integer == 1,
      case .bytes(let x) = value[Label.x], x.count == 32,
      case .bytes(let y) = value[Label.y], y.count == 32,
      let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
    else { throw .publicKey }
    return key
  }

  /// A key of the type OKP on Ed25519 (RFC 9053, section 7.2).
  private static func eddsa(
    _ value: CBORValue
  ) throws(WebAuthnError) -> Curve25519.Signing.PublicKey {
    guard value[Label.type]?.integer == 1, value[Label.curve]?.integer == 6,
      case .bytes(let x) = value[Label.x], x.count == 32,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
    else { throw .publicKey }
    return key
  }

  /// A key of the type RSA with at least 2,048 bits (RFC 8230, section 4).
  private static func rs256(_ value: CBORValue) throws(WebAuthnError) -> _RSA.Signing.PublicKey {
    guard value[Label.type]?.integer == 3, case .bytes(let n) = value[Label.modulus],
      n.count <= maximumModulusBytes, case .bytes(let e) = value[Label.exponent],
      e.count <= maximumExponentBytes, let key = try? _RSA.Signing.PublicKey(n: n, e: e)
    else { throw .publicKey }
    return key
  }

  /// Whether a signature is valid, in the form that the algorithm has in WebAuthn (section 6.5.5):
  /// ASN.1 for ES256.
  public func verifies(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    guard signature.count <= Self.maximumSignatureBytes else { return false }
    switch material {
    case .es256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
        return false
      }
      return key.isValidSignature(signature, for: data)
    case .eddsa(let key): return key.isValidSignature(signature, for: data)
    case .rs256(let key):
      // The API calls PKCS #1 v1.5 insecure because of encryption; RS256 is defined with it.
      return key.isValidSignature(
        .init(rawRepresentation: signature), for: data, padding: .insecurePKCS1v1_5)
    }
  }
}
