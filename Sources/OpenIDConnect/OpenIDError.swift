/// The reason why a provider's answer is not accepted.
public enum OpenIDError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One of the provider's addresses can't be fetched; a description for the operator.
  case unreachable(String)
  /// The provider describes itself in a way that can't be used.
  case discovery(DiscoveryError)
  /// The browser did not bring back a code.
  case authorization(AuthorizationError)
  /// The provider gave no tokens for a code: its error code (RFC 6749, section 5.2).
  case refused(code: String)
  /// The provider does not know the client id, or refuses its secret or key.
  case client
  /// The provider's answer with tokens or claims is unreadable.
  case unreadable
  /// A token fails a check.
  case token(ProviderTokenError)

  public var description: String {
    switch self {
    case .unreachable(let reason): reason
    case .discovery(let error): error.description
    case .authorization(let error): "the authorization response: \(error)"
    case .refused(let code): "the provider refuses the code: \(code)"
    case .client: "the provider refuses the client id or its secret"
    case .unreadable: "the provider's answer is not what OpenID Connect defines"
    case .token(let error): "the token: \(error)"
    }
  }
}
