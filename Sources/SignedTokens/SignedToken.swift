import Core
import CryptoExtras
import Foundation
import Secrets

/// The registered claims of all tokens (RFC 7519, section 4.1); times in s since 1970.
public protocol RegisteredClaims: Codable, Sendable {
  var iss: String { get }
  var aud: String { get }
  var iat: Int64 { get }
  var exp: Int64 { get }
}

/// The reason why a token is rejected.
public enum SignedTokenError: Error, Equatable {
  /// Malformed, not signed by this instance, for another audience, or not yet valid.
  case invalid
  /// Valid otherwise, but expired.
  case expired
}

/// JSON Web Tokens signed with RS256 (RFC 7515, RFC 7518 section 3.3). The algorithm is fixed: a
/// token whose header names another one is rejected (RFC 8725, section 3.1).
public struct SignedToken: Sendable {
  /// How far the clock of another server may be ahead, in s.
  static let drift: Int64 = 30
  private static let maximumBytes = 8192

  private let keys: TokenKeys
  private let issuer: String
  private let audience: String

  public init(keys: TokenKeys, issuer: String, audience: String) {
    self.keys = keys
    self.issuer = issuer
    self.audience = audience
  }

  private struct Header: Codable {
    let alg: String
    let kid: String
    let typ: String
  }

  /// Header fields that change the processing (RFC 7515, section 4.1.11); tokens with them are
  /// rejected.
  private struct Extensions: Decodable {
    let crit: [String]?
    let b64: Bool?
    let zip: String?
  }

  /// Signs claims with the current key.
  public func sign(_ claims: some RegisteredClaims) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let header = Header(alg: "RS256", kid: keys.signing.id, typ: "JWT")
    let parts = [try encoder.encode(header), try encoder.encode(claims)].map { Base64URL.text($0) }
    let text = parts.joined(separator: ".")
    let signature = try keys.signing.key.signature(
      for: Data(text.utf8), padding: .insecurePKCS1v1_5)
    return "\(text).\(Base64URL.text(signature.rawRepresentation))"
  }

  /// The claims of a valid token. Throws `SignedTokenError`.
  public func verify<Claims: RegisteredClaims>(
    _ token: String, as: Claims.Type = Claims.self, now: Instant
  ) throws(SignedTokenError) -> Claims {
    guard token.utf8.count <= Self.maximumBytes else { throw .invalid }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.bytes(parts[0]),
      let body = Base64URL.bytes(parts[1]), let signature = Base64URL.bytes(parts[2])
    else { throw .invalid }
    let key = try key(Data(header), now: now)
    // The API calls PKCS #1 v1.5 insecure because of encryption; RS256 is defined with this padding
    // (RFC 7518, section 3.3).
    guard
      key.isValidSignature(
        .init(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8),
        padding: .insecurePKCS1v1_5),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(body)),
      claims.iss == issuer, claims.aud == audience
    else { throw .invalid }
    let seconds = now.milliseconds / 1000
    guard claims.iat <= seconds + Self.drift, claims.exp > claims.iat else { throw .invalid }
    guard claims.exp > seconds else { throw .expired }
    return claims
  }

  private func key(
    _ header: Data, now: Instant
  ) throws(SignedTokenError) -> _RSA.Signing.PublicKey {
    guard let read = try? JSONDecoder().decode(Header.self, from: header), read.alg == "RS256",
      read.typ == "JWT",
      let extensions = try? JSONDecoder().decode(Extensions.self, from: header),
      extensions.crit == nil, extensions.b64 == nil, extensions.zip == nil,
      let key = keys.key(read.kid, now: now)
    else { throw .invalid }
    return key
  }
}
