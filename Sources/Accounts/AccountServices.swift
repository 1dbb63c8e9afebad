import Basics
import Images
import Mail
import Secrets
import Web

/// What the pages of this room share.
struct AccountServices: Sendable {
  let site: Site
  let people: PersonStore
  let couples: CoupleStore
  let sessions: SessionStore
  let secondFactor: SecondFactorService
  let waitingSignIns: WaitingSignInStore
  let staff: StaffStore
  let registration: RegistrationService
  let guests: GuestStore
  let pairing: PairingService
  let parting: PartingService
  let resets: ResetStore
  let tokens: TokenService
  let devices: DeviceStore
  let mailedCodes: MailedCodeStore
  let appMails: AppMails
  let mails: AccountMails
  let limits: RateLimitStore
  let passwordRules: PasswordRules
  let hasher: PasswordHasher
  let legal: LegalTexts
  let settings: SettingsServices
  let workshop: PictureWorkshop
  let mediaFolder: String
  let participants: @Sendable () -> [any AccountParticipant]
  let leaving: Leaving
  let exports: ExportStore

  /// The hash of a password that may be chosen, or the error to show. Throws 503 when too many
  /// others are at it.
  func hash(
    _ password: String, email: String?, _ errors: inout [String: FieldError]
  ) throws -> String? {
    guard accepts(password, email: email, &errors) else { return nil }
    return try Self.patiently { try hasher.hash(password) }
  }

  /// Whether a password may be chosen; else the error to show.
  func accepts(
    _ password: String, email: String?, _ errors: inout [String: FieldError]
  ) -> Bool {
    if password.isEmpty {
      errors["password"] = .empty("password")
      return false
    }
    if let problem = passwordRules.problem(with: password, email: email) {
      errors["password"] = Self.error(for: problem)
      return false
    }
    return true
  }

  func purgeMailedCodes(now: Instant) throws {
    try site.database.write { try mailedCodes.purge(now: now, in: $0) }
  }

  /// Turns "too many are hashing" into 503.
  static func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch PasswordHashingError.busy {
      throw Problem.busy()
    }
  }

  /// What follows when somebody has shown who they are, by a password or otherwise: signed in, or
  /// asked for their second factor first; who deleted their account is asked whether to come back.
  /// Every way of signing in ends here.
  func welcome(
    _ person: Credentials, next: String, _ request: Request, _ context: Context
  ) throws -> Response {
    if try secondFactor.isOn(person.id) {
      return try SignInCodePage.ask(person.id, next: next, self, context)
    }
    if let deletedAt = person.deletedAt {
      return RestorePages.offer(person.id, deletedAt: deletedAt, context)
    }
    try signIn(person.id, role: person.role, request, context)
    context.say("toast.signed_in")
    return .seeOther(afterSignIn(next, context))
  }

  /// Signs a person in on this browser, who has shown all there is to show.
  func signIn(
    _ person: ID<Person>, role: Role, _ request: Request, _ context: Context
  ) throws {
    let token = try site.database.write { writer in
      try sessions.start(
        for: person, role: role, browser: request.headers[.userAgent] ?? "", now: context.now,
        in: writer)
    }
    if role >= .member, let guest = context.viewer, guest.role == .guest, guest.id != person {
      try MergePage.offer.set(guest.id.description, for: person, context)
    }
    context.startSession(token, lifetime: SessionStore.lifetime(role))
    try remember(person, context)
  }

  /// Marks this browser as one on which somebody was in with the password that holds now.
  func remember(_ person: ID<Person>, _ context: Context) throws {
    let hash = try site.database.read { try people.passwordHash(of: person, in: $0) }
    if let hash { DeviceCookie.remember(person, passwordHash: hash, context) }
  }

  /// Whether somebody was in on this browser before, with the password that still holds.
  func isKnownDevice(_ person: ID<Person>, _ context: Context) throws -> Bool {
    let hash = try site.database.read { try people.passwordHash(of: person, in: $0) }
    return DeviceCookie.knows(person, passwordHash: hash, context)
  }

  /// Where somebody goes who just signed in: a guest's data is asked about first.
  func afterSignIn(_ next: String, _ context: Context) -> String {
    context.viewer?.role == .guest ? AccountLinks.merge(next: next) : next
  }

  private static func error(for problem: PasswordProblem) -> FieldError {
    switch problem {
    case .tooShort: FieldError("error.password_short")
    case .tooLong: FieldError("error.password_long")
    case .hasNull: FieldError("error.password_bad")
    case .common: FieldError("error.password_common")
    case .sameAsEmail: FieldError("error.password_email")
    }
  }
}
