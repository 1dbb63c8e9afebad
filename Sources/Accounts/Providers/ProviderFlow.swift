import Core
import Foundation
import OpenIDConnect
import Web

/// A browser's way to a provider and back. The browser carries it in a sealed cookie, which binds
/// the provider's answer to the browser (RFC 9700, section 4.7).
struct ProviderFlow: Codable {
  enum Purpose: Codable {
    case signIn
    /// Links the provider's account to the signed-in member.
    case link
    /// Confirms that the signed-in member is there.
    case confirm(ProtectedAction)
    /// Completes a registration whose mailed link was opened.
    case complete
  }

  let provider: String
  let purpose: Purpose
  /// The member who was signed in at the beginning.
  private let person: String?
  /// The page to go to afterwards.
  let next: String
  let state: String
  let nonce: String
  let verifier: String

  private static let cookie = SealedCookie(name: "provider-flow", lifetime: .minutes(10))
  /// How long ago the provider may have asked the person who confirms, in s.
  private static let maximumConfirmationAge: Int64 = .minutes(5)

  /// Begins a flow and returns the provider's address. Throws `OpenIDError`.
  static func begin(
    _ provider: SignInProvider, _ purpose: Purpose, next: String, _ context: Context
  ) throws -> String {
    let request = AuthorizationRequest.random(
      redirectURI: redirectURI(provider.name, context),
      maximumAuthenticationAge: maximumAge(purpose))
    let address = try provider.client.authorizationAddress(for: request, now: context.now)
    let flow = ProviderFlow(
      provider: provider.name, purpose: purpose, person: context.viewer?.id.description,
      next: next, state: request.state,
      nonce: request.nonce, verifier: request.codeVerifier)
    try cookie.set(String(decoding: JSONEncoder().encode(flow), as: UTF8.self), context)
    return address
  }

  /// Takes the flow that this browser began with a provider: it works once.
  static func take(_ provider: SignInProvider, _ context: Context) -> ProviderFlow? {
    guard let text = cookie.read(context) else { return nil }
    cookie.clear(context)
    let flow = try? JSONDecoder().decode(ProviderFlow.self, from: Data(text.utf8))
    return flow?.provider == provider.name ? flow : nil
  }

  /// Whether the same member is still signed in.
  func isOf(_ viewer: Viewer) -> Bool { person == viewer.id.description }

  /// The request to which the provider's answer must belong.
  func request(_ context: Context) -> AuthorizationRequest {
    AuthorizationRequest(
      state: state, nonce: nonce, codeVerifier: verifier,
      redirectURI: Self.redirectURI(provider, context),
      maximumAuthenticationAge: Self.maximumAge(purpose))
  }

  private static func maximumAge(_ purpose: Purpose) -> Int64? {
    guard case .confirm = purpose else { return nil }
    return maximumConfirmationAge
  }

  private static func redirectURI(_ provider: String, _ context: Context) -> String {
    context.site.baseURL + AccountLinks.providerCallback(provider)
  }
}
