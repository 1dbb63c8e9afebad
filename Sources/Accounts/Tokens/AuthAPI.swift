import Core
import Database
import Secrets
import Web

/// `/api/v1/auth/…`: signing in, refreshing and signing out with an app.
struct AuthAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let refreshing = Operation(
      "Refresh the tokens", .signingIn,
      note: """
        Send the refresh token as `Authorization: Bearer` or in the body; the body takes \
        precedence, and 401 is returned if both are missing. Each refresh token can be used once. \
        Reusing it within 10 s returns the same pair again. Reusing it later, or with a \
        `device_id` other than that of the sign-in, returns 401 `invalid_token` and immediately \
        revokes all refresh and access tokens of that sign-in; other sign-ins are not affected. An \
        unused token sent with a different `device_id` returns 403 `device_already_bound` and \
        revokes nothing. A request without `device_id` is treated as coming from the same device.
        """, errors: [.invalidToken, .tokenExpired, .deviceAlreadyBound], proof: .refreshToken)
    return [
      .api(
        .post, "/auth/login", .anyone,
        Operation(
          "Sign in", .signingIn,
          note: """
            If two-factor authentication is on, `totp` must be a code from the app or a recovery \
            code. 403 `forbidden` means that the account is deleted; `POST /account/restore` \
            restores it.
            """,
          errors: [
            .invalidCredentials, .secondFactorRequired, .deviceAlreadyBound, .forbidden,
            .rateLimited, .unavailable,
          ]), options: .withoutViewer, handler: login),
      .api(
        .post, "/auth/token/refresh", .anyone, refreshing,
        options: [.withoutViewer, .emptyBody], handler: refresh),
      .api(
        .post, "/auth/refresh", .anyone, refreshing, options: [.withoutViewer, .emptyBody],
        handler: refresh),
      .api(
        .post, "/auth/logout", .anyone,
        Operation(
          "Sign out", .signingIn,
          note: """
            Requires the access token (or a session) or `refresh_token` in the body; otherwise \
            401. `refresh_token` is sufficient if the access token has expired. Releases the \
            device if it is still bound.
            """, errors: [.invalidToken, .tokenExpired]), options: [.anyToken, .emptyBody],
        handler: logout),
      .api(
        .post, "/auth/reauthenticate", .atLeast(.member),
        Operation(
          "Request a reauthentication code by mail", .signingIn,
          note: """
            The code has six digits, is valid for 10 minutes and one use, and allows 5 attempts. \
            Send it as `code` instead of `password`. It is valid only for the sign-in and the \
            action that it was requested for.
            """,
          errors: [.rateLimited]), options: .emptyBody, handler: reauthenticate),
    ]
  }

  // MARK: Signing in

  @Sendable private func login(
    _ input: APICredentials, _ context: Context
  ) throws -> TokenResponse {
    try APISignIn(services: services).tokens(input, context) { person, _ in
      // A deleted account is restored by another call.
      person.deletedAt == nil ? nil : Problem(.forbidden)
    }
  }

  // MARK: Refreshing

  struct Refresh: JSONRequest {
    var token: String?
    var device: ID<Device>?

    static let jsonFields: [InputField<Self>] = [
      .optional(
        "refresh_token", note: "Required if it is not in the header.",
        bounds: TextFieldLimits.token,
        example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .optional(
        "device_id",
        note:
          "Must match the device of the sign-in. If that has none, this one is bound."
      ) { $0.device = $1 },
    ]
  }

  @Sendable private func refresh(_ input: Refresh, _ context: Context) throws -> TokenResponse {
    guard let token = (input.token ?? context.bearerToken).flatMap({ Token($0) }) else {
      throw Problem(.invalidToken)
    }
    let pair = try services.tokens.refresh(
      token, from: .init(device: input.device, app: context.userAgent), now: context.now
    ) { context.note(.refreshTokenReused, of: .person($0)) }
    return try services.answer(pair, now: context.now)
  }

  // MARK: Signing out

  struct Logout: JSONRequest {
    var token: String?
    var device: ID<Device>?

    static let jsonFields: [InputField<Self>] = [
      .optional(
        "refresh_token", note: "Required if the access token is missing or expired.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .optional("device_id", note: "If this is not the bound device, the bound device stays bound.")
      {
        $0.device = $1
      },
    ]
  }

  @Sendable private func logout(_ input: Logout, _ context: Context) throws -> NoContent {
    let token = input.token.flatMap { Token($0) }
    if context.viewer == nil, token == nil {
      // Throws a more specific error if the access token has only expired.
      if let access = context.bearerToken {
        _ = try services.tokens.caller(access, now: context.now)
      }
      throw Problem(.invalidToken)
    }
    try services.site.database.write { writer in
      var ending: [(family: ID<TokenFamily>, person: ID<Person>)] = []
      if let viewer = context.viewer, let family = context.tokenFamily {
        ending.append((family, viewer.id))
      }
      if let token, let owner = try services.tokens.owner(of: token, in: writer) {
        ending.append(owner)
      }
      for (family, person) in ending {
        try services.tokens.end(family, of: person, device: input.device, in: writer)
      }
      for person in Set(ending.map(\.person)) {
        for participant in services.participants() {
          try participant.signOut(person, now: context.now, in: writer)
        }
      }
    }
    // A script of a page signs its browser out.
    if let viewer = context.viewer, context.tokenFamily == nil {
      try services.accountDeletion.signOut(viewer, context)
      context.endSession()
    }
    return NoContent()
  }

  // MARK: Reauthentication

  struct Reauthentication: JSONRequest {
    var action: ProtectedAction?

    static let jsonFields: [InputField<Self>] = [
      .optional(
        "action", note: "The action that the code confirms; `device_release` if omitted.",
        example: "account_delete"
      ) { $0.action = $1 }
    ]
  }

  @Sendable private func reauthenticate(
    _ input: Reauthentication, _ context: Context
  ) throws -> AcceptedEmpty {
    try ReauthenticationService(input.action ?? .releaseDevice, services: services).mailCode(
      context)
    return AcceptedEmpty()
  }
}

extension AccountsEnvironment {
  /// Issued tokens as a response.
  func answer(_ pair: TokenPair, now: Instant) throws -> TokenResponse {
    let viewer = try tokens.caller(pair.access, now: now).viewer
    return TokenResponse(
      pair: pair, expiresIn: Int(pair.expiresIn(now: now)),
      profile: try tokens.profiles.profile(of: viewer))
  }
}
