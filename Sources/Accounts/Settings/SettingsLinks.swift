import Foundation

/// Paths below `/settings`.
extension AccountLinks {
  public static let settings = "/settings"
  public static let profileSettings = "/settings/profile"
  public static let languageSettings = "/settings/language"
  /// The theme is a section of the language page.
  public static let themeSettings = "/settings/language#theme"
  public static let passwordSettings = "/settings/password"
  public static let emailSettings = "/settings/email"
  public static let confirmEmail = "/settings/email/confirm"
  public static let undoEmail = "/settings/email/undo"
  /// Pages of other modules.
  public static let deletedPosts = "/posts/deleted"
  public static let deletedPhotos = "/album/deleted"
  public static let deletedWorkouts = "/workouts/deleted"
  public static let blocks = "/settings/blocks"
  public static let notices = "/settings/notifications"
  public static let calendar = "/settings/calendar"
  public static let ownReports = "/settings/reports"
  public static let sessionSettings = "/settings/sessions"
  public static let deviceSettings = "/settings/devices"

  /// The page of the bound device; `next` is where to go after releasing it.
  public static func deviceSettings(next: String?, isMailed: Bool = false) -> String {
    var fields: [String] = []
    if let next, let escaped = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
      fields.append("next=\(escaped)")
    }
    if isMailed { fields.append("mailed=1") }
    return fields.isEmpty
      ? deviceSettings : "\(deviceSettings)?\(fields.joined(separator: "&"))"
  }

  /// The page that asks for the password before a session ends; `ending` is a handle or "others".
  static func sessionSettings(ending: String, isMailed: Bool) -> String {
    let name =
      ending.addingPercentEncoding(
        withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-_"))) ?? ""
    return "\(sessionSettings)?end=\(name)\(isMailed ? "&mailed=1" : "")"
  }

  public static func undoEmail(_ token: String) -> String { "\(undoEmail)?token=\(token)" }
  public static func confirmEmail(_ token: String) -> String { "\(confirmEmail)?token=\(token)" }
}
