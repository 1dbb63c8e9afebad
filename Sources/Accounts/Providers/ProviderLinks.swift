/// Paths of signing in with a provider, and of confirming without a password.
extension AccountLinks {
  static let signInSettings = "/settings/sign-in"
  static let confirm = "/settings/confirm"

  static func confirm(_ action: ProtectedAction, next: String) -> String {
    "\(confirm)?action=\(action.rawValue)&next=\(encoded(next))"
  }
  static func confirm(_ action: ProtectedAction, with provider: String, next: String) -> String {
    "\(confirm)/\(provider)?action=\(action.rawValue)&next=\(encoded(next))"
  }
  static func provider(_ name: String) -> String { "/sign-in/with/\(name)" }
  static func provider(_ name: String, next: String) -> String {
    next == "/" ? provider(name) : "\(provider(name))?next=\(encoded(next))"
  }
  public static func providerCallback(_ name: String) -> String { "\(provider(name))/callback" }
  /// Leads to a provider, to complete the registration of a mailed link, or with `isPair` to accept
  /// an invitation.
  static func providerCompletion(
    _ name: String, _ token: String, isPair: Bool = false
  ) -> String {
    "\(provider(name))/complete?token=\(token)\(isPair ? "&pair=1" : "")"
  }
  /// Where one registers after signing in at a provider.
  static func providerRegistration(_ name: String, isCouple: Bool = false) -> String {
    "\(provider(name))/register\(isCouple ? "?couple=1" : "")"
  }
  /// Where one proves that an account here is one's own, after signing in at a provider.
  static func providerProof(_ name: String, isMailed: Bool = false) -> String {
    "\(provider(name))/link\(isMailed ? "?mailed=1" : "")"
  }
  static func providerSettings(_ name: String) -> String { "\(signInSettings)/\(name)" }
}
