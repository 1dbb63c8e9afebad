import Web

/// Every address, in one table: the features' routes, and those of the application.
enum Routes {
  /// The modules in the tab bar, in order; a tab is listed once its page works.
  static let tabs = [
    AppEnvironment.NavigationItem(path: "/", icon: "home", textKey: "tab.feed"),
    AppEnvironment.NavigationItem(path: "/checkin", icon: "ghost", textKey: "tab.checkin"),
    AppEnvironment.NavigationItem(path: "/album", icon: "image", textKey: "tab.album"),
    AppEnvironment.NavigationItem(path: "/workouts", icon: "bike", textKey: "tab.workouts"),
    AppEnvironment.NavigationItem(path: "/groups", icon: "compass", textKey: "tab.groups"),
  ]

  /// Throws if the template of a shell, of the help or of the API page doesn't compile.
  static func all(
    site: AppEnvironment, features: Features, system: SystemPages, staffHealth: StaffHealthPages,
    shells: ShellPages,
    devMail: DevMailPages?, resendWebhook: ResendWebhook?
  ) throws -> [Route] {
    var routes = features.accounts.routes + features.feed.routes + features.checkInRoutes
    let album = features.album
    routes += album.routes + [features.feed.publishing.photoRoute(file: album.useOwnFile)]
    routes +=
      features.trainings.routes + features.workouts.routes + features.groupRoutes
      + features.messages.routes + features.moments.routes + features.moderation.routes
      + features.notices.routes + features.wallet.routes
    routes += try shells.routes() + HelpPages(site: site).routes
    routes.append(try features.accounts.staffRoute(health: staffHealth.state))
    // No session is looked up, so a broken database is reported instead of failing the request.
    let watched: Route.Options = [.noStore, .withoutViewer, .asOnThisMachine]
    routes += [
      Route(.get, "/csrf", .anyone, options: .noStore, handler: system.csrf),
      Route(
        .get, StaffHealthPages.path, .atLeast(.admin), options: .noStore,
        handler: staffHealth.show),
      Route(.get, "/healthz", .anyone, options: watched, handler: system.healthz),
      Route(.get, "/metrics", .anyone, options: watched, handler: system.metrics),
    ]
    if let devMail {
      routes += [
        Route(.get, "/dev/mail", .anyone, options: .noStore, handler: devMail.show),
        Route(.get, "/dev/mail/:name", .anyone, options: .noStore, handler: devMail.showHTML),
      ]
    }
    if let resendWebhook {
      routes.append(
        Route(
          .post, ResendWebhook.path, .anyone, options: [.noStore, .withoutCSRF, .rawBody],
          bodyLimit: ResendWebhook.bodyLimit, handler: resendWebhook.take))
    }
    return routes + (try APIPages(site: site, routes: routes).routes)
  }
}
