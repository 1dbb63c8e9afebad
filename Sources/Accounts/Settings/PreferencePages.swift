import Core
import Web

/// `/language` and `/theme`: small forms in every footer. They set a cookie for a year, and the
/// account's setting for a signed-in user (docs/developer/pages-and-forms.md#addresses).
struct PreferencePages {
  private static let lifetime: Int64 = .days(365)

  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  @Sendable func setLanguage(_ context: Context) throws -> Response {
    guard let language = Language(rawValue: context.form["language"]) else {
      throw Problem.badRequest
    }
    context.setCookie("language", language.rawValue, maxAge: Self.lifetime)
    if let viewer = context.viewer { try services.people.setLanguage(language, of: viewer) }
    return .seeOther(context.next())
  }

  @Sendable func setTheme(_ context: Context) throws -> Response {
    guard let theme = Theme(rawValue: context.form["theme"]) else { throw Problem.badRequest }
    context.setCookie("theme", theme.rawValue, maxAge: Self.lifetime)
    if let viewer = context.viewer { try services.people.setTheme(theme, of: viewer) }
    return .seeOther(context.next())
  }
}
