import Secrets
import Web

/// What the document says of texts that many calls take, beside the rules that judge them
/// (`AccountRules`, `PasswordRules`, `Token`). Bounds in composed characters stand in notes: a
/// schema counts code points.
public enum TextFieldLimits {
  /// An address, its domain in any script.
  public static let email: JSON = ["format": "idn-email", "minLength": 1]
  /// A text that must not be empty.
  public static let filled: JSON = ["minLength": 1]
  /// A day as a text.
  static let day: JSON = ["format": "date"]
  /// Of a password to be. So many composed characters are never fewer code points.
  static let newPassword: JSON = ["minLength": .integer(Int64(PasswordRules.fewestCharacters))]
  static let newPasswordNote =
    "At least \(PasswordRules.fewestCharacters) characters, and at most "
    + "\(PasswordRules.mostBytes) bytes of UTF-8; none of the most common ones."
  /// The secret of a link, or one to go on with.
  static let token: JSON = ["pattern": "^[A-Za-z0-9_-]{43}$"]
  static let tokenExample: JSON = "uFk9Yv0n1cQ2bR3sT4uV5wX6yZ7aB8cD9eF0gH1iJ2k"
  static let termsNote =
    "May be left out. `true` is recorded, with the terms' version and the time."
}
