import Web

/// The routes below `/settings` (docs/developer/pages-and-forms.md#addresses).
enum SettingsRoutes {
  static func all(_ services: AccountsEnvironment) throws -> [Route] {
    let hub = try SettingsPage(services)
    let profile = try ProfileSettingsPages(services)
    let language = try LanguageSettingsPages(services)
    let zone = TimeZonePages(services)
    let password = try PasswordSettingsPages(services)
    let email = try EmailSettingsPages(services)
    let confirm = try EmailConfirmPages(services)
    let undo = try EmailUndoPages(services)
    let sessions = try SessionSettingsPages(services)
    let devices = try DeviceSettingsPages(services)
    return [
      Route(.get, "/settings", .atLeast(.guest), options: .noStore, handler: hub.show),
      Route(
        .get, "/settings/profile", .atLeast(.guest), options: .noStore, handler: profile.show),
      Route(
        .post, "/settings/profile", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        bodyLimit: 26 << 20, handler: profile.save),
      Route(
        .get, "/settings/language", .atLeast(.guest), options: .noStore, handler: language.show),
      Route(
        .post, "/settings/language", .atLeast(.guest), options: .noStore, handler: language.save),
      Route(.post, "/settings/zone", .atLeast(.guest), options: .noStore, handler: zone.answer),
      Route(
        .get, "/settings/password", .atLeast(.member), options: .noStore, handler: password.show),
      Route(
        .post, "/settings/password", .atLeast(.member), options: .noStore, handler: password.save),
      Route(.get, "/settings/email", .atLeast(.member), options: .noStore, handler: email.show),
      Route(.post, "/settings/email", .atLeast(.member), options: .noStore, handler: email.save),
      Route(
        .get, "/settings/email/confirm", .anyone, options: .noStore,
        handler: confirm.link.handler(confirm.show)),
      Route(
        .post, "/settings/email/confirm", .anyone, options: .noStore,
        handler: confirm.link.handler(confirm.submit)),
      Route(
        .get, "/settings/email/undo", .anyone, options: .noStore,
        handler: undo.link.handler(undo.show)),
      Route(
        .post, "/settings/email/undo", .anyone, options: .noStore,
        handler: undo.link.handler(undo.submit)),
      Route(
        .get, "/settings/sessions", .atLeast(.guest), options: .noStore, handler: sessions.show),
      Route(
        .post, "/settings/sessions", .atLeast(.guest), options: .noStore, handler: sessions.end),
      Route(
        .get, AccountLinks.deviceSettings, .atLeast(.guest), options: .noStore,
        handler: devices.show),
      Route(
        .post, AccountLinks.deviceSettings, .atLeast(.guest), options: .noStore,
        handler: devices.release),
    ]
  }
}
