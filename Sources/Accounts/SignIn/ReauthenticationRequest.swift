import Core
import Web

/// An app's proof for reauthentication: one of the three fields (docs/api/README.md).
struct ReauthenticationRequest: JSONRequest {
  var password: String?
  var code: String?
  var recoveryCode: String?

  static let jsonName = "AskedAgain"
  static let jsonFields: [InputField<Self>] = [
    .optional("password", example: "lantern river seven") { $0.password = $1 },
    .optional(
      "code", note: "Mailed by `POST /auth/reauthenticate` for this action.",
      example: "123456"
    ) {
      $0.code = $1
    },
    .optional("recovery_code", note: "For guests.", example: "ABCD-EFGH-JKLM-NPQR") {
      $0.recoveryCode = $1
    },
  ]

  private var proof: ReauthenticationService.Proof? {
    if let password { return .password(password) }
    if let code { return .mailedCode(code) }
    return recoveryCode.map { .recoveryCode($0) }
  }

  /// Checks the proof. Throws 403 `reauthentication_required` if it is wrong, 429 and 503.
  func check(
    for action: ProtectedAction, _ services: AccountsEnvironment, _ context: Context
  ) throws {
    guard let proof, try ReauthenticationService(action, services: services).accepts(proof, context)
    else {
      throw Problem(.reauthenticationRequired)
    }
  }
}
