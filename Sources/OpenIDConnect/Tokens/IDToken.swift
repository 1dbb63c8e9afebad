import Core
import Foundation
import Secrets

/// The values with which an ID token must agree.
public struct IDTokenExpectation: Sendable {
  /// How the nonce of the request appears in the token.
  public enum Nonce: Sendable {
    case equal(String)
    /// As it is or as the hexadecimal SHA-256 of it, which apps give to Apple's framework and
    /// keep the nonce itself.
    case equalOrHashed(String)
  }

  let nonce: Nonce
  /// The accepted audiences; all of the operator's if nil.
  let clientIDs: [String]?
  let accessToken: String?
  let code: String?
  /// How long ago the token may have been issued, in s.
  let maximumAge: Int64
  /// How long ago the person may have been asked, in s; nil if that does not matter.
  let maximumAuthenticationAge: Int64?

  /// For a token from an app, which may have kept it for up to an hour.
  public static func app(nonce: String) -> IDTokenExpectation {
    IDTokenExpectation(
      nonce: .equalOrHashed(nonce), clientIDs: nil, accessToken: nil, code: nil,
      maximumAge: .hours(1), maximumAuthenticationAge: nil)
  }

  /// For the token that the token endpoint gave for a code.
  static func response(
    to request: AuthorizationRequest, code: String, accessToken: String?,
    of provider: OpenIDProvider
  ) -> IDTokenExpectation {
    IDTokenExpectation(
      nonce: .equal(request.nonce), clientIDs: [provider.clientID], accessToken: accessToken,
      code: code, maximumAge: .minutes(10),
      maximumAuthenticationAge: request.maximumAuthenticationAge)
  }
}

/// The claims of a checked ID token (OpenID Connect Core 1.0, section 2).
public struct IDToken: Sendable, Equatable {
  /// The issuer as it is configured. With `subject` it identifies a person for ever.
  public let issuer: String
  public let subject: String
  /// The session at the provider (`sid`), which a logout token may name.
  public let sessionID: String?
  public let issuedAt: Instant
  /// When the provider asked the person, if it says so.
  public let authenticatedAt: Instant?
  public let profile: ProviderProfile

  /// The values of `typ` that an ID token may have.
  static let types: Set = ["jwt"]

  /// A logout token or another security event is no ID token (OpenID Connect Back-Channel Logout
  /// 1.0, section 2.4).
  struct EventClaims: Decodable {
    let isPresent: Bool

    private enum CodingKeys: String, CodingKey { case events }

    init(from decoder: any Decoder) throws {
      isPresent = try decoder.container(keyedBy: CodingKeys.self).contains(.events)
    }
  }

  /// Checks the claims (section 3.1.3.7, steps 2 to 5 and 9 to 13; section 3.1.3.8). Throws
  /// `ProviderTokenError`.
  init(
    _ claims: TokenClaims, _ profile: ProviderProfile, _ events: EventClaims,
    of provider: OpenIDProvider, expecting expected: IDTokenExpectation, now: Instant
  ) throws(ProviderTokenError) {
    try claims.checkParties(
      of: provider, clientIDs: expected.clientIDs ?? provider.allClientIDs)
    try claims.checkTimes(maximumAge: expected.maximumAge, now: now)
    guard Self.matches(claims.nonce, expected.nonce) else { throw .nonce }
    guard let subject = claims.subject else { throw .subject }
    guard !events.isPresent else { throw .event }
    if let age = expected.maximumAuthenticationAge {
      guard let asked = claims.authTime,
        asked.seconds >= now.milliseconds / 1000 - age - TokenClaims.drift
      else { throw .authenticationTime }
    }
    if let hash = claims.atHash, let token = expected.accessToken, hash != Self.halfHash(token) {
      throw .accessTokenHash
    }
    if let hash = claims.cHash, let code = expected.code, hash != Self.halfHash(code) {
      throw .codeHash
    }
    issuer = provider.issuer
    self.subject = subject
    sessionID = claims.sid
    issuedAt = Instant(milliseconds: (claims.iat?.seconds ?? 0) * 1000)
    authenticatedAt = claims.authTime.map { Instant(milliseconds: $0.seconds * 1000) }
    self.profile = profile
  }

  /// The token with a profile from elsewhere.
  func with(_ profile: ProviderProfile) -> IDToken {
    IDToken(self, profile: profile)
  }

  private init(_ token: IDToken, profile: ProviderProfile) {
    issuer = token.issuer
    subject = token.subject
    sessionID = token.sessionID
    issuedAt = token.issuedAt
    authenticatedAt = token.authenticatedAt
    self.profile = profile
  }

  private static func matches(_ found: String?, _ expected: IDTokenExpectation.Nonce) -> Bool {
    guard let found, !found.isEmpty else { return false }
    func isEqual(_ text: String) -> Bool {
      ConstantTime.equal(Array(found.utf8), Array(text.utf8))
    }
    switch expected {
    case .equal(let nonce): return isEqual(nonce)
    case .equalOrHashed(let nonce):
      return isEqual(nonce) || isEqual(Hex.text(Digests.sha256(Array(nonce.utf8))))
    }
  }

  /// The left half of the SHA-256 of a text, in base64url (section 3.1.3.6): the hash of RS256 and
  /// of ES256.
  static func halfHash(_ text: String) -> String {
    Base64URL.text(Digests.sha256(Array(text.utf8)).prefix(16))
  }
}
