import Core
import HTTPClient

/// This site as a client of one OpenID provider. It keeps the provider's metadata, so there should
/// be one for each provider and process.
///
/// ```swift
/// let request = AuthorizationRequest.random(redirectURI: "https://pairspot.example/…")
/// let address = try client.authorizationAddress(for: request, now: now)  // the browser goes there
/// let token = try client.signIn(AuthorizationResponse(form.value), for: request, now: now)
/// ```
///
/// Calls block while the provider is asked, for 10 s at most each. All of them throw `OpenIDError`.
public struct OpenIDClient: Sendable {
  public let provider: OpenIDProvider
  private let transport: any ProviderTransport
  private let metadata: ProviderMetadata

  public init(provider: OpenIDProvider, transport: (any ProviderTransport)? = nil) {
    let transport =
      transport ?? NetworkTransport(allowsPrivateNetwork: provider.allowsPrivateNetwork)
    self.provider = provider
    self.transport = transport
    metadata = ProviderMetadata(provider: provider, transport: transport)
  }

  /// Fetches the discovery document and the keys now, to find out whether the provider can be used.
  @discardableResult
  public func check(now: Instant) throws -> DiscoveryDocument { try metadata.refresh(now: now) }

  /// Asks for tokens with a code that the provider never gave, to find out whether it knows this
  /// client: it then refuses the code only (RFC 6749, section 5.2). Throws `OpenIDError.client` if
  /// not.
  public func checkClient(redirectURI: String, now: Instant) throws {
    let exchange = TokenRequest(
      provider: provider, document: try metadata.document(now: now), code: "check",
      request: .random(redirectURI: redirectURI))
    do {
      _ = try TokenRequest.tokens(in: transport.send(try exchange.call(now: now)))
    } catch OpenIDError.refused(let code) {
      if ["invalid_client", "unauthorized_client"].contains(code) { throw OpenIDError.client }
    }
  }

  /// The address to which the browser is sent. `loginHint` is a mail address that the provider may
  /// propose.
  public func authorizationAddress(
    for request: AuthorizationRequest, loginHint: String? = nil, now: Instant
  ) throws -> String {
    let document = try metadata.document(now: now)
    guard
      let endpoint = ProviderAddress(
        document.authorizationEndpoint, allowsPlain: provider.allowsPrivateNetwork)
    else { throw OpenIDError.discovery(.endpoint("authorization_endpoint")) }
    return request.address(at: endpoint, of: provider, loginHint: loginHint)
  }

  /// Checks what the browser brought back, exchanges the code, and checks the ID token. A provider
  /// that puts no mail address into it is asked for the profile.
  public func signIn(
    _ response: AuthorizationResponse, for request: AuthorizationRequest, now: Instant
  ) throws -> IDToken {
    let document = try metadata.document(now: now)
    let code: String
    do throws(AuthorizationError) {
      code = try response.code(for: request, from: document)
    } catch {
      throw OpenIDError.authorization(error)
    }
    let exchange = TokenRequest(
      provider: provider, document: document, code: code, request: request)
    let tokens = try TokenRequest.tokens(in: transport.send(try exchange.call(now: now)))
    let token = try idToken(
      tokens.idToken,
      expecting: .response(
        to: request, code: code, accessToken: tokens.accessToken, of: provider), now: now)
    guard token.profile.email == nil, let endpoint = document.userInfoEndpoint,
      let accessToken = tokens.accessToken
    else { return token }
    let answer = try transport.send(
      UserInfoRequest(endpoint: endpoint, accessToken: accessToken).call)
    return token.with(try UserInfoRequest.profile(in: answer, of: token.subject))
  }

  /// Checks an ID token (OpenID Connect Core 1.0, section 3.1.3.7; RFC 8725; RFC 9700).
  public func idToken(
    _ text: String, expecting expectation: IDTokenExpectation, now: Instant
  ) throws -> IDToken {
    let (claims, profile, events) = try reader.claims(
      text, types: IDToken.types, now: now, as: TokenClaims.self, ProviderProfile.self,
      IDToken.EventClaims.self)
    return try Self.checked { () throws(ProviderTokenError) in
      try IDToken(claims, profile, events, of: provider, expecting: expectation, now: now)
    }
  }

  /// Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).
  public func logoutToken(_ text: String, now: Instant) throws -> LogoutToken {
    let (claims, events) = try reader.claims(
      text, types: LogoutToken.types, now: now, as: TokenClaims.self,
      LogoutToken.EventClaims.self)
    return try Self.checked { () throws(ProviderTokenError) in
      try LogoutToken(claims, events, of: provider, now: now)
    }
  }

  /// Checks a notice of Apple's: the body of its request.
  public func appleNotice(_ body: [UInt8], now: Instant) throws -> AppleNotice {
    guard let text = AppleNotice.token(in: body) else { throw OpenIDError.token(.malformed) }
    let (claims, events) = try reader.claims(
      text, types: AppleNotice.types, now: now, as: TokenClaims.self,
      AppleNotice.EventClaims.self)
    return try Self.checked { () throws(ProviderTokenError) in
      try AppleNotice(claims, events, of: provider, now: now)
    }
  }

  private var reader: ProviderTokenReader { ProviderTokenReader(metadata: metadata) }

  private static func checked<Value>(
    _ body: () throws(ProviderTokenError) -> Value
  ) throws(OpenIDError) -> Value {
    do throws(ProviderTokenError) {
      return try body()
    } catch {
      throw .token(error)
    }
  }
}
