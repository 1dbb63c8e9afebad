import Core

/// Paths of passkeys.
extension AccountLinks {
  static let passkeySignIn = "/sign-in/passkey"
  static let passkeySettings = "/settings/passkeys"
  static let newPasskey = "\(passkeySettings)/new"
  static let newPasskeyOptions = "\(passkeySettings)/options"
  static let passkeyConfirm = "\(passkeySettings)/confirm"
  static let passkeyRegistration = "/register/passkey"

  static func passkey(_ id: ID<Passkey>) -> String { "\(passkeySettings)/\(id)" }
  static func passkeyConfirm(_ action: ProtectedAction) -> String {
    "\(passkeyConfirm)?action=\(action.rawValue)"
  }
  /// The options of a passkey for the account of a mailed link, or with `isPair` of an invitation.
  static func passkeyRegistration(_ token: String, isPair: Bool = false) -> String {
    "\(passkeyRegistration)?token=\(token)\(isPair ? "&pair=1" : "")"
  }
}
