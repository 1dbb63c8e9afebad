import Core
import Secrets
import Web

/// `/api/v1/auth/register/verify`, `…/complete`: the steps after the mailed link.
struct VerifyAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .registering(
        "/verify", "Verify an address with the mailed token",
        note: """
          `completion_token` is for `/auth/register/complete`. A user who registered alone may \
          include the password; the account is then complete and `completion_token` is null. A \
          guest keeps their data by sending the password used for `/auth/guest/upgrade`; with a \
          different password, the new member starts without that data.
          """, errors: [.linkExpired, .unavailable], verify),
      .registering(
        "/complete", "Complete a registration", errors: [.linkExpired, .unavailable], complete),
    ]
  }

  // MARK: The link

  struct Verify: JSONRequest {
    var token = ""
    var password: String?
    var acceptsTerms: Bool?

    static let jsonName = "Verification"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "token",
        note: "The `token` query parameter of the mailed link; valid for 24 hours.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .optional(
        "password", note: "For users who registered alone. \(TextFieldLimits.newPasswordNote)",
        bounds: TextFieldLimits.newPassword, example: "lantern river seven"
      ) { $0.password = $1 },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  struct Verified: JSONResponse {
    let person: ID<Person>
    let couple: ID<Couple>?
    let side: UserProfile.Side?
    let areBoth: Bool
    let completion: Token?

    static let jsonFields: [JSONField<Self>] = [
      JSONField(
        "user_id",
        note: "A guest keeps their ID, unless a different password completes the registration."
      ) { $0.person },
      JSONField("couple_id", note: "Null for users who registered alone.") { $0.couple },
      JSONField("role", note: "Null for users who registered alone.") { $0.side },
      JSONField("email_verified", note: "Always true.", example: true) { _ in true },
      JSONField("both_verified", note: "Whether all addresses are verified.") { $0.areBoth },
      JSONField(
        "completion_token", note: "Null if the account is complete.",
        example: TextFieldLimits.tokenExample
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
          || registrations.isVerified(registration.id, side: $0.number, in: writer)
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

  struct Complete: JSONRequest {
    var token = ""
    var password = ""
    var displayName: String?
    var acceptsTerms: Bool?

    static let jsonName = "Completion"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Valid while the registration is pending.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .required(
        "password", note: TextFieldLimits.newPasswordNote, bounds: TextFieldLimits.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
      .optional(
        "display_name",
        note: """
          1 to \(AccountRules.displayNameLimits.characters) characters. Users who registered alone \
          have already given a name and may omit it.
          """, bounds: TextFieldLimits.filled, example: "Mei"
      ) { $0.displayName = $1 },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  struct Completed: JSONResponse {
    enum Status: String, JSONEnum {
      case pending
      case active
    }

    let status: Status?

    static let jsonFields: [JSONField<Self>] = [
      JSONField("couple_status", note: "Null for users who registered alone.") { $0.status }
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

  /// A registration with a side that has not completed. Throws 410.
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
        try people.status(emailHash: people.hash(side.email), in: reader) == .free
      else { return nil }
      return (registration, side)
    }
    guard let found else { throw Problem(.linkExpired) }
    return found
  }

  private func finish(
    _ proof: RegistrationService.Proof, _ registration: PendingRegistration,
    _ side: PendingRegistration.Side, name entered: String, password: String, _ accepts: Bool?,
    _ context: Context
  ) throws -> (person: ID<Person>, isWaiting: Bool) {
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      entered, limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    let isFine = services.accepts(
      password, email: side.email, names: [name, registration.coupleName], &errors)
    guard errors.isEmpty, isFine else { throw Problem.invalid(errors) }
    let isByGuest = try services.isOfGuest(registration, password)
    let hash = try AccountsEnvironment.mappingBusyTo503 { try services.hasher.hash(password) }
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: hash, language: registration.language, timeZone: nil,
      isByGuest: isByGuest,
      termsVersion: accepts == true ? services.legal.termsVersion : nil)
    guard let made = try services.registration.complete(proof, completion, now: context.now)
    else { throw Problem(.linkExpired) }
    return made
  }
}
