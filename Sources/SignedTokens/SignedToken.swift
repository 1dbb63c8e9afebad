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

  private struct Header: Encodable {
    let alg: String
    let kid: String
    let typ: String
  }

  /// Signs claims with the current key.
  public func sign(_ claims: some RegisteredClaims) throws -> String {
    try CompactJWS.text(
      header: Header(alg: "RS256", kid: keys.signing.id, typ: "JWT"), claims: claims
    ) {
      try keys.signing.key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation
    }
  }

  /// The claims of a valid token. Throws `SignedTokenError`.
  public func verify<Claims: RegisteredClaims>(
    _ token: String, as: Claims.Type = Claims.self, now: Instant
  ) throws(SignedTokenError) -> Claims {
    guard let token = CompactJWS(token, maximumBytes: Self.maximumBytes),
      token.header.alg == "RS256", token.header.typ == "JWT", let id = token.header.kid,
      let key = keys.key(id, now: now)
    else { throw .invalid }
    // The API calls PKCS #1 v1.5 insecure because of encryption; RS256 is defined with this padding
    // (RFC 7518, section 3.3).
    guard
      key.isValidSignature(
        .init(rawRepresentation: token.signature), for: token.signedBytes,
        padding: .insecurePKCS1v1_5),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(token.payload)),
      claims.iss == issuer, claims.aud == audience
    else { throw .invalid }
    let seconds = now.milliseconds / 1000
    guard claims.iat <= seconds + Self.drift, claims.exp > claims.iat else { throw .invalid }
    guard claims.exp > seconds else { throw .expired }
    return claims
  }
}
