import Templates
import Web

/// A change that needs password and code.
enum SecondFactorChange {
  case off
  case codes

  var action: ProtectedAction { self == .off ? .turnSecondFactorOff : .renewRecoveryCodes }
}

struct SecondFactorView: FormContent {
  let isOn: Bool
  let isStaff: Bool
  let hasPasskey: Bool
  let setup: SecondFactorSetup?
  /// Whether the password was entered within the last minutes.
  let isAsked: Bool
  /// Users without a password confirm on a page of its own.
  let hasPassword: Bool
  let codesLeft: Int
  let errors: [String: String]

  static let fields: [String: Field<SecondFactorView>] =
    formFields(
      errors: ["current_password", "code"],
      [
        "action": .text { _ in AccountLinks.secondFactor },
        "off_link": .text { _ in AccountLinks.secondFactorOff },
        "codes_link": .text { _ in AccountLinks.secondFactorCodes },
        "on": .flag { $0.isOn },
        "off": .flag { !$0.isOn && $0.setup == nil },
        "staff": .flag { $0.isStaff },
        "passkey": .flag { $0.hasPasskey },
        "sign_in_link": .text { _ in AccountLinks.signInSettings },
        "setup": .optional { $0.setup },
        "asked": .flag { $0.isAsked },
        "asks_password": .flag { !$0.isAsked && $0.hasPassword },
        "codes_left": .integer { $0.codesLeft },
        "few_codes": .flag { $0.codesLeft < 3 },
      ])
}

struct RecoveryCodesView: View {
  let codes: [RecoveryCode]
  let next: String

  static let fields: [String: Field<RecoveryCodesView>] = [
    "codes": .text { $0.codes.map(\.grouped).joined(separator: "\n") },
    "next": .text { $0.next },
  ]
}

struct SecondFactorAskView: FormContent {
  let change: SecondFactorChange
  let isConfirmed: Bool
  let errors: [String: String]

  static let fields: [String: Field<SecondFactorAskView>] =
    formFields(
      errors: ["current_password", "code"],
      [
        "action": .text {
          $0.change == .off ? AccountLinks.secondFactorOff : AccountLinks.secondFactorCodes
        },
        "cancel_link": .text { _ in AccountLinks.secondFactor },
        "turns_off": .flag { $0.change == .off },
        "confirmed": .flag { $0.isConfirmed },
      ])
}
