import Core
import Web

/// `POST /api/v1/account/restore`: restores a deleted account and signs in.
struct RestoreAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/account/restore", .anyone,
        Operation(
          "Restore a deleted account", .account,
          note: """
            Available for 30 days. Takes the same fields as signing in, restores the account and \
            signs in. 409 if the account is not deleted (sign in instead) or another account now \
            uses its address. After 30 days the address is unknown: 401.
            """,
          errors: [
            .invalidCredentials, .secondFactorRequired, .deviceAlreadyBound, .conflict,
            .rateLimited, .unavailable,
          ]), options: .withoutViewer, handler: restore)
    ]
  }

  @Sendable private func restore(
    _ input: APICredentials, _ context: Context
  ) throws -> TokenResponse {
    try APISignIn(services: services).tokens(input, context) { person, writer in
      // Restoring and signing in are one transaction, so an account is not restored if the sign-in
      // fails.
      guard let deletedAt = person.deletedAt,
        try services.accountDeletion.restore(
          person.id, deletedAt: deletedAt, language: context.language, now: context.now,
          in: writer) != nil
      else { return Problem(.conflict) }
      return nil
    }
  }
}
