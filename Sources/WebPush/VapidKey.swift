import Core
import Crypto
import Foundation
import Secrets

/// The key by which push services identify this instance (RFC 8292).
///
/// It has a file of its own, `vapid-key.json`: it encrypts no stored data, but every subscribed
/// browser holds its public half, and losing it ends push for all of them.
public struct VapidKey: Sendable {
  static let fileName = "vapid-key.json"

  private struct File: Codable {
    /// The scalar of a key on P-256, 32 bytes.
    let secret: Data
  }

  private let key: P256.Signing.PrivateKey

  /// Reads `vapid-key.json` in a directory, or creates it at the first start, mode 600; if several
  /// processes start at once, all get the same key. Throws `KeyFileError`.
  public static func loadOrMake(in directory: String) throws -> VapidKey {
    do {
      return try read(from: directory)
    } catch KeyFileError.missing {
      try SecretFiles.makeDirectory(directory)
      let file = File(secret: P256.Signing.PrivateKey().rawRepresentation)
      try SecretFiles.publish(
        Array(try JSONEncoder().encode(file)), name: fileName, in: directory)
      return try read(from: directory)
    }
  }

  private static func read(from directory: String) throws -> VapidKey {
    let path = "\(directory)/\(fileName)"
    let bytes = try SecretFiles.read(path)
    guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)),
      let key = try? P256.Signing.PrivateKey(rawRepresentation: file.secret)
    else { throw KeyFileError.unreadable(path) }
    return VapidKey(key: key)
  }

  /// The public key for browsers' subscriptions: an uncompressed point, 65 bytes, in base64url.
  public var publicText: String { Base64URL.text(key.publicKey.x963Representation) }

  /// The value of `Authorization` for one push service: the signed identity of this instance, valid
  /// for 12 hours at most (RFC 8292, sections 2 and 3). `origin` is that of the endpoint, `subject`
  /// a contact address of the operator ("mailto:…", "https://…").
  public func authorization(origin: String, subject: String, now: Instant) throws -> String {
    let claims = Claims(
      aud: origin, exp: now.adding(seconds: .hours(12)).milliseconds / 1000, sub: subject)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parts = [
      Base64URL.text(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8)),
      Base64URL.text(try encoder.encode(claims)),
    ]
    let text = parts.joined(separator: ".")
    let signature = try key.signature(for: Data(text.utf8))
    return "vapid t=\(text).\(Base64URL.text(signature.rawRepresentation)), k=\(publicText)"
  }

  private struct Claims: Encodable {
    let aud: String
    let exp: Int64
    let sub: String
  }
}
