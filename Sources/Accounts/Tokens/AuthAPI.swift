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
      "Get the next pair of tokens", .signingIn,
      note: """
        By `Authorization: Bearer` with the refresh token, or with it in the body, which counts \
        where both are sent; with neither it is 401. Each works once. Within 10 s of its use the \
        same token gets the same pair again. An old token that comes later, or with another \
        `device_id` than the sign-in's, is 401 `invalid_token` and ends the whole sign-in: all of \
        its refresh and access tokens, at once; other sign-ins stay. A token that wasn't used yet, \
        sent with another `device_id`, is 403 `device_already_bound` and ends nothing. A call \
        without `device_id` counts as from the same device.
        """, errors: [.invalidToken, .tokenExpired, .deviceAlreadyBound], proof: .refreshToken)
    return [
      .api(
        .post, "/auth/login", .anyone,
        Operation(
          "Sign in", .signingIn,
          note: """
            With a second factor turned on, `totp` is its code or a recovery code. 403 `forbidden` \
            is who deleted their account: `POST /account/restore` brings it back.
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
            One of two must be there, else it is 401: the access token (or a session), or \
            `refresh_token` in the body, which is enough when the access token is too old. Releases \
            the device, if it is still the bound one.
            """, errors: [.invalidToken, .tokenExpired]), options: [.anyToken, .emptyBody],
        handler: logout),
      .api(
        .post, "/auth/reauthenticate", .atLeast(.member),
        Operation(
          "Have a code mailed that shows who you are", .signingIn,
          note: """
            Six digits, 10 minutes, one use, 5 tries: as `code` in place of `password`, in calls of \
            the sign-in that asked for it and for the one action that it was asked for.
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
        "refresh_token", note: "Where it doesn't stand in the header.",
        bounds: TextFieldLimits.token,
        example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .optional(
        "device_id",
        note: "Another one than the sign-in's is refused; where it has none, this one is bound."
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
        "refresh_token", note: "Where there is no access token, or one that is too old.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .optional("device_id", note: "Where it isn't the bound one, that one stays bound.") {
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
        "action", note: "What the code is to confirm; `device_release` when left out.",
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
