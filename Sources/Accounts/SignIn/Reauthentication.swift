import Core
import Secrets
import Web

/// Actions that need reauthentication. A mailed code is valid for one of them.
enum ProtectedAction: String, CaseIterable, Codable, JSONEnum {
  case releaseDevice = "device_release"
  case deleteAccount = "account_delete"
  case partCouple = "couple_part"
  case changeEmail = "email_change"
  case changePassword = "password_change"
  /// Links or unlinks a provider.
  case changeSignIn = "sign_in_change"
  case turnSecondFactorOn = "second_factor_on"
  case turnSecondFactorOff = "second_factor_off"
  case renewRecoveryCodes = "recovery_codes"
  case endSessions = "sessions_end"
  case changeRole = "role_change"

  /// The text key of its name in mails, such as "release your device".
  var textKey: String { "mail.confirm_code.\(rawValue)" }
}

/// The context to which a mailed code is bound: the session and the action that asked for it.
struct CodeBinding {
  let session: [UInt8]
  let action: ProtectedAction

  init(_ action: ProtectedAction, _ context: Context) {
    self.action = action
    session = CurrentSession.own(context)?.key ?? []
  }

  /// The binding for a visitor, who has no session: to this browser.
  init(_ action: ProtectedAction, browser: [UInt8]) {
    self.action = action
    session = browser
  }

  /// The binding as a sealed cookie carries it.
  var text: String { Base64URL.text(bytes) }
  var bytes: [UInt8] { session + Array(action.rawValue.utf8) }
}
