import Core
import Foundation
import Web

/// Input of a change of one's own account; nil fields stay as they are.
struct AccountChange: JSONRequest {
  var displayName: String?
  var language: Language?
  var timeZone: String?

  static let jsonFields: [InputField<Self>] = [
    .optional(
      "display_name", note: "1 to \(AccountRules.displayNameLimits.characters) characters.",
      bounds: TextFieldLimits.filled, example: "Mei"
    ) { $0.displayName = $1 },
    .optional("language") { $0.language = $1 },
    .optional(
      "time_zone", note: "An IANA time zone name.", bounds: TextFieldLimits.filled,
      example: "Asia/Taipei"
    ) { $0.timeZone = $1 },
  ]
}

/// `/api/v1/account`: the viewer's own profile.
struct AccountAPI {
  private let services: AccountsEnvironment
  private let profiles: ProfileStore

  init(_ services: AccountsEnvironment) {
    self.services = services
    profiles = ProfileStore(
      database: services.site.database, baseURL: services.site.baseURL)
  }

  var routes: [Route] {
    [
      .api(.get, "/account", .atLeast(.guest), Operation("Your profile", .account), handler: show),
      .api(
        .patch, "/account", .atLeast(.guest),
        Operation(
          "Change your profile", .account,
          note: "Omitted fields stay unchanged. A new time zone changes how days are counted.",
          errors: [.suspended]),
        handler: change),
    ]
  }

  @Sendable private func show(_ context: Context) throws -> UserProfile {
    try profiles.profile(of: context.signedIn())
  }

  @Sendable private func change(_ change: AccountChange, _ context: Context) throws -> UserProfile {
    let viewer = try context.signedIn()
    // A suspended user may not change the name, which others see; language and time zone they may.
    if change.displayName != nil, let suspended = context.suspended { throw suspended }
    var errors: [String: FieldError] = [:]
    let name = change.displayName.map {
      AccountRules.name(
        $0, limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    }
    if let zone = change.timeZone, TimeZone(named: zone) == nil {
      errors["time_zone"] = FieldError("error.time_zone_choice")
    }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    try services.site.database.write { writer in
      if let name { try SettingsStore.rename(viewer.id, to: name, in: writer) }
      if let language = change.language {
        try services.settings.store.setLanguage(language, of: viewer.id, in: writer)
      }
      if let zone = change.timeZone {
        try services.timeZones.choose(zone, of: viewer.id, now: context.now, in: writer)
      }
    }
    return try profiles.profile(of: viewer)
  }
}
