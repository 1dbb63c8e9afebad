import Core
import Secrets
import Web

/// `/api/v1/auth/register`, `…/initiate`: registering with an app, with the same mails as the
/// pages.
struct RegisterAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .registering(
        "/initiate", "Register as a couple",
        note: """
          Both partners receive a mail with a link that is valid for 24 hours. The registration \
          stays pending for 7 days. The response does not reveal whether an address has an account.
          """,
        errors: [.registrationClosed, .rateLimited], initiate),
      .registering(
        "", "Register alone",
        note: "The response is the same whether or not the address has an account.",
        errors: [.registrationClosed, .rateLimited, .unavailable], alone),
    ]
  }

  struct Initiate: JSONRequest {
    var emailA = ""
    var emailB = ""
    var coupleName = ""
    var anniversary = ""
    var acceptsTerms: Bool?
    var invitation: String?

    static let jsonName = "RegistrationOfTwo"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "email_a", note: "Your address.", bounds: TextFieldLimits.email, example: "mei@example.test"
      ) { $0.emailA = $1 },
      .required(
        "email_b", note: "Your partner's address.", bounds: TextFieldLimits.email,
        example: "jun@example.test"
      ) {
        $0.emailB = $1
      },
      .required(
        "couple_name", note: "1 to \(AccountRules.coupleNameLimits.characters) characters.",
        bounds: TextFieldLimits.filled, example: "Mei & Jun"
      ) { $0.coupleName = $1 },
      .optional(
        "anniversary",
        note:
          "The day you got together; not before 1900 and not in the future. It can be set later.",
        bounds: TextFieldLimits.day, example: "2020-01-17"
      ) {
        $0.anniversary = $1
      },
      .optional("accept_terms", note: TextFieldLimits.termsNote) {
        $0.acceptsTerms = $1
      },
      .optional("invitation", note: TextFieldLimits.invitationNote) { $0.invitation = $1 },
    ]
  }

  struct Initiated: JSONResponse {
    enum Status: String, JSONEnum {
      case pending
    }

    let couple: ID<Couple>
    let expiresAt: Instant

    static let jsonName = "RegistrationBegun"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("couple_id") { $0.couple },
      JSONField("status") { _ in Status.pending },
      JSONField(
        "expires_at",
        note: """
          The registration is deleted after 7 days unless both partners have completed it. Each \
          link is valid for 24 hours; while the registration is pending, `POST \
          /auth/register/resend` sends your partner a new one.
          """
      ) { $0.expiresAt },
    ]
  }

  @Sendable private func initiate(
    _ input: Initiate, _ context: Context
  ) throws -> Accepted<Initiated> {
    let checked: CoupleRegistration
    do throws(CoupleRegistration.InvalidFields) {
      checked = try CoupleRegistration(
        emailA: input.emailA, emailB: input.emailB, coupleName: input.coupleName,
        anniversary: input.anniversary, accepts: true, now: context.now)
    } catch {
      throw Problem.invalid(error.errors)
    }
    let begun = try SignUpService(services: services).couple(
      checked,
      by: services.appRegistrant(
        input.acceptsTerms, invitation: input.invitation, context), now: context.now)
    return Accepted(
      Initiated(
        couple: begun.futureCouple,
        expiresAt: context.now.adding(seconds: RegistrationStore.lifetime)))
  }

  struct Alone: JSONRequest {
    var email = ""
    var displayName = ""
    var password = ""
    var acceptsTerms: Bool?
    var invitation: String?

    static let jsonName = "RegistrationOfOne"
    static let jsonFields: [InputField<Self>] = [
      .required("email", bounds: TextFieldLimits.email, example: "sam@example.test") {
        $0.email = $1
      },
      .required(
        "display_name", note: "1 to \(AccountRules.displayNameLimits.characters) characters.",
        bounds: TextFieldLimits.filled, example: "Sam"
      ) { $0.displayName = $1 },
      .required(
        "password", note: TextFieldLimits.newPasswordNote, bounds: TextFieldLimits.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
      .optional("invitation", note: TextFieldLimits.invitationNote) { $0.invitation = $1 },
    ]
  }

  @Sendable private func alone(_ input: Alone, _ context: Context) throws -> AcceptedEmpty {
    try Problem.forValidationErrors {
      try SignUpService(services: services).alone(
        name: input.displayName, email: input.email, password: input.password, accepts: true,
        by: services.appRegistrant(
          input.acceptsTerms, invitation: input.invitation, context), now: context.now)
    }
    return AcceptedEmpty()
  }
}

extension Route {
  /// A route of the registration; it needs no signed-in user.
  static func registering<In: JSONRequest, Out: APIResponse>(
    _ path: String, _ summary: String, note: String? = nil, errors: [APIErrorCode],
    _ handler: @escaping @Sendable (In, Context) throws -> Out
  ) -> Route {
    .api(
      .post, "/auth/register\(path)", .anyone,
      Operation(summary, .signingIn, note: note, errors: errors), options: .withoutViewer,
      handler: handler)
  }
}

extension AccountsEnvironment {
  /// A registrant with an app. No browser is bound to the registration, so the mailed link asks for
  /// the password wherever it is opened.
  func appRegistrant(
    _ accepts: Bool?, invitation: String? = nil, _ context: Context
  ) -> Registrant {
    Registrant(
      language: context.language, termsVersion: accepts == true ? legal.termsVersion : "",
      browserHash: Token.random().sha256, address: context.address, invitation: invitation)
  }
}

extension Problem {
  /// Turns a `ValidationError` into 422.
  @discardableResult
  static func forValidationErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let wrong as ValidationError {
      throw Problem.invalid(wrong.errors)
    }
  }
}
