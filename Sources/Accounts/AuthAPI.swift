import Basics
import Database
import Secrets
import Web

/// `/api/v1/auth/…`: signing in, going on and signing out with an app.
struct AuthAPI {
  private let services: AccountServices

  init(_ services: AccountServices) {
    self.services = services
  }

  var routes: [Route] {
    let refreshing = Operation(
      "Get the next pair of tokens", .signingIn,
      note: """
        By `Authorization: Bearer` with the refresh token, or with it in the body. Each works once; \
        within 10 s the same device gets the same pair again. Later, or from another device, the \
        whole sign-in ends.
        """, errors: [.invalidToken, .tokenExpired, .deviceAlreadyBound])
    return [
      .api(
        .post, "/auth/login", .anyone,
        Operation(
          "Sign in", .signingIn,
          note: "With a second factor turned on, `totp` is its code or a recovery code.",
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
            By the access token, or with the refresh token in the body when it is too old. Releases \
            the device, if it is still the bound one.
            """, errors: [.invalidToken, .tokenExpired]), options: [.anyToken, .emptyBody],
        handler: logout),
      .api(
        .post, "/auth/reauthenticate", .atLeast(.member),
        Operation(
          "Have a code mailed that shows who you are", .signingIn,
          note: "Six digits, 10 minutes, one use: as `code` wherever `password` asks again.",
          errors: [.rateLimited]), handler: reauthenticate),
    ]
  }

  // MARK: Signing in

  struct Login: JSONInput {
    var email = ""
    var password = ""
    var device: ID<Device>?
    var code: String?

    static let jsonFields: [InputField<Self>] = [
      .required("email", example: "mei@example.test") { $0.email = $1 },
      .required("password", example: "lantern river seven") { $0.password = $1 },
      .optional("device_id", note: "Binds the device.") { $0.device = $1 },
      .optional("totp", example: "123456") { $0.code = $1 },
    ]
  }

  private enum Outcome {
    case signedIn(TokenPair)
    case needsCode
    case wrongCode
    case gone
    case stale
  }

  @Sendable private func login(_ input: Login, _ context: Context) throws -> TokenAnswer {
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(input.email, field: "email", &errors)
    if input.password.isEmpty { errors["password"] = .empty("password") }
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    let found = try SignInDesk(services: services).person(
      email: email, password: input.password, from: context.address, now: context.now
    ) { try known($0, input.device) }
    guard let found else { throw Problem(.invalidCredentials) }
    let device = try known(found, input.device)
    // A code is used up in the transaction that signs in; a wrong one is counted, so not thrown.
    let outcome = try services.site.database.write {
      try signIn(found, input, on: device, context, in: $0)
    }
    switch outcome {
    case .signedIn(let pair):
      return try services.answer(pair, now: context.now)
    case .needsCode: throw Problem(.secondFactorRequired)
    case .wrongCode:
      throw Problem(.invalidCredentials, fields: ["totp": FieldError("error.code_wrong")])
    case .gone: throw Problem(.forbidden)
    case .stale: throw Problem(.invalidCredentials)
    }
  }

  private func signIn(
    _ person: Credentials, _ input: Login, on known: KnownDevice?, _ context: Context,
    in writer: Writer
  ) throws -> Outcome {
    guard try Shown.password(person).holds(services, in: writer.reader) else { return .stale }
    if try services.secondFactor.store.isOn(person.id, in: writer.reader) {
      guard let code = input.code, !code.isEmpty else { return .needsCode }
      let verdict = try services.secondFactor.judge(
        code, of: person.id, on: known, now: context.now, in: writer)
      if verdict == .wrong { return .wrongCode }
    }
    // Who deleted their account asks to come back, which is another call.
    if person.deletedAt != nil { return .gone }
    let pair = try services.tokens.start(
      person.id, from: .init(device: input.device, app: context.userAgent), now: context.now,
      in: writer)
    if let device = input.device, let hash = person.passwordHash {
      try services.devices.remember(
        device, of: person.id, passwordHash: hash, now: context.now, in: writer)
    }
    return .signedIn(pair)
  }

  /// The device, where somebody was in on it before: apps have no cookie that says so.
  private func known(_ person: Credentials, _ device: ID<Device>?) throws -> KnownDevice? {
    guard let device, let hash = person.passwordHash else { return nil }
    let isKnown = try services.site.database.read {
      try services.devices.knows(device, of: person.id, passwordHash: hash, in: $0)
    }
    return isKnown ? .app(person.id, device) : nil
  }

  // MARK: Going on

  struct Refresh: JSONInput {
    var token: String?
    var device: ID<Device>?

    static let jsonFields: [InputField<Self>] = [
      .optional("refresh_token", note: "Where it doesn't stand in the header.") { $0.token = $1 },
      .optional("device_id") { $0.device = $1 },
    ]
  }

  @Sendable private func refresh(_ input: Refresh, _ context: Context) throws -> TokenAnswer {
    guard let token = (input.token ?? context.bearerToken).flatMap({ Token($0) }) else {
      throw Problem(.invalidToken)
    }
    let pair = try services.tokens.refresh(
      token, from: .init(device: input.device, app: context.userAgent), now: context.now)
    return try services.answer(pair, now: context.now)
  }

  // MARK: Signing out

  struct Logout: JSONInput {
    var token: String?
    var device: ID<Device>?

    static let jsonFields: [InputField<Self>] = [
      .optional("refresh_token") { $0.token = $1 },
      .optional("device_id") { $0.device = $1 },
    ]
  }

  @Sendable private func logout(_ input: Logout, _ context: Context) throws -> Done {
    let token = input.token.flatMap { Token($0) }
    if context.viewer == nil, token == nil {
      // Says whether the access token is only too old.
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
      if let token, let owner = try services.tokens.owner(of: token, in: writer.reader) {
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
    // A page's own script signs its browser out.
    if let viewer = context.viewer, context.tokenFamily == nil {
      try services.leaving.signOut(viewer, context)
      context.endSession()
    }
    return Done()
  }

  // MARK: Asking again

  @Sendable private func reauthenticate(_ context: Context) throws -> Taken {
    let viewer = try context.signedIn()
    try services.limits.count(
      AskingAgain.mails, viewer.id.description, now: context.now)
    try services.site.database.write { writer in
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      guard let recipient else { return }
      let code = try services.mailedCodes.make(for: viewer.id, now: context.now, in: writer)
      try services.appMails.code(code, to: recipient, now: context.now, in: writer)
    }
    return Taken()
  }
}

extension AccountServices {
  /// Tokens as an app is given them.
  func answer(_ pair: TokenPair, now: Instant) throws -> TokenAnswer {
    let viewer = try tokens.caller(pair.access, now: now).viewer
    return TokenAnswer(
      pair: pair, expiresIn: Int(pair.expiresIn(now: now)),
      profile: try tokens.profiles.profile(of: viewer))
  }
}
