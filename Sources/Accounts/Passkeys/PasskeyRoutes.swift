import Web

/// The routes of passkeys.
enum PasskeyRoutes {
  static func all(_ services: AccountsEnvironment) throws -> [Route] {
    let pages = PasskeySignInPages(services)
    let settings = try PasskeySettingsPages(services)
    return [
      Route(
        .get, AccountLinks.passkeySignIn, .signedOut, options: .noStore,
        handler: pages.signInOptions),
      Route(
        .post, AccountLinks.passkeySignIn, .signedOut, options: [.noStore, .paragraphs],
        handler: pages.signIn),
      Route(
        .get, AccountLinks.passkeyRegistration, .anyone, options: .noStore,
        handler: pages.registrationOptions),
      Route(
        .get, AccountLinks.passkeyConfirm, .atLeast(.member), options: .noStore,
        handler: pages.confirmOptions),
      Route(
        .post, AccountLinks.passkeyConfirm, .atLeast(.member), options: [.noStore, .paragraphs],
        handler: pages.confirm),
      Route(
        .get, AccountLinks.newPasskeyOptions, .atLeast(.member), options: .noStore,
        handler: settings.options),
      Route(
        .get, AccountLinks.newPasskey, .atLeast(.member), options: .noStore,
        handler: settings.showNew),
      Route(
        .post, AccountLinks.newPasskey, .atLeast(.member), options: [.noStore, .paragraphs],
        handler: settings.add),
      Route(
        .get, "\(AccountLinks.passkeySettings)/:id", .atLeast(.member), options: .noStore,
        handler: settings.show),
      Route(
        .post, "\(AccountLinks.passkeySettings)/:id", .atLeast(.member), options: .noStore,
        handler: settings.change),
    ]
  }
}
