import Secrets
import Web

/// Schema bounds of texts that several API calls take, for the OpenAPI document; `AccountRules`,
/// `PasswordRules` and `Token` check the values. Bounds in composed characters are in notes,
/// because a schema counts code points.
public enum TextFieldLimits {
  /// An e-mail address; its domain may have any script.
  public static let email: JSON = ["format": "idn-email", "minLength": 1]
  /// A text that must not be empty.
  public static let filled: JSON = ["minLength": 1]
  /// A date as text.
  static let day: JSON = ["format": "date"]
  /// A new password. The bound is safe: a composed character has at least one code point.
  static let newPassword: JSON = ["minLength": .integer(Int64(PasswordRules.minimumCharacters))]
  static let newPasswordNote =
    "At least \(PasswordRules.minimumCharacters) characters, and at most "
    + "\(PasswordRules.maximumBytes) bytes of UTF-8; none of the most common ones."
  /// The token of a link, or one to continue with.
  static let token: JSON = ["pattern": "^[A-Za-z0-9_-]{43}$"]
  static let tokenExample: JSON = "uFk9Yv0n1cQ2bR3sT4uV5wX6yZ7aB8cD9eF0gH1iJ2k"
  static let invitationNote =
    "The part behind `invitation=` of the operator's link. Needed where registration is by "
    + "invitation."
  static let termsNote =
    "May be omitted. `true` is recorded with the version of the terms and the time."
}
