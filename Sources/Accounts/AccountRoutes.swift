import Web

/// The routes of this module (docs/developer/pages-and-forms.md#addresses).
enum AccountRoutes {
  static func all(_ services: AccountsEnvironment) throws -> [Route] {
    let register = try RegisterPages(services)
    let waiting = try RegistrationStatusPage(services)
    let verify = try VerifyPages(services)
    let signIn = try SignInPages(services)
    let code = try SignInCodePage(services)
    let reset = try PasswordResetPages(services)
    let secondFactor = try SecondFactorPages(services)
    let enrol = try StaffSetupPages(services)
    let role = try StaffRolePages(services)
    let staffSessions = try StaffSessionPages(services)
    let legal = try LegalPages(services)
    let couple = try CoupleEditPages(services)
    let preferences = PreferencePages(services)
    let recoveryCode = try RecoveryCodePage(services)
    let recover = try RecoverPage(services)
    let becomeMember = try BecomeMemberPage(services)
    let merge = try MergePage(services)
    let avatars = AvatarMedia(services)
    let pair = try PairPages(services)
    let accept = try PairAcceptPages(services)
    let part = try SeparationPages(services)
    return try [
      Route(.get, "/register", .signedOut, handler: register.showCouple),
      Route(.post, "/register", .signedOut, handler: register.registerCouple),
      Route(.get, "/register/alone", .signedOut, handler: register.showAlone),
      Route(.post, "/register/alone", .signedOut, handler: register.registerAlone),
      Route(.get, "/register/waiting", .anyone, options: .noStore, handler: waiting.show),
      Route(.post, "/register/waiting", .anyone, options: .noStore, handler: waiting.change),
      Route(
        .get, "/verify", .anyone, options: .noStore, handler: verify.link.handler(verify.showButton)
      ),
      Route(
        .post, "/verify", .anyone, options: .noStore,
        handler: verify.link.handler(verify.pressButton)),
      Route(.get, AccountLinks.newLink, .anyone, options: .noStore, handler: verify.link.show),
      Route(.post, AccountLinks.newLink, .anyone, options: .noStore, handler: verify.link.send),
      Route(
        .get, "/register/complete", .anyone, options: .noStore,
        handler: verify.link.handler(verify.showForm)),
      Route(
        .post, "/register/complete", .anyone, options: [.noStore, .paragraphs],
        handler: verify.link.handler(verify.sendForm)),
      // `next` may contain the token of an invitation.
      Route(.get, "/sign-in", .signedOut, options: .noStore, handler: signIn.show),
      Route(.post, "/sign-in", .signedOut, options: .noStore, handler: signIn.signIn),
      Route(
        .post, AccountLinks.continueAsGuest, .signedOut, options: .noStore,
        handler: signIn.continueAsGuest),
      Route(.get, "/sign-in/code", .signedOut, options: .noStore, handler: code.show),
      Route(.post, "/sign-in/code", .signedOut, options: .noStore, handler: code.send),
      Route(.post, "/sign-out", .anyone, handler: signIn.signOut),
      Route(.get, "/reset", .signedOut, handler: reset.show),
      Route(.post, "/reset", .signedOut, handler: reset.send),
      Route(
        .get, "/reset/confirm", .anyone, options: .noStore,
        handler: reset.link.handler(reset.showConfirm)),
      Route(
        .post, "/reset/confirm", .anyone, options: .noStore, handler: reset.link.handler(reset.save)
      ),
      Route(.get, "/recover", .signedOut, options: .noStore, handler: recover.show),
      Route(.post, "/recover", .signedOut, options: .noStore, handler: recover.recover),
      Route(
        .get, "/settings/recovery-code", .atLeast(.guest), options: .noStore,
        handler: recoveryCode.show),
      Route(
        .post, "/settings/recovery-code", .atLeast(.guest), options: .noStore,
        handler: recoveryCode.renew),
      Route(.get, "/become-a-member", .atLeast(.guest), handler: becomeMember.show),
      Route(.post, "/become-a-member", .atLeast(.guest), handler: becomeMember.register),
      Route(.get, "/merge", .atLeast(.member), options: .noStore, handler: merge.show),
      Route(.post, "/merge", .atLeast(.member), options: .noStore, handler: merge.answer),
      Route(
        .get, "/settings/second-factor", .atLeast(.member), options: .noStore,
        handler: secondFactor.show),
      Route(
        .post, "/settings/second-factor", .atLeast(.member), options: .noStore,
        handler: secondFactor.turnOn),
      Route(
        .get, "/settings/second-factor/off", .atLeast(.member), options: .noStore,
        handler: secondFactor.askOff),
      Route(
        .post, "/settings/second-factor/off", .atLeast(.member), options: .noStore,
        handler: secondFactor.turnOff),
      Route(
        .get, "/settings/second-factor/codes", .atLeast(.member), options: .noStore,
        handler: secondFactor.askCodes),
      Route(
        .post, "/settings/second-factor/codes", .atLeast(.member), options: .noStore,
        handler: secondFactor.makeCodes),
      Route(
        .get, "/staff/enrol", .anyone, options: .noStore, handler: enrol.link.handler(enrol.show)),
      Route(
        .post, "/staff/enrol", .anyone, options: .noStore, handler: enrol.link.handler(enrol.send)),
      Route(
        .get, "\(AccountLinks.adminPeople)/:id/role", .atLeast(.admin), options: .noStore,
        handler: role.show),
      Route(
        .post, "\(AccountLinks.adminPeople)/:id/role", .atLeast(.admin), options: .noStore,
        handler: role.save),
      Route(
        .get, "\(AccountLinks.adminPeople)/:id/sessions", .atLeast(.admin), options: .noStore,
        handler: staffSessions.show),
      Route(
        .post, "\(AccountLinks.adminPeople)/:id/sessions", .atLeast(.admin), options: .noStore,
        handler: staffSessions.end),
      Route(.get, "/terms", .anyone, handler: legal.showTerms),
      Route(.get, "/privacy", .anyone, handler: legal.showPrivacy),
      Route(.get, "/about", .anyone, handler: legal.showAbout),
      Route(.post, "/language", .anyone, handler: preferences.setLanguage),
      Route(.post, "/theme", .anyone, handler: preferences.setTheme),
      Route(
        .get, "/couples/:id/edit", .atLeast(.member), options: .closedToSuspended,
        handler: couple.show),
      Route(
        .post, "/couples/:id/edit", .atLeast(.member), options: [.closedToSuspended, .paragraphs],
        bodyLimit: 26 << 20, handler: couple.save),
      Route(.get, "/pair", .atLeast(.member), options: .noStore, handler: pair.show),
      Route(.post, "/pair", .atLeast(.member), options: .noStore, handler: pair.send),
      Route(.get, "/pair/accept", .anyone, options: .noStore, handler: accept.show),
      Route(
        .post, "/pair/accept", .anyone, options: [.noStore, .paragraphs], handler: accept.accept),
      Route(.get, "/settings/part", .atLeast(.member), options: .noStore, handler: part.show),
      Route(.post, "/settings/part", .atLeast(.member), options: .noStore, handler: part.change),
      Route(.get, "/media/couples/:id/avatar/:file", .anyone, handler: avatars.send),
    ] + SettingsRoutes.all(services) + ProviderRoutes.all(services)
      + PasskeyRoutes.all(services)
      + AccountDeletionRoutes.all(services)
      + AccountAPI(services).routes + AuthAPI(services).routes
      + ProviderAPI(services).routes + RegisterAPI(services).routes
      + VerifyAPI(services).routes + PartnerAddressAPI(services).routes
      + GuestAPI(services).routes + PasswordAPI(services).routes + DeviceAPI(services).routes
      + AccountAPIRoutes.all(services)
  }
}
