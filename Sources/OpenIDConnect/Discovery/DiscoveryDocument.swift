import Foundation

/// The reason why a provider can't be used.
public enum DiscoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The configured issuer is not an https address without query and fragment.
  case issuerAddress
  /// The answer has another status than 200.
  case status(Int)
  case unreadable
  /// The document names another issuer than the one that is configured.
  case issuer(String)
  /// A required address is not one that may be used.
  case endpoint(String)
  /// No code flow.
  case responseType
  /// Neither RS256 nor ES256.
  case algorithms
  /// PKCE, but not with S256.
  case codeChallenge
  /// No way for a client of this kind to identify itself.
  case clientAuthentication
  /// The key set has no key that can be used.
  case keys

  public var description: String {
    switch self {
    case .issuerAddress: "the issuer must be an https address without query"
    case .status(let status): "the provider answers \(status)"
    case .unreadable: "the provider's document is not what OpenID Connect Discovery defines"
    case .issuer(let issuer): "the provider's issuer is \(issuer)"
    case .endpoint(let name): "\(name) is missing, or not an https address"
    case .responseType: "the provider does not offer the authorization code flow"
    case .algorithms: "the provider signs with neither RS256 nor ES256"
    case .codeChallenge: "the provider does not offer PKCE with S256"
    case .clientAuthentication:
      "the provider offers neither client_secret_basic nor client_secret_post"
    case .keys: "the provider's key set has no key for RS256 or ES256"
    }
  }
}

/// A provider's description of itself (OpenID Connect Discovery 1.0, section 3).
public struct DiscoveryDocument: Sendable, Equatable {
  public let issuer: String
  public let authorizationEndpoint: String
  public let tokenEndpoint: String
  public let keySetAddress: String
  public let userInfoEndpoint: String?
  /// The algorithms of its tokens that this module can check.
  let algorithms: Set<SigningAlgorithm>
  /// Whether client id and secret are sent in a header rather than in the form.
  let usesBasicAuthentication: Bool
  /// Whether each authorization response names the issuer (RFC 9207).
  let namesIssuerInResponses: Bool

  private struct Fields: Decodable {
    let issuer: String
    let authorizationEndpoint: String?
    let tokenEndpoint: String?
    let jwksUri: String?
    let userinfoEndpoint: String?
    let responseTypesSupported: [String]?
    let idTokenSigningAlgValuesSupported: [String]?
    let codeChallengeMethodsSupported: [String]?
    let tokenEndpointAuthMethodsSupported: [String]?
    let authorizationResponseIssParameterSupported: Bool?
  }

  /// Reads and checks a document (OpenID Connect Discovery 1.0, section 4.3). Throws
  /// `DiscoveryError`.
  init(_ bytes: [UInt8], of provider: OpenIDProvider) throws(DiscoveryError) {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let fields = try? decoder.decode(Fields.self, from: Data(bytes)) else {
      throw .unreadable
    }
    guard fields.issuer == provider.issuer else { throw .issuer(fields.issuer) }
    func address(_ text: String?, _ name: String) throws(DiscoveryError) -> String {
      guard let text, ProviderAddress(text, allowsPlain: provider.allowsPrivateNetwork) != nil
      else { throw .endpoint(name) }
      return text
    }
    issuer = fields.issuer
    authorizationEndpoint = try address(fields.authorizationEndpoint, "authorization_endpoint")
    tokenEndpoint = try address(fields.tokenEndpoint, "token_endpoint")
    keySetAddress = try address(fields.jwksUri, "jwks_uri")
    userInfoEndpoint = try fields.userinfoEndpoint.map { text throws(DiscoveryError) in
      try address(text, "userinfo_endpoint")
    }
    guard fields.responseTypesSupported?.contains("code") ?? true else { throw .responseType }
    algorithms = Set(
      (fields.idTokenSigningAlgValuesSupported ?? ["RS256"]).compactMap(SigningAlgorithm.init))
    guard !algorithms.isEmpty else { throw .algorithms }
    // A document without the field says nothing about PKCE (RFC 8414, section 2), and Apple's has
    // none. A provider that ignores the challenge does no harm.
    guard fields.codeChallengeMethodsSupported?.contains("S256") ?? true else {
      throw .codeChallenge
    }
    let methods = fields.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
    usesBasicAuthentication = methods.contains("client_secret_basic")
    switch provider.credentials {
    case .none: break
    case .secret, .apple:
      guard usesBasicAuthentication || methods.contains("client_secret_post") else {
        throw .clientAuthentication
      }
    }
    namesIssuerInResponses = fields.authorizationResponseIssParameterSupported ?? false
  }
}
