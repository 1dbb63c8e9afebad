import Core

/// The claims of a checked logout token, by which a provider ends sessions (OpenID Connect
/// Back-Channel Logout 1.0, section 2.4).
public struct LogoutToken: Sendable, Equatable {
  /// The issuer as it is configured.
  public let issuer: String
  /// The person whose sessions end; nil if only a session is named.
  public let subject: String?
  /// The session at the provider that ends; nil if all sessions of the subject end.
  public let sessionID: String?
  /// The token's identifier. A caller may refuse one that it has seen before.
  public let identifier: String
  public let issuedAt: Instant

  /// How long ago the token may have been issued, in s.
  static let maximumAge: Int64 = .minutes(10)
  static let types: Set = ["logout+jwt", "jwt"]

  struct EventClaims: Decodable {
    /// An object whose members don't matter.
    struct Event: Decodable {
      private enum CodingKeys: CodingKey {}

      init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case logout = "http://schemas.openid.net/event/backchannel-logout"
    }

    private enum OuterKeys: CodingKey { case events }

    let logout: Event?

    init(from decoder: any Decoder) throws {
      let outer = try decoder.container(keyedBy: OuterKeys.self)
      guard outer.contains(.events) else {
        logout = nil
        return
      }
      let events = try outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .events)
      logout = try events.decodeIfPresent(Event.self, forKey: .logout)
    }
  }

  /// Checks the claims (section 2.6). Throws `ProviderTokenError`.
  init(
    _ claims: TokenClaims, _ events: EventClaims, of provider: OpenIDProvider, now: Instant
  ) throws(ProviderTokenError) {
    try claims.checkParties(of: provider, clientIDs: provider.allClientIDs)
    try claims.checkTimes(maximumAge: Self.maximumAge, now: now)
    guard events.logout != nil else { throw .event }
    guard claims.nonce == nil else { throw .nonce }
    guard claims.sub != nil || claims.sid != nil,
      claims.sub.map(TokenClaims.isSubject) ?? true, claims.sid.map(TokenClaims.isSubject) ?? true
    else { throw .subject }
    guard let identifier = claims.jti, TokenClaims.isSubject(identifier) else {
      throw .identifier
    }
    issuer = provider.issuer
    subject = claims.sub
    sessionID = claims.sid
    self.identifier = identifier
    issuedAt = Instant(milliseconds: (claims.iat?.seconds ?? 0) * 1000)
  }
}
