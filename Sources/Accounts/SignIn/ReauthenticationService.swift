import Core
import Secrets
import Web

/// Asks a member for their password once more before something dangerous, and a guest for their
/// recovery code; who has no password, or likes it better, has a code mailed. The form carries it as
/// `current_password`, `code` or `recovery_code`.
///
/// A guest who lost the code makes a new one in the settings, and the way there stands beside the
/// field. So the code stops nobody for good who holds the unlocked device, and need not: what it
/// takes is that two deliberate steps lie before what can't be undone, and that who goes away from
/// a device has the one thing with which they come back.
struct ReauthenticationService {
  /// How often a wrong password is taken from somebody who is signed in.
  static let failures = RateLimit("asking-again", most: 10, window: .hours(1))

  /// How many codes are mailed to one person.
  static let mails = RateLimit("asking-again-mails", most: 3, window: .hours(1))

  let services: AccountsEnvironment
  let action: ProtectedAction

  init(_ action: ProtectedAction, services: AccountsEnvironment) {
    self.action = action
    self.services = services
  }

  /// What somebody shows who is asked again.
  enum Proof {
    case password(String)
    /// Six digits that were mailed.
    case mailedCode(String)
    /// A guest's.
    case recoveryCode(String)
  }

  /// Whether a proof is right. Throws 429 after too many wrong ones and 503 when too many others
  /// are at it.
  func accepts(_ proof: Proof, _ context: Context) throws -> Bool {
    let viewer = try context.signedIn()
    let accepted =
      try services.limits.attempt(Self.failures, viewer.id.description, now: context.now) {
        try isRight(proof, of: viewer, context) ? () : nil
      } != nil
    if !accepted { context.note(.reauthenticationFailed, of: .person(viewer.id)) }
    return accepted
  }

  private func isRight(_ proof: Proof, of viewer: Viewer, _ context: Context) throws -> Bool {
    switch proof {
    case .password(let password):
      let hash = try services.people.passwordHash(of: viewer)
      return try AccountsEnvironment.mappingBusyTo503 {
        try services.hasher.verify(password, against: hash)
      }
    case .mailedCode(let typed):
      guard case .timed(let code)? = OneTimeCodeInput(typed) else { return false }
      return try services.site.database.write {
        try services.mailedCodes.use(
          code, of: viewer.id, CodeBinding(action, context), now: context.now, in: $0)
      }
    case .recoveryCode(let typed):
      return try GuestCode(typed).flatMap { try services.guests.find($0) }?.guest == viewer.id
    }
  }

  /// Asks whoever is there for what they have: notes an error for the field unless it is right.
  /// Throws 429 after too many wrong ones and 503 when too many others are at it.
  func checkAny(_ context: Context, _ errors: inout [String: FieldError]) throws {
    if try context.signedIn().role == .guest {
      try checkGuest(context, &errors)
    } else if context.form.has("code") {
      try checkCode(context, &errors)
    } else {
      try check(context, &errors)
    }
  }

  /// Notes an error for `current_password` unless it is right. Throws 429 after too many wrong
  /// ones and 503 when too many others are at it.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    try check(
      "current_password", wrong: "error.current_password", context, &errors
    ) { .password($0) }
  }

  /// The same for a code that was mailed, in `code`.
  func checkCode(_ context: Context, _ errors: inout [String: FieldError]) throws {
    try check("code", wrong: "error.mailed_code", context, &errors) { .mailedCode($0) }
  }

  /// The same for a guest's own code, in `recovery_code`.
  func checkGuest(_ context: Context, _ errors: inout [String: FieldError]) throws {
    try check(
      "recovery_code", wrong: "error.recovery_code_other", context, &errors
    ) { .recoveryCode($0) }
  }

  private func check(
    _ field: String, wrong: String, _ context: Context, _ errors: inout [String: FieldError],
    _ proof: (String) -> Proof
  ) throws {
    let typed = context.form[field]
    // A password may be made of blanks; a code is not.
    guard !(field == "current_password" ? typed : typed.asOneLine).isEmpty else {
      errors[field] = .empty(field)
      return
    }
    if try !accepts(proof(typed), context) { errors[field] = FieldError(wrong) }
  }

  /// Mails a code that is as good as the password, for this action. Throws 429 after too many.
  func mailCode(_ context: Context) throws {
    let viewer = try context.signedIn()
    try services.limits.count(Self.mails, viewer.id.description, now: context.now)
    try services.site.database.write { writer in
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      guard let recipient else { return }
      let code = try services.mailedCodes.make(
        for: viewer.id, CodeBinding(action, context), now: context.now, in: writer)
      try services.appMails.code(
        code, for: context.site.catalogues.text(action.textKey, in: recipient.language),
        to: recipient, now: context.now, in: writer)
    }
  }
}
