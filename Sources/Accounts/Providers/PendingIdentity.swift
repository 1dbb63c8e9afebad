import Core
import Foundation
import Mail
import OpenIDConnect
import Web

/// An account with a provider that is not linked to a member yet. The browser carries it in a sealed
/// cookie until its owner has registered, or proved that an account here is theirs.
struct PendingIdentity: Codable {
  let provider: String
  let subject: ProviderSubject
  /// The address that the provider verified, normalised; nil if there is none.
  let email: String?
  /// The name that the provider knows, which the owner may change; empty if there is none.
  let name: String
  /// The page to go to afterwards.
  let next: String

  private static let maximumNextBytes = 500
  private static let cookie = SealedCookie(name: "provider-account", lifetime: .minutes(30))

  init(_ token: IDToken, with provider: SignInProvider, name: String?, next: String) {
    let profile = token.profile
    self.provider = provider.name
    subject = ProviderSubject(token)
    email =
      profile.isEmailVerified ? profile.email.flatMap { try? MailAddress($0).normalised } : nil
    let full = [profile.givenName, profile.familyName].compactMap { $0 }.joined(separator: " ")
    self.name = AccountRules.displayNameLimits.beginning(
      of: (name ?? profile.name ?? full).asOneLine)
    // A cookie has room for 4096 bytes (RFC 6265, section 6.1).
    self.next = next.utf8.count <= Self.maximumNextBytes ? next : "/"
  }

  func keep(_ context: Context) throws {
    try Self.cookie.set(String(decoding: JSONEncoder().encode(self), as: UTF8.self), context)
  }

  /// The account that this browser brought from a provider.
  static func find(_ provider: String, _ context: Context) -> PendingIdentity? {
    let found = cookie.read(context).flatMap {
      try? JSONDecoder().decode(PendingIdentity.self, from: Data($0.utf8))
    }
    return found?.provider == provider ? found : nil
  }

  /// The account that replaces a password in a form: the form or its address names the provider.
  static func brought(_ context: Context) -> PendingIdentity? {
    let isForm = context.request.method == .post
    let provider =
      isForm ? context.form["provider"] : context.request.queryValue("provider") ?? ""
    return find(provider, context)
  }

  static func clear(_ context: Context) { cookie.clear(context) }
}
