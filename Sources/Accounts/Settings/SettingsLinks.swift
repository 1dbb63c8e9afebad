import Foundation

/// The addresses below `/settings`.
extension AccountLinks {
  public static let settings = "/settings"
  public static let profileSettings = "/settings/profile"
  public static let languageSettings = "/settings/language"
  /// The theme stands on the page of the language, further down.
  public static let themeSettings = "/settings/language#theme"
  public static let passwordSettings = "/settings/password"
  public static let emailSettings = "/settings/email"
  public static let confirmEmail = "/settings/email/confirm"
  public static let undoEmail = "/settings/email/undo"
  /// Rooms that build on this one keep these.
  public static let blocks = "/settings/blocks"
  public static let notices = "/settings/notifications"
  public static let calendar = "/settings/calendar"
  public static let ownReports = "/settings/reports"
  public static let sessionSettings = "/settings/sessions"
  public static let deviceSettings = "/settings/devices"

  /// The bound device and the offer to release it, after which it goes on at `next`.
  public static func deviceSettings(next: String?, isMailed: Bool = false) -> String {
    var fields: [String] = []
    if let next, let escaped = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
      fields.append("next=\(escaped)")
    }
    if isMailed { fields.append("mailed=1") }
    return fields.isEmpty
      ? deviceSettings : "\(deviceSettings)?\(fields.joined(separator: "&"))"
  }

  /// The page that asks again before a session ends: one by its handle, or "others".
  static func sessionSettings(ending: String, isMailed: Bool) -> String {
    let name =
      ending.addingPercentEncoding(
        withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-_"))) ?? ""
    return "\(sessionSettings)?end=\(name)\(isMailed ? "&mailed=1" : "")"
  }

  public static func undoEmail(_ token: String) -> String { "\(undoEmail)?token=\(token)" }
  public static func confirmEmail(_ token: String) -> String { "\(confirmEmail)?token=\(token)" }
}
