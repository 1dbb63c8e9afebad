import Core
import Crypto
import Foundation
import SignedTokens

/// The key with which a team signs its client secrets for Apple ("Creating a client secret",
/// developer.apple.com).
public struct AppleClientKey: Sendable {
  /// The lifetime of a client secret, in s. Apple accepts six months; each is used once.
  static let lifetime: Int64 = .minutes(5)

  /// The identifier of the team, ten characters.
  public let teamID: String
  /// The identifier of the key, ten characters.
  public let keyID: String
  private let key: P256.Signing.PrivateKey

  /// Reads the contents of the `.p8` file: a key on P-256 in PKCS #8, PEM. Nil for anything else.
  public init?(teamID: String, keyID: String, pem: String) {
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
    self.teamID = teamID
    self.keyID = keyID
    self.key = key
  }

  private struct Header: Encodable {
    let alg = "ES256"
    let kid: String
  }

  private struct Claims: Encodable {
    let iss: String
    let iat: Int64
    let exp: Int64
    let aud: String
    let sub: String
  }

  /// Signs a client secret: a token of this team for a provider (`issuer`) and a client id.
  public func clientSecret(clientID: String, issuer: String, now: Instant) throws -> String {
    let seconds = now.milliseconds / 1000
    return try CompactJWS.text(
      header: Header(kid: keyID),
      claims: Claims(
        iss: teamID, iat: seconds, exp: seconds + Self.lifetime, aud: issuer, sub: clientID)
    ) {
      try key.signature(for: $0).rawRepresentation
    }
  }
}
