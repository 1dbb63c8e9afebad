import Core

/// The kind of the identifier of a family of tokens: one sign-in of the API and what came of it.
public enum TokenFamily {}

/// Who knows whom an access token speaks for: `Accounts` answers it, as with `SessionAuthenticator`.
public protocol AccessTokenAuthenticator: Sendable {
  /// The person behind an access token. Throws `invalid_token` for one that is none or was
  /// revoked, `token_expired` for one that is too old.
  func find(_ token: String, now: Instant) throws -> AccessGrant
}

/// What an access token opens.
public struct AccessGrant: Sendable {
  public let viewer: Viewer
  public let family: ID<TokenFamily>

  public init(viewer: Viewer, family: ID<TokenFamily>) {
    self.viewer = viewer
    self.family = family
  }
}

/// Knows no token.
public struct NoAccessTokens: AccessTokenAuthenticator {
  public init() {}

  public func find(_ token: String, now: Instant) throws -> AccessGrant {
    throw Problem(.invalidToken)
  }
}
