import Web

/// The addresses of this room (pages.md).
enum AccountRoutes {
  static func all(_ services: AccountServices) throws -> [Route] {
    let register = try RegisterPages(services)
    let waiting = try WaitingPage(services)
    let verify = try VerifyPages(services)
    let signIn = try SignInPages(services)
    let reset = try ResetPages(services)
    let legal = try LegalPages(services)
    let couple = try CoupleEditPages(services)
    let preferences = PreferencePages(services)
    let avatars = AvatarMedia(services)
    let leaving = try LeavingRoutes.all(services)
    return [
      Route(.get, "/register", .signedOut, handler: register.showCouple),
      Route(.post, "/register", .signedOut, handler: register.registerCouple),
      Route(.get, "/register/alone", .signedOut, handler: register.showAlone),
      Route(.post, "/register/alone", .signedOut, handler: register.registerAlone),
      Route(.get, "/register/waiting", .anyone, options: .noStore, handler: waiting.show),
      Route(.post, "/register/waiting", .anyone, options: .noStore, handler: waiting.change),
      Route(.get, "/verify", .anyone, options: .noStore, handler: verify.showButton),
      Route(.post, "/verify", .anyone, options: .noStore, handler: verify.pressButton),
      Route(.get, "/register/complete", .anyone, options: .noStore, handler: verify.showForm),
      Route(.post, "/register/complete", .anyone, options: .noStore, handler: verify.sendForm),
      Route(.get, "/sign-in", .signedOut, handler: signIn.show),
      Route(.post, "/sign-in", .signedOut, handler: signIn.signIn),
      Route(.post, "/sign-out", .anyone, handler: signIn.signOut),
      Route(.get, "/reset", .signedOut, handler: reset.show),
      Route(.post, "/reset", .signedOut, handler: reset.send),
      Route(.get, "/reset/confirm", .anyone, options: .noStore, handler: reset.showConfirm),
      Route(.post, "/reset/confirm", .anyone, options: .noStore, handler: reset.save),
      Route(.get, "/terms", .anyone, handler: legal.showTerms),
      Route(.get, "/privacy", .anyone, handler: legal.showPrivacy),
      Route(.get, "/about", .anyone, handler: legal.showAbout),
      Route(.post, "/language", .anyone, handler: preferences.setLanguage),
      Route(.post, "/theme", .anyone, handler: preferences.setTheme),
      Route(.get, "/couples/:id/edit", .atLeast(.member), handler: couple.show),
      Route(
        .post, "/couples/:id/edit", .atLeast(.member), bodyLimit: 26 << 20,
        handler: couple.save),
      Route(.get, "/media/couples/:id/avatar/:file", .anyone, handler: avatars.send),
    ] + leaving
  }
}
