import Crypto
import CryptoExtras
import Foundation
import Secrets

/// The signature algorithms that are accepted. `none` and those with a shared secret are not among
/// them (RFC 8725, section 3.1).
enum SigningAlgorithm: String, Sendable {
  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
  case rs256 = "RS256"
  /// ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4).
  case es256 = "ES256"
}

/// A provider's public key.
struct ProviderKey: Sendable {
  enum Material: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
  }

  let id: String?
  let material: Material

  var algorithm: SigningAlgorithm {
    switch material {
    case .rsa: .rs256
    case .p256: .es256
    }
  }

  func verifies(_ signature: [UInt8], of bytes: Data) -> Bool {
    switch material {
    case .rsa(let key):
      // The API calls PKCS #1 v1.5 insecure because of encryption; RS256 is defined with it.
      return key.isValidSignature(
        .init(rawRepresentation: signature), for: bytes, padding: .insecurePKCS1v1_5)
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
        return false
      }
      return key.isValidSignature(signature, for: bytes)
    }
  }
}

/// The keys with which a provider signs (RFC 7517, section 5). Keys of other kinds, for other uses
/// or with unreadable values are left out.
struct JSONWebKeySet: Sendable {
  private static let maximumKeys = 64
  /// The maximum size of a modulus, in bytes: the time of a check grows with it.
  private static let maximumModulusBytes = 1024
  private static let maximumExponentBytes = 4

  let keys: [ProviderKey]

  private struct Fields: Decodable {
    let keys: [Key]
  }

  private struct Key: Decodable {
    let kty: String
    let kid: String?
    let use: String?
    let alg: String?
    let crv: String?
    let n: String?
    let e: String?
    let x: String?
    let y: String?

    private enum CodingKeys: String, CodingKey { case kty, kid, use, alg, crv, n, e, x, y }

    /// Reads a key; fields of other types than expected make it unusable, not the whole set.
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      func text(_ key: CodingKeys) -> String? { try? fields.decode(String.self, forKey: key) }
      kty = text(.kty) ?? ""
      (kid, use, alg, crv) = (text(.kid), text(.use), text(.alg), text(.crv))
      (n, e, x, y) = (text(.n), text(.e), text(.x), text(.y))
    }
  }

  /// Reads a key set. Throws `DiscoveryError` if it is unreadable or has no key that can be used.
  init(_ bytes: [UInt8]) throws(DiscoveryError) {
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes)),
      fields.keys.count <= Self.maximumKeys
    else { throw .unreadable }
    keys = fields.keys.compactMap(Self.key)
    guard !keys.isEmpty else { throw .keys }
  }

  private static func key(_ fields: Key) -> ProviderKey? {
    guard fields.use == nil || fields.use == "sig" else { return nil }
    let material: ProviderKey.Material
    switch fields.kty {
    case "RSA":
      guard let n = fields.n.flatMap({ Base64URL.bytes($0) }), n.count <= maximumModulusBytes,
        let e = fields.e.flatMap({ Base64URL.bytes($0) }), e.count <= maximumExponentBytes,
        let key = try? _RSA.Signing.PublicKey(n: n, e: e)
      else { return nil }
      material = .rsa(key)
    case "EC":
      guard fields.crv == "P-256", let x = fields.x.flatMap({ Base64URL.bytes($0) }), x.count == 32,
        let y = fields.y.flatMap({ Base64URL.bytes($0) }), y.count == 32,
        let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
      else { return nil }
      material = .p256(key)
    default: return nil
    }
    let key = ProviderKey(id: fields.kid, material: material)
    guard fields.alg == nil || fields.alg == key.algorithm.rawValue else { return nil }
    return key
  }

  /// The key for a token's header. Without a key id there must be one key alone for the algorithm
  /// (OpenID Connect Core 1.0, section 10.1).
  func key(_ id: String?, _ algorithm: SigningAlgorithm) -> ProviderKey? {
    let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
    return fitting.count == 1 ? fitting[0] : nil
  }
}
