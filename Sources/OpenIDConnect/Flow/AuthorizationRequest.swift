import Secrets

/// The secrets of one sign-in, which the browser takes to the provider and back. The caller keeps
/// them, bound to the browser, until the response comes.
public struct AuthorizationRequest: Sendable, Equatable {
  /// Binds the response to the browser (RFC 6749, section 10.12).
  public let state: String
  /// Binds the ID token to the request (OpenID Connect Core 1.0, section 3.1.2.1).
  public let nonce: String
  /// Binds the code to the request (RFC 7636, section 4.1).
  public let codeVerifier: String
  public let redirectURI: String
  /// If set, the provider asks the person again unless that happened within so many seconds
  /// (`max_age`), and the ID token must say when it did. Not all providers can do that.
  public let maximumAuthenticationAge: Int64?

  /// Restores a request that was kept.
  public init(
    state: String, nonce: String, codeVerifier: String, redirectURI: String,
    maximumAuthenticationAge: Int64? = nil
  ) {
    self.state = state
    self.nonce = nonce
    self.codeVerifier = codeVerifier
    self.redirectURI = redirectURI
    self.maximumAuthenticationAge = maximumAuthenticationAge
  }

  /// Creates a request with secrets of 256 bits each.
  public static func random(
    redirectURI: String, maximumAuthenticationAge: Int64? = nil
  ) -> AuthorizationRequest {
    AuthorizationRequest(
      state: Token.random().text, nonce: Token.random().text, codeVerifier: Token.random().text,
      redirectURI: redirectURI, maximumAuthenticationAge: maximumAuthenticationAge)
  }

  /// The challenge of PKCE with S256 (RFC 7636, section 4.2).
  var codeChallenge: String { Base64URL.text(Digests.sha256(Array(codeVerifier.utf8))) }

  /// The address to which the browser is sent (OpenID Connect Core 1.0, section 3.1.2.1).
  /// `loginHint` is a mail address that the provider may propose.
  func address(
    at endpoint: ProviderAddress, of provider: OpenIDProvider, loginHint: String?
  ) -> String {
    var fields = [
      ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirectURI),
      ("scope", provider.scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
      ("code_challenge", codeChallenge), ("code_challenge_method", "S256"),
    ]
    if provider.responseMode == .formPost { fields.append(("response_mode", "form_post")) }
    if let age = maximumAuthenticationAge { fields.append(("max_age", String(age))) }
    if let loginHint { fields.append(("login_hint", loginHint)) }
    return endpoint.adding(fields)
  }
}
