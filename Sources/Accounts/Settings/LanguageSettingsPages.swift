import Core
import Foundation
import Templates
import Web

/// `/settings/language`: language, units, theme and time zone, stored in the account.
struct LanguageSettingsPages {
  private static let lifetime: Int64 = .days(365)

  private let services: AccountsEnvironment
  private let page: Page<LanguageSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/language", title: "settings_language.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    response(
      context.language, context.theme, context.units, chosenZone(context), context, errors: [:],
      status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let form = context.form
    var errors: [String: FieldError] = [:]
    let language = Language(rawValue: form["language"])
    let theme = Theme(rawValue: form["theme"])
    // Pages of before this choice don't send it.
    let units =
      form.has("units") ? LengthUnits(rawValue: form["units"]) : context.units
    let zone = form["time_zone"]
    if language == nil { errors["language"] = FieldError("error.language_choice") }
    if theme == nil { errors["theme"] = FieldError("error.theme_choice") }
    if units == nil { errors["units"] = FieldError("error.units_choice") }
    // An empty choice follows the browser's time zone.
    if !zone.isEmpty, TimeZone(named: zone) == nil {
      errors["time_zone"] = FieldError("error.time_zone_choice")
    }
    guard errors.isEmpty, let language, let theme, let units else {
      return response(
        language ?? context.language, theme ?? context.theme, units ?? context.units,
        errors["time_zone"] == nil ? zone : chosenZone(context), context, errors: errors,
        status: 422)
    }
    try services.site.database.write { writer in
      try services.settings.store.setPreferences(
        language: language, theme: theme, units: units, of: viewer.id, in: writer)
      if zone.isEmpty {
        try services.timeZones.follow(
          browser: context.browserTimeZone, viewer.id, now: context.now, in: writer)
      } else {
        try services.timeZones.choose(zone, of: viewer.id, now: context.now, in: writer)
      }
    }
    // Cookies, so that the sign-in page has the same language and theme.
    context.setCookie("language", language.rawValue, maxAge: Self.lifetime)
    context.setCookie("theme", theme.rawValue, maxAge: Self.lifetime)
    context.flash("toast.saved")
    return .seeOther(AccountLinks.languageSettings)
  }

  /// The chosen time zone; empty if none is chosen.
  private func chosenZone(_ context: Context) -> String {
    context.viewer?.timeZone.flatMap { $0.isChosen ? $0.name : nil } ?? ""
  }

  private func response(
    _ language: Language, _ theme: Theme, _ units: LengthUnits, _ zone: String,
    _ context: Context,
    errors: [String: FieldError], status: Int
  ) -> Response {
    let view = LanguageSettingsView(
      language: language,
      theme: theme, units: units, automatic: context.automaticTimeZoneName,
      groups: TimeZoneChoices.groups(chosen: zone, context),
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct LanguageSettingsView: FormContent {
  let language: Language
  let theme: Theme
  let units: LengthUnits
  /// The label of the option that follows the browser's time zone.
  let automatic: String
  let groups: [TimeZoneGroupView]
  let errors: [String: String]

  static let fields: [String: Field<LanguageSettingsView>] =
    formFields(
      errors: ["language", "units", "theme", "time_zone"],
      [
        "english": .flag { $0.language == .english },
        "traditional": .flag { $0.language == .traditionalChinese },
        "simplified": .flag { $0.language == .simplifiedChinese },
        "metres": .flag { $0.units == .metres },
        "feet": .flag { $0.units == .feet },
        "auto": .flag { $0.theme == .auto },
        "light": .flag { $0.theme == .light },
        "dark": .flag { $0.theme == .dark },
        "automatic": .text { $0.automatic },
        "groups": .list { $0.groups },
      ])
}
