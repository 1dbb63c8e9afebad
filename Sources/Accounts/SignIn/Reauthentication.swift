import Core
import Web

/// What a person is asked again for. A mailed code is good for the one that it was asked for.
enum ProtectedAction: String, CaseIterable, JSONEnum {
  case releaseDevice = "device_release"
  case deleteAccount = "account_delete"
  case partCouple = "couple_part"
  case changeEmail = "email_change"
  case changePassword = "password_change"
  case turnSecondFactorOn = "second_factor_on"
  case turnSecondFactorOff = "second_factor_off"
  case renewRecoveryCodes = "recovery_codes"
  case endSessions = "sessions_end"
  case changeRole = "role_change"

  /// The key of its words in mails: "release your device".
  var textKey: String { "mail.confirm_code.\(rawValue)" }
}

/// What a mailed code is bound to: the sign-in that asked for it, and what it was asked for.
struct CodeBinding {
  let session: [UInt8]
  let action: ProtectedAction

  init(_ action: ProtectedAction, _ context: Context) {
    self.action = action
    session = CurrentSession.own(context)?.key ?? []
  }

  var bytes: [UInt8] { session + Array(action.rawValue.utf8) }
}
