/// An OpenID provider and this site's registration with it.
public struct OpenIDProvider: Sendable {
  /// How the provider sends the answer back to the redirect URI.
  public enum ResponseMode: Sendable {
    /// In the query of a redirect.
    case query
    /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
    case formPost
  }

  /// The issuer identifier, exactly as in the provider's tokens.
  public let issuer: String
  /// Other spellings of the issuer in tokens; `issuer` stands for all of them.
  public let issuerAliases: Set<String>
  /// The client id of this website.
  public let clientID: String
  /// The client ids of apps of the same operator, whose ID tokens are accepted by the API.
  public let appClientIDs: [String]
  public let credentials: ClientCredentials
  /// The requested scopes, `openid` among them.
  public let scopes: [String]
  public let responseMode: ResponseMode
  /// Whether the provider may have addresses of a private network, and then use plain http.
  public let allowsPrivateNetwork: Bool

  /// Creates a provider. Throws `DiscoveryError.issuerAddress` for an issuer that is not an https
  /// address without query and fragment (OpenID Connect Core 1.0, section 2, `iss`).
  public init(
    issuer: String, issuerAliases: Set<String> = [], clientID: String, appClientIDs: [String] = [],
    credentials: ClientCredentials, scopes: [String] = ["openid", "email", "profile"],
    responseMode: ResponseMode = .query, allowsPrivateNetwork: Bool = false
  ) throws(DiscoveryError) {
    guard let address = ProviderAddress(issuer, allowsPlain: allowsPrivateNetwork),
      !address.hasQuery
    else { throw .issuerAddress }
    self.issuer = issuer
    self.issuerAliases = issuerAliases
    self.clientID = clientID
    self.appClientIDs = appClientIDs
    self.credentials = credentials
    self.scopes = scopes
    self.responseMode = responseMode
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  /// Sign in with Apple. The key also signs the client secrets of web sign-in; `issuer` is another
  /// one in tests only.
  public static func apple(
    clientID: String, appClientIDs: [String] = [], key: AppleClientKey,
    issuer: String = "https://appleid.apple.com", allowsPrivateNetwork: Bool = false
  ) throws(DiscoveryError) -> OpenIDProvider {
    // Apple answers in a form when a name or an address is asked for.
    try OpenIDProvider(
      issuer: issuer, clientID: clientID, appClientIDs: appClientIDs, credentials: .apple(key),
      scopes: ["openid", "email", "name"], responseMode: .formPost,
      allowsPrivateNetwork: allowsPrivateNetwork)
  }

  /// Sign in with Google, which also writes its issuer without a scheme.
  public static func google(
    clientID: String, appClientIDs: [String] = [], secret: String
  ) throws(DiscoveryError) -> OpenIDProvider {
    try OpenIDProvider(
      issuer: "https://accounts.google.com", issuerAliases: ["accounts.google.com"],
      clientID: clientID, appClientIDs: appClientIDs, credentials: .secret(secret))
  }

  /// All client ids of this operator.
  var allClientIDs: [String] { [clientID] + appClientIDs }

  /// The address of the discovery document (OpenID Connect Discovery 1.0, section 4).
  var discoveryAddress: String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
      + "/.well-known/openid-configuration"
  }

  func isIssuer(_ text: String) -> Bool { text == issuer || issuerAliases.contains(text) }
}

/// How this site proves to the provider that it is the client (RFC 6749, section 2.3).
public enum ClientCredentials: Sendable {
  /// A public client, which has PKCE alone.
  case none
  case secret(String)
  /// A secret signed for each request with a key from Apple.
  case apple(AppleClientKey)
}
