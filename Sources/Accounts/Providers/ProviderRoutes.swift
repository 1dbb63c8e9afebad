import Web

/// The routes of signing in with a provider, and of confirming without a password.
enum ProviderRoutes {
  static func all(_ services: AccountsEnvironment) throws -> [Route] {
    let pages = ProviderPages(services)
    let notices = ProviderNotices(services)
    let registration = try ProviderRegistrationPages(services)
    let proof = try ProviderProofPages(services)
    let settings = try SignInSettingsPages(services)
    let confirm = try ConfirmPages(services)
    return [
      Route(
        .get, "/sign-in/with/:provider", .signedOut, options: .noStore, handler: pages.begin),
      Route(
        .get, "/sign-in/with/:provider/complete", .anyone, options: .noStore,
        handler: pages.complete),
      Route(
        .get, "/sign-in/with/:provider/callback", .anyone, options: .noStore,
        handler: pages.receive),
      Route(
        .post, "/sign-in/with/:provider/callback", .anyone, options: [.noStore, .withoutCSRF],
        bodyLimit: 32 << 10, handler: pages.receiveForm),
      Route(
        .post, "/sign-in/with/:provider/logout", .anyone,
        options: [.noStore, .withoutCSRF, .withoutViewer, .paragraphs],
        bodyLimit: ProviderNotices.bodyLimit, handler: notices.logOut),
      Route(
        .post, "/sign-in/with/:provider/notices", .anyone,
        options: [.noStore, .withoutCSRF, .withoutViewer, .rawBody],
        bodyLimit: ProviderNotices.bodyLimit, handler: notices.notice),
      Route(
        .get, "/sign-in/with/:provider/register", .signedOut, options: .noStore,
        handler: registration.show),
      Route(
        .post, "/sign-in/with/:provider/register", .signedOut, options: .noStore,
        handler: registration.register),
      Route(
        .get, "/sign-in/with/:provider/link", .signedOut, options: .noStore, handler: proof.show),
      Route(
        .post, "/sign-in/with/:provider/link", .signedOut, options: .noStore,
        handler: proof.prove),
      Route(
        .get, AccountLinks.signInSettings, .atLeast(.member), options: .noStore,
        handler: settings.show),
      Route(
        .get, "\(AccountLinks.signInSettings)/:provider", .atLeast(.member), options: .noStore,
        handler: settings.showProvider),
      Route(
        .post, "\(AccountLinks.signInSettings)/:provider", .atLeast(.member), options: .noStore,
        handler: settings.change),
      Route(
        .get, AccountLinks.confirm, .atLeast(.member), options: .noStore, handler: confirm.show),
      Route(
        .post, AccountLinks.confirm, .atLeast(.member), options: .noStore, handler: confirm.send),
      Route(
        .get, "\(AccountLinks.confirm)/:provider", .atLeast(.member), options: .noStore,
        handler: pages.confirm),
    ]
  }
}
