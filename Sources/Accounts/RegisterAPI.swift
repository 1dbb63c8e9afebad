import Basics
import Secrets
import Web

/// `/api/v1/auth/register…`: registering with an app, by the same mails as on the pages.
struct RegisterAPI {
  private let services: AccountServices

  init(_ services: AccountServices) {
    self.services = services
  }

  var routes: [Route] {
    func route<In: JSONInput, Out: APIAnswer>(
      _ path: String, _ summary: String, note: String? = nil, errors: [APIErrorCode],
      _ handler: @escaping @Sendable (In, Context) throws -> Out
    ) -> Route {
      .api(
        .post, "/auth/register\(path)", .anyone,
        Operation(summary, .signingIn, note: note, errors: errors), options: .withoutViewer,
        handler: handler)
    }
    return [
      route(
        "/initiate", "Register as two",
        note: """
          Both get a mail with a link that works for 24 hours, while the registration waits for 7 \
          days. Nothing tells whether an address has an account.
          """,
        errors: [.rateLimited], initiate),
      route(
        "", "Register alone",
        note: "The same answer whether the address has an account or not.",
        errors: [.rateLimited, .unavailable], alone),
      route(
        "/verify", "Show that an address is yours, by the token of its mail",
        note: """
          `completion_token` is for `/auth/register/complete`. Who registered alone may send the \
          password along: then the account is ready, and there is none.
          """, errors: [.linkExpired, .unavailable], verify),
      route(
        "/complete", "Choose name and password", errors: [.linkExpired, .unavailable], complete),
      route(
        "/resend", "Send the partner's mail again",
        note: "With a new link, for 24 hours more. Whose own link ran out registers anew.",
        errors: [.linkExpired, .conflict, .rateLimited], resend),
      route(
        "/partner-email", "Correct the partner's address",
        errors: [.linkExpired, .conflict, .rateLimited], correct),
    ]
  }

  // MARK: Beginning

  struct Initiate: JSONInput {
    var emailA = ""
    var emailB = ""
    var coupleName = ""
    var anniversary = ""
    var acceptsTerms: Bool?

    static let jsonName = "RegistrationOfTwo"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "email_a", note: "One's own.", bounds: InputBounds.email, example: "mei@example.test"
      ) { $0.emailA = $1 },
      .required(
        "email_b", note: "The partner's.", bounds: InputBounds.email, example: "jun@example.test"
      ) {
        $0.emailB = $1
      },
      .required(
        "couple_name", note: "1 to \(AccountRules.coupleNameMost) characters.",
        bounds: InputBounds.filled, example: "Mei & Jun"
      ) { $0.coupleName = $1 },
      .required(
        "anniversary",
        note: "The day that you got together: not before 1900, and not after today.",
        bounds: InputBounds.day, example: "2020-01-17"
      ) {
        $0.anniversary = $1
      },
      .optional("accept_terms", note: InputBounds.termsNote) {
        $0.acceptsTerms = $1
      },
    ]
  }

  struct Initiated: JSONRecord {
    enum Status: String, JSONChoice {
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
          When the registration goes, unless both are in: 7 days. Each link works for 24 hours; \
          `POST /auth/register/resend` sends the partner's anew meanwhile.
          """
      ) { $0.expiresAt },
    ]
  }

  @Sendable private func initiate(
    _ input: Initiate, _ context: Context
  ) throws -> Accepted<Initiated> {
    let checked: CoupleRegistration
    do throws(CoupleRegistration.Wrong) {
      checked = try CoupleRegistration(
        emailA: input.emailA, emailB: input.emailB, coupleName: input.coupleName,
        anniversary: input.anniversary, accepts: true, now: context.now)
    } catch {
      throw Problem.invalid(error.errors)
    }
    let begun = try RegistrationDesk(services: services).couple(
      checked, by: services.appRegistrant(input.acceptsTerms, context), now: context.now)
    return Accepted(
      Initiated(
        couple: begun.futureCouple,
        expiresAt: context.now.adding(seconds: RegistrationStore.lifetime)))
  }

  struct Alone: JSONInput {
    var email = ""
    var displayName = ""
    var password = ""
    var acceptsTerms: Bool?

    static let jsonName = "RegistrationOfOne"
    static let jsonFields: [InputField<Self>] = [
      .required("email", bounds: InputBounds.email, example: "sam@example.test") { $0.email = $1 },
      .required(
        "display_name", note: "1 to \(AccountRules.displayNameMost) characters.",
        bounds: InputBounds.filled, example: "Sam"
      ) { $0.displayName = $1 },
      .required(
        "password", note: InputBounds.newPasswordNote, bounds: InputBounds.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
      .optional("accept_terms", note: InputBounds.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  @Sendable private func alone(_ input: Alone, _ context: Context) throws -> Taken {
    try Problem.forWrongFields {
      try RegistrationDesk(services: services).alone(
        name: input.displayName, email: input.email, password: input.password, accepts: true,
        by: services.appRegistrant(input.acceptsTerms, context), now: context.now)
    }
    return Taken()
  }

  // MARK: The link

  struct Verify: JSONInput {
    var token = ""
    var password: String?
    var acceptsTerms: Bool?

    static let jsonName = "Verification"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "token",
        note: "The `token` in the query of the link that was mailed; works for 24 hours.",
        bounds: InputBounds.token, example: InputBounds.tokenExample
      ) { $0.token = $1 },
      .optional(
        "password", note: "For who registered alone. \(InputBounds.newPasswordNote)",
        bounds: InputBounds.newPassword, example: "lantern river seven"
      ) { $0.password = $1 },
      .optional("accept_terms", note: InputBounds.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  struct Verified: JSONRecord {
    let person: ID<Person>
    let couple: ID<Couple>?
    let side: UserProfile.Side?
    let areBoth: Bool
    let completion: Token?

    static let jsonFields: [JSONField<Self>] = [
      JSONField("user_id") { $0.person },
      JSONField("couple_id", note: "Null for who registered alone.") { $0.couple },
      JSONField("role", note: "Null for who registered alone.") { $0.side },
      JSONField("email_verified", note: "Always true.", example: true) { _ in true },
      JSONField("both_verified", note: "Whether nobody is missing any more.") { $0.areBoth },
      JSONField(
        "completion_token", note: "Null when the account is ready.",
        example: InputBounds.tokenExample
      ) {
        $0.completion?.text
      },
    ]
  }

  @Sendable private func verify(_ input: Verify, _ context: Context) throws -> Verified {
    guard let token = Token(input.token) else { throw Problem(.linkExpired) }
    let (registration, side) = try open(.link(token), context)
    if registration.kind == .alone, let password = input.password {
      let person = try finish(
        .link(token), registration, side, name: registration.displayName, password: password,
        input.acceptsTerms, context
      ).person
      return Verified(person: person, couple: nil, side: nil, areBoth: true, completion: nil)
    }
    let registrations = services.registration.registrations
    return try services.site.database.write { writer in
      let completion = try registrations.makeCompletion(
        registration.id, side: side.number, now: context.now, in: writer)
      let isTwo = registration.kind == .couple
      let areBoth = try registration.sides.allSatisfy {
        try $0.person != nil
          || registrations.isVerified(registration.id, side: $0.number, in: writer.reader)
      }
      return Verified(
        person: registration.guest
          ?? registrations.person(registration.id, side: side.number),
        couple: isTwo ? registration.futureCouple : nil,
        side: isTwo ? (side.number == 1 ? .first : .second) : nil, areBoth: areBoth,
        completion: completion)
    }
  }

  // MARK: Completing

  struct Complete: JSONInput {
    var token = ""
    var password = ""
    var displayName: String?
    var acceptsTerms: Bool?

    static let jsonName = "Completion"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Works as long as the registration waits.",
        bounds: InputBounds.token, example: InputBounds.tokenExample
      ) { $0.token = $1 },
      .required(
        "password", note: InputBounds.newPasswordNote, bounds: InputBounds.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
      .optional(
        "display_name",
        note: """
          1 to \(AccountRules.displayNameMost) characters. Who registered alone has said it before \
          and may leave it out.
          """, bounds: InputBounds.filled, example: "Mei"
      ) { $0.displayName = $1 },
      .optional("accept_terms", note: InputBounds.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  struct Completed: JSONRecord {
    enum Status: String, JSONChoice {
      case pending
      case active
    }

    let status: Status?

    static let jsonFields: [JSONField<Self>] = [
      JSONField("couple_status", note: "Null for who registered alone.") { $0.status }
    ]
  }

  @Sendable private func complete(_ input: Complete, _ context: Context) throws -> Completed {
    guard let token = Token(input.token) else { throw Problem(.linkExpired) }
    let (registration, side) = try open(.completion(token), context)
    let name =
      input.displayName ?? (registration.kind == .alone ? registration.displayName : "")
    let made = try finish(
      .completion(token), registration, side, name: name, password: input.password,
      input.acceptsTerms, context)
    guard registration.kind == .couple else { return Completed(status: nil) }
    return Completed(status: made.isWaiting ? .pending : .active)
  }

  /// A registration whose side is still to be completed. Throws 410.
  private func open(
    _ proof: RegistrationService.Proof, _ context: Context
  ) throws -> PendingRegistration.Open {
    let people = services.people
    let found = try services.site.database.read { reader -> PendingRegistration.Open? in
      guard
        let (registration, number) = try services.registration.find(
          proof, now: context.now, in: reader),
        let side = registration.side(number), side.person == nil,
        // An existing member's link is for pairing.
        try people.standing(emailHash: people.hash(side.email), in: reader) == .free
      else { return nil }
      return (registration, side)
    }
    guard let found else { throw Problem(.linkExpired) }
    return found
  }

  private func finish(
    _ proof: RegistrationService.Proof, _ registration: PendingRegistration,
    _ side: PendingRegistration.Side, name typed: String, password: String, _ accepts: Bool?,
    _ context: Context
  ) throws -> (person: ID<Person>, isWaiting: Bool) {
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      typed, most: AccountRules.displayNameMost, field: "display_name", &errors)
    let isFine = services.accepts(password, email: side.email, &errors)
    guard errors.isEmpty, isFine else { throw Problem.invalid(errors) }
    let hash = try AccountServices.patiently { try services.hasher.hash(password) }
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: hash, language: registration.language, timeZone: nil,
      termsVersion: accepts == true ? services.legal.termsVersion : nil)
    guard let made = try services.registration.complete(proof, completion, now: context.now)
    else { throw Problem(.linkExpired) }
    context.site.metrics.count("pairspot_people_total")
    return made
  }

  // MARK: The partner

  struct Resend: JSONInput {
    var token = ""

    static let jsonName = "Resending"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Works as long as the registration waits.",
        bounds: InputBounds.token, example: InputBounds.tokenExample
      ) { $0.token = $1 }
    ]
  }

  @Sendable private func resend(_ input: Resend, _ context: Context) throws -> Taken {
    let (registration, partner) = try waiting(input.token, context)
    try services.registration.resend(registration, only: partner.number, now: context.now)
    return Taken()
  }

  struct Correct: JSONInput {
    var token = ""
    var email = ""

    static let jsonName = "PartnerAddress"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Works as long as the registration waits.",
        bounds: InputBounds.token, example: InputBounds.tokenExample
      ) { $0.token = $1 },
      .required("email", bounds: InputBounds.email, example: "jun@example.test") { $0.email = $1 },
    ]
  }

  @Sendable private func correct(_ input: Correct, _ context: Context) throws -> Taken {
    let (registration, partner) = try waiting(input.token, context)
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(input.email, field: "email", &errors)
    if let email, registration.isOwn(email, butOf: partner.number) {
      errors["email"] = FieldError("error.email_same")
    }
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    try services.registration.correct(
      registration, side: partner.number, email: email, now: context.now)
    return Taken()
  }

  /// The registration of somebody who followed their own link, and the partner who is missing.
  /// Throws 410, and 409 where nobody is missing.
  private func waiting(
    _ typed: String, _ context: Context
  ) throws -> (PendingRegistration, PendingRegistration.Side) {
    guard let token = Token(typed),
      let (registration, number) = try services.site.database.read({
        try services.registration.find(.completion(token), now: context.now, in: $0)
      })
    else { throw Problem(.linkExpired) }
    guard let partner = registration.sides.first(where: { $0.number != number }),
      partner.person == nil
    else { throw Problem(.conflict) }
    return (registration, partner)
  }
}

extension AccountServices {
  /// Who registers with an app: no browser is bound to it, so the link in the mail asks for the
  /// password wherever it is opened.
  func appRegistrant(_ accepts: Bool?, _ context: Context) -> Registrant {
    Registrant(
      language: context.language, termsVersion: accepts == true ? legal.termsVersion : "",
      browserHash: Token.random().sha256, address: context.address)
  }
}

extension Problem {
  /// Turns what is wrong with fields into 422.
  @discardableResult
  static func forWrongFields<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let wrong as WrongFields {
      throw Problem.invalid(wrong.errors)
    }
  }
}
