import Core
import Secrets
import Web

/// Asks a member for the password, and a guest for the recovery code, before a dangerous action. A
/// member who prefers it gets a code by mail; one without a password confirms on a page of its own
/// (`ConfirmPages`). The form fields are `current_password`, `code` and `recovery_code`.
///
/// A guest who lost the recovery code can make a new one in the settings, which are linked next to
/// the field. So the code does not stop a person who holds the unlocked device, and need not. It
/// ensures two deliberate steps before an irreversible action, and that a guest who leaves a device
/// has the code with which to return.
struct ReauthenticationService {
  /// Limits wrong passwords of a signed-in user.
  static let failures = RateLimit("asking-again", maximum: 10, window: .hours(1))

  /// Limits the codes mailed to one user.
  static let mails = RateLimit("asking-again-mails", maximum: 3, window: .hours(1))

  let services: AccountsEnvironment
  let action: ProtectedAction

  init(_ action: ProtectedAction, services: AccountsEnvironment) {
    self.action = action
    self.services = services
  }

  /// A proof of identity.
  enum Proof {
    case password(String)
    /// Six digits that were mailed.
    case mailedCode(String)
    /// A guest's recovery code.
    case recoveryCode(String)
  }

  /// Whether a proof is right. Throws 429 after too many wrong ones, and 503 if too many passwords
  /// are being hashed.
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
    case .mailedCode(let entered):
      guard case .timed(let code)? = OneTimeCodeInput(entered) else { return false }
      return try services.site.database.write {
        try services.mailedCodes.use(
          code, of: viewer.id, CodeBinding(action, context), now: context.now, in: $0)
      }
    case .recoveryCode(let entered):
      return try GuestCode(entered).flatMap { try services.guests.find($0) }?.guest == viewer.id
    }
  }

  /// Checks the proof that fits the viewer and the form; adds an error for its field if it is
  /// wrong. Throws 429 after too many wrong ones, and 503 if too many passwords are being hashed.
  func checkAny(_ context: Context, _ errors: inout [String: FieldError]) throws {
    if try context.signedIn().role == .guest {
      try checkGuest(context, &errors)
    } else if context.form.has("code") {
      try checkCode(context, &errors)
    } else {
      try check(context, &errors)
    }
  }

  /// Checks `current_password`; adds an error if it is wrong. Throws 429 after too many wrong ones,
  /// and 503 if too many passwords are being hashed.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    if isConfirmed(context) { return }
    try check(
      "current_password", wrong: "error.current_password", context, &errors
    ) { .password($0) }
  }

  /// Checks a mailed code in `code`, with the same errors.
  func checkCode(_ context: Context, _ errors: inout [String: FieldError]) throws {
    try check("code", wrong: "error.mailed_code", context, &errors) { .mailedCode($0) }
  }

  /// Checks a guest's recovery code in `recovery_code`, with the same errors.
  func checkGuest(_ context: Context, _ errors: inout [String: FieldError]) throws {
    try check(
      "recovery_code", wrong: "error.recovery_code_other", context, &errors
    ) { .recoveryCode($0) }
  }

  private func check(
    _ field: String, wrong: String, _ context: Context, _ errors: inout [String: FieldError],
    _ proof: (String) -> Proof
  ) throws {
    let entered = context.form[field]
    // A password may consist of spaces; a code may not.
    guard !(field == "current_password" ? entered : entered.asOneLine).isEmpty else {
      errors[field] = .empty(field)
      return
    }
    if try !accepts(proof(entered), context) { errors[field] = FieldError(wrong) }
  }

  /// Mails a code that replaces the password for this action. Throws 429 after too many.
  func mailCode(_ context: Context) throws {
    try mailCode(to: context.signedIn().id, CodeBinding(action, context), context)
  }

  func mailCode(to person: ID<Person>, _ binding: CodeBinding, _ context: Context) throws {
    try services.limits.count(Self.mails, person.description, now: context.now)
    try services.site.database.write { writer in
      let recipient = try services.people.recipient(
        person, language: context.language, in: writer)
      guard let recipient else { return }
      let code = try services.mailedCodes.make(
        for: person, binding, now: context.now, in: writer)
      try services.appMails.code(
        code, for: context.site.catalogues.text(action.textKey, in: recipient.language),
        to: recipient, now: context.now, in: writer)
    }
  }
}
