import Core
import Database
import Images
import Mail
import Media
import Secrets
import Web

/// Dependencies shared by the pages of this module.
struct AccountsEnvironment: Sendable {
  let site: AppEnvironment
  let people: PersonStore
  let couples: CoupleStore
  let sessions: SessionStore
  let secondFactor: SecondFactorService
  let staff: StaffStore
  let registration: RegistrationService
  let guests: GuestStore
  let pairing: PairingService
  let parting: SeparationService
  let tokens: TokenService
  let devices: DeviceStore
  let mailedCodes: MailedCodeStore
  let appMails: SecurityMailer
  let mails: AccountMailer
  let providers: [SignInProvider]
  let identities: ProviderIdentityStore
  let passkeys: PasskeyStore
  let providerMails: ProviderMailer
  let limits: RateLimitStore
  let passwordRules: PasswordRules
  let hasher: PasswordHasher
  let legal: LegalTexts
  let settings: SettingsEnvironment
  let imageProcessor: ImageProcessor
  let media: any MediaStore
  let participants: @Sendable () -> [any AccountParticipant]
  let accountDeletion: AccountDeletionService
  let exports: ExportStore
  let staffRecord: any AuditLogging
  /// The entries of the staff front page.
  let staffEntries: [AdminMenuItem]
  /// Tells a user that an export is ready, in the transaction that makes it so.
  let notifyExportReady: @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void
  /// The number of followers of a couple; another module stores them.
  let followerCount: @Sendable (ID<Couple>, ReadTransaction) throws -> Int
  /// Whether a text is the valid code of a group, which invites guests. Throws 429.
  let isGroupInvitation: @Sendable (String, Context) throws -> Bool

  var registrationAccess: RegistrationAccess { RegistrationAccess(site) }

  var timeZones: TimeZoneService {
    TimeZoneService(database: site.database, participants: participants)
  }

  /// Hashes a new password; nil with an error in `errors` if the password is not acceptable. Throws
  /// 503 if too many passwords are being hashed.
  func hash(
    _ password: String, email: String?, names: [String], _ errors: inout [String: FieldError]
  ) throws -> String? {
    guard accepts(password, email: email, names: names, &errors) else { return nil }
    return try Self.mappingBusyTo503 { try hasher.hash(password) }
  }

  /// Whether a new password is acceptable; otherwise adds an error. `names` are the names of the
  /// user and the couple, which the password must not consist of.
  func accepts(
    _ password: String, email: String?, names: [String],
    _ errors: inout [String: FieldError]
  ) -> Bool {
    if password.isEmpty {
      errors["password"] = .empty("password")
      return false
    }
    if let problem = passwordRules.problem(with: password, email: email, names: names) {
      errors["password"] = Self.error(for: problem)
      return false
    }
    return true
  }

  /// Deletes the rows of expired links, one table in a transaction.
  func purge(_ all: [LinkTokens<Person>], now: Instant) throws {
    for links in all { try site.database.write { try links.purge(now: now, in: $0) } }
  }

  func purgeMailedCodes(now: Instant) throws {
    try site.database.write { try mailedCodes.purge(now: now, in: $0) }
  }

  func purgePasskeyChallenges(now: Instant) throws {
    try site.database.write { try passkeys.purgeChallenges(now: now, in: $0) }
  }

  /// Maps `PasswordHashingError.busy` to 503.
  static func mappingBusyTo503<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch PasswordHashingError.busy {
      throw Problem.busy()
    }
  }

  /// The response after a user proved their identity, by password or otherwise: signs in, asks for
  /// the second factor unless a passkey has replaced it, or offers to restore a deleted account. Nil
  /// if the password is no longer valid. Every kind of sign-in ends here.
  func completeSignIn(
    _ person: Credentials, next: String, by method: SignInMethod = .other, _ context: Context
  ) throws -> Response? {
    enum Step {
      case stale
      case code(Token)
      case restore(Instant)
      case session(Token)
    }
    let shown = VerifiedCredentials.password(person)
    let step: Step = try site.database.write { writer in
      guard try shown.isStillValid(self, in: writer) else { return .stale }
      let origin = try origin(of: method, in: writer)
      if try origin.passkey == nil && secondFactor.store.isOn(person.id, in: writer) {
        return .code(
          try PendingSignInStore.begin(
            person.id, next: next, origin: origin, now: context.now, in: writer))
      }
      if let deletedAt = person.deletedAt { return .restore(deletedAt) }
      return .session(
        try session(of: person.id, person.role, origin, context, in: writer))
    }
    switch step {
    case .stale: return nil
    case .code(let token): return SignInCodePage.ask(token, context)
    case .restore(let deletedAt):
      return RestorePages.offer(person.id, deletedAt: deletedAt, context)
    case .session(let token):
      try enter(token, shown, role: person.role, context)
      context.flash("toast.signed_in")
      return .seeOther(afterSignIn(next, context))
    }
  }

  /// Signs a user in on this browser with credentials that were verified earlier. Returns false and
  /// does nothing if they are no longer valid.
  func signIn(
    _ shown: VerifiedCredentials, role: Role, origin: SessionOrigin = .other, _ context: Context
  ) throws -> Bool {
    let token: Token? = try site.database.write { writer in
      guard try shown.isStillValid(self, in: writer) else { return nil }
      return try session(of: shown.person, role, origin, context, in: writer)
    }
    guard let token else { return false }
    try enter(token, shown, role: role, context)
    return true
  }

  /// Signs in, on this browser, a user whose account was created or changed by this request.
  func signIn(
    _ person: ID<Person>, role: Role, by method: SignInMethod = .other, _ context: Context
  ) throws {
    let token = try site.database.write {
      try session(of: person, role, origin(of: method, in: $0), context, in: $0)
    }
    try startSession(token, person, role: role, context)
    try remember(person, context)
  }

  private func session(
    of person: ID<Person>, _ role: Role, _ origin: SessionOrigin, _ context: Context,
    in writer: WriteTransaction
  ) throws -> Token {
    try sessions.start(
      for: person, role: role, origin: origin,
      browser: context.request.headers[.userAgent] ?? "", now: context.now, in: writer)
  }

  /// Sets the browser's session cookie and, after a password, marks it as a trusted device.
  private func enter(
    _ token: Token, _ shown: VerifiedCredentials, role: Role, _ context: Context
  ) throws {
    try startSession(token, shown.person, role: role, context)
    if case .password(let credentials) = shown, let hash = credentials.passwordHash {
      TrustedDeviceCookie.remember(shown.person, passwordHash: hash, context)
    }
  }

  private func startSession(
    _ token: Token, _ person: ID<Person>, role: Role, _ context: Context
  ) throws {
    if let before = context.viewer, before.id != person,
      case .browser(let old)? = CurrentSession.own(context)
    {
      try leave(old, of: before, for: person, role, context)
    }
    context.startSession(token, lifetime: SessionStore.lifetime(role))
    context.note(.signInSucceeded, of: .person(person))
  }

  /// Ends the session that this browser had for another user. A guest's session stays valid for the
  /// lifetime of the offer to merge the guest's data into the member's account.
  private func leave(
    _ old: Token, of before: Viewer, for person: ID<Person>, _ role: Role, _ context: Context
  ) throws {
    let isOffered = before.role == .guest && role >= .member
    if isOffered { try MergePage.offer(before.id, old, to: person, context) }
    try site.database.write { writer in
      if isOffered {
        try sessions.limit(
          old, of: before.id, until: context.now.adding(seconds: MergePage.offer.lifetime),
          in: writer)
      } else {
        try sessions.end(hash: old.sha256, of: before.id, in: writer)
      }
    }
  }

  /// Marks this browser as a trusted device for the current password.
  func remember(_ person: ID<Person>, _ context: Context) throws {
    let hash = try site.database.read { try people.passwordHash(of: person, in: $0) }
    if let hash { TrustedDeviceCookie.remember(person, passwordHash: hash, context) }
  }

  /// Whether the user signed in on this browser before, with the current password.
  func isKnownDevice(_ person: ID<Person>, _ context: Context) throws -> Bool {
    let hash = try site.database.read { try people.passwordHash(of: person, in: $0) }
    return TrustedDeviceCookie.knows(person, passwordHash: hash, context)
  }

  /// Where to go after signing in: first to the merge page if the browser has a guest.
  func afterSignIn(_ next: String, _ context: Context) -> String {
    context.viewer?.role == .guest ? AccountLinks.merge(next: next) : next
  }

  private static func error(for problem: PasswordError) -> FieldError {
    switch problem {
    case .tooShort: FieldError("error.password_short")
    case .tooLong: FieldError("error.password_long")
    case .hasNull: FieldError("error.password_bad")
    case .common: FieldError("error.password_common")
    case .sameAsEmail: FieldError("error.password_email")
    case .contextWord: FieldError("error.password_names")
    }
  }
}
