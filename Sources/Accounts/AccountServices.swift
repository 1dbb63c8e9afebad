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
  let registration: RegistrationService
  let resets: ResetStore
  let mails: AccountMails
  let limits: RateLimitStore
  let passwordRules: PasswordRules
  let hasher: PasswordHasher
  let legal: LegalTexts
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
    if password.isEmpty {
      errors["password"] = .empty("password")
      return nil
    }
    if let problem = passwordRules.problem(with: password, email: email) {
      errors["password"] = Self.error(for: problem)
      return nil
    }
    return try Self.patiently { try hasher.hash(password) }
  }

  /// Turns "too many are hashing" into 503.
  static func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch PasswordHashingError.busy {
      throw Problem.busy()
    }
  }

  /// Signs a person in on this browser.
  func signIn(
    _ person: ID<Person>, role: Role, _ request: Request, _ context: Context
  ) throws {
    let token = try site.database.write { writer in
      try sessions.start(
        for: person, role: role, browser: request.headers[.userAgent] ?? "", now: context.now,
        in: writer)
    }
    context.startSession(token, lifetime: SessionStore.lifetime(role))
    DeviceCookie.remember(person, context)
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

extension [String: FieldError] {
  /// The sentences in the reader's language, by field.
  func texts(_ context: Context) -> [String: String] {
    mapValues { context.text($0.key, $0.parameters) }
  }
}

/// Marks a browser on which somebody signed in before, so that a stranger's failures don't lock
/// them out there (accounts.md, "Limits").
enum DeviceCookie {
  private static let lifetime: Int64 = .days(365)

  static func remember(_ person: ID<Person>, _ context: Context) {
    context.setCookie("device", Base64URL.text(mark(person, context)), maxAge: lifetime)
  }

  static func knows(_ person: ID<Person>, _ context: Context) -> Bool {
    guard let bytes = context.cookies["device"].flatMap({ Base64URL.bytes($0) }) else {
      return false
    }
    return ConstantTime.equal(bytes, mark(person, context))
  }

  static func forget(_ context: Context) {
    context.setCookie("device", "", maxAge: 0)
  }

  private static func mark(_ person: ID<Person>, _ context: Context) -> [UInt8] {
    Digests.hmac(person.bytes, key: context.site.keys.derivedKey(purpose: "device"))
  }
}
