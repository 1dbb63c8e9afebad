import Core

/// The identifier kind of a token family: one sign-in through the API and all tokens issued from
/// it.
public enum TokenFamily {}

/// Finds the account of an access token. Implemented by `Accounts`, like `SessionAuthenticator`.
public protocol AccessTokenAuthenticator: Sendable {
  /// The person of an access token. Throws `invalid_token` for an unknown or revoked token,
  /// `token_expired` for one that is too old.
  func find(_ token: String, now: Instant) throws -> AccessGrant
}

/// The viewer and the token family of an access token.
public struct AccessGrant: Sendable {
  public let viewer: Viewer
  public let family: ID<TokenFamily>

  public init(viewer: Viewer, family: ID<TokenFamily>) {
    self.viewer = viewer
    self.family = family
  }
}

/// An authenticator that accepts no token.
public struct NoAccessTokens: AccessTokenAuthenticator {
  public init() {}

  public func find(_ token: String, now: Instant) throws -> AccessGrant {
    throw Problem(.invalidToken)
  }
}
