import Core
import Database
import OpenIDConnect
import Web

/// `/api/v1/auth/sso/{provider}`: signing an app in with an ID token of a provider, and registering
/// (docs/developer/sign-in-providers.md#apps).
struct ProviderAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/auth/sso/:provider", .anyone,
        Operation(
          "Sign in with a provider", .signingIn,
          note: """
            `provider` is a name that the operator configured, such as `apple` or `google`; \
            others return 404. An unknown person is registered as a single member, if the provider \
            verified the address; otherwise 403 `email_not_verified`. 409 `conflict` means that the \
            address has an account: sign in with it, and link the provider on the website. If \
            two-factor authentication is on, `totp` is needed as for `POST /auth/login`. 403 \
            `forbidden` means that the account is deleted.
            """,
          errors: [
            .invalidToken, .secondFactorRequired, .invalidCredentials, .deviceAlreadyBound,
            .forbidden, .emailNotVerified, .registrationClosed, .conflict, .rateLimited,
            .unavailable,
          ], path: ["provider": "The provider's name."]), options: .withoutViewer, handler: signIn)
    ]
  }

  struct SignIn: JSONRequest {
    var idToken = ""
    var nonce = ""
    var device: ID<Device>?
    var user: User?
    var code: String?
    var acceptsTerms: Bool?
    var invitation: String?

    static let jsonName = "ProviderLogin"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "id_token", limits: FieldLimits(bytes: 16 << 10),
        note: "Issued by the provider for one of the operator's client ids within the last hour.",
        bounds: TextFieldLimits.filled, example: "eyJhbGciOi…"
      ) { $0.idToken = $1 },
      .required(
        "nonce", note: "The nonce of the request; the token has it, or its SHA-256 in hex.",
        bounds: TextFieldLimits.filled, example: "n-0S6_WzA2Mj"
      ) { $0.nonce = $1 },
      .optional("device_id", note: "Binds the device.") { $0.device = $1 },
      .optional("user_info", note: "Apple gives the name to apps the first time only.") {
        $0.user = $1
      },
      .optional("totp", note: "An app code or a recovery code.", example: "123456") {
        $0.code = $1
      },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
      .optional("invitation", note: TextFieldLimits.invitationNote) { $0.invitation = $1 },
    ]
  }

  struct User: JSONRequest {
    var firstName: String?
    var lastName: String?

    static let jsonName = "ProviderUser"
    static let jsonFields: [InputField<Self>] = [
      .optional("first_name", example: "Mei") { $0.firstName = $1 },
      .optional("last_name", example: "Lin") { $0.lastName = $1 },
    ]

    var name: String { [firstName, lastName].compactMap { $0 }.joined(separator: " ") }
  }

  @Sendable private func signIn(_ input: SignIn, _ context: Context) throws -> TokenResponse {
    let provider = try services.provider(context)
    try services.limits.count(ProviderPages.perAddress, context.address, now: context.now)
    let token = try checked(input, provider, context)
    let subject = ProviderSubject(token)
    let member = try services.site.database.write { writer in
      try services.identities.noteUse(subject, now: context.now, in: writer)
      return try services.identities.member(subject, in: writer)
    }
    let method = SignInMethod.provider(subject, session: token.sessionID)
    if let member {
      return try APISignIn(services: services).tokens(
        for: member, by: method, device: input.device, code: input.code, context
      ) { person, _ in person.deletedAt == nil ? nil : Problem(.forbidden) }
    }
    let identity = PendingIdentity(
      token, with: provider, name: input.user?.name, next: "/")
    let person = try register(identity, input, context)
    let pair = try services.site.database.write { writer in
      try services.tokens.start(
        person,
        from: .init(
          device: input.device, app: context.userAgent,
          session: services.origin(of: method, in: writer)), now: context.now, in: writer)
    }
    context.note(.signInSucceeded, of: .person(person))
    return try services.answer(pair, now: context.now)
  }

  private func checked(
    _ input: SignIn, _ provider: SignInProvider, _ context: Context
  ) throws -> IDToken {
    do {
      return try provider.client.idToken(
        input.idToken, expecting: .app(nonce: input.nonce), now: context.now)
    } catch let error as OpenIDError {
      context.noteError("sign-in with \(provider.name): \(error)")
      guard case .token = error else { throw Problem(.unavailable) }
      context.note(.signInFailed)
      throw Problem(.invalidToken)
    }
  }

  private func register(
    _ identity: PendingIdentity, _ input: SignIn, _ context: Context
  ) throws -> ID<Person> {
    guard let email = identity.email else { throw Problem(.emailNotVerified) }
    if try services.owner(of: identity) != nil { throw Problem(.conflict) }
    let name = identity.name.isEmpty ? context.text("api_auth.member_name") : identity.name
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: nil, identity: identity.subject,
      language: context.language, timeZone: nil)
    let made = try SignUpService(services: services).verified(
      email, couple: nil, completing: completion,
      by: services.appRegistrant(input.acceptsTerms, invitation: input.invitation, context),
      now: context.now)
    guard let made else { throw Problem(.conflict) }
    return made.person
  }
}
