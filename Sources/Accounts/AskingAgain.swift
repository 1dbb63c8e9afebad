import Basics
import Secrets
import Web

/// Asks a member for their password once more before something dangerous, and a guest for their
/// recovery code (accounts.md, "Asking again"). The form carries it as `current_password` or
/// `recovery_code`.
///
/// A guest who lost the code makes a new one in the settings, and the way there stands beside the
/// field. So the code stops nobody for good who holds the unlocked device, and need not: what it
/// takes is that two deliberate steps lie before what can't be undone, and that who goes away from
/// a device has the one thing with which they come back.
struct AskingAgain {
  /// How often a wrong password is taken from somebody who is signed in.
  static let failures = RateLimit("asking-again", most: 10, window: .hours(1))

  /// How many codes are mailed to one person.
  static let mails = RateLimit("asking-again-mails", most: 3, window: .hours(1))

  let services: AccountServices

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
  func accepts(_ proof: Proof, of viewer: Viewer, now: Instant) throws -> Bool {
    try services.limits.attempt(Self.failures, viewer.id.description, now: now) {
      try isRight(proof, of: viewer, now: now) ? () : nil
    } != nil
  }

  private func isRight(_ proof: Proof, of viewer: Viewer, now: Instant) throws -> Bool {
    switch proof {
    case .password(let password):
      let hash = try services.people.passwordHash(of: viewer)
      return try AccountServices.patiently {
        try services.hasher.verify(password, against: hash)
      }
    case .mailedCode(let typed):
      guard case .timed(let code)? = TypedCode(typed) else { return false }
      return try services.site.database.write {
        try services.mailedCodes.use(code, of: viewer.id, now: now, in: $0)
      }
    case .recoveryCode(let typed):
      return try GuestCode(typed).flatMap { try services.guests.find($0) } == viewer.id
    }
  }

  /// Notes an error for `current_password` unless it is right. Throws 429 after too many wrong
  /// ones and 503 when too many others are at it.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let viewer = try context.signedIn()
    let password = context.form["current_password"]
    guard !password.isEmpty else {
      errors["current_password"] = .empty("current_password")
      return
    }
    guard try accepts(.password(password), of: viewer, now: context.now) else {
      errors["current_password"] = FieldError("error.current_password")
      return
    }
  }

  /// Mails a code that is as good as the password. Throws 429 after too many.
  func mailCode(to viewer: Viewer, _ context: Context) throws {
    try services.limits.count(Self.mails, viewer.id.description, now: context.now)
    try services.site.database.write { writer in
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      guard let recipient else { return }
      let code = try services.mailedCodes.make(for: viewer.id, now: context.now, in: writer)
      try services.appMails.code(code, to: recipient, now: context.now, in: writer)
    }
  }

  /// The same for a code that was mailed: notes an error for `code` unless it is right.
  func checkCode(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let viewer = try context.signedIn()
    let typed = context.form["code"]
    guard !typed.asOneLine.isEmpty else {
      errors["code"] = .empty("code")
      return
    }
    guard try accepts(.mailedCode(typed), of: viewer, now: context.now) else {
      errors["code"] = FieldError("error.mailed_code")
      return
    }
  }

  /// The same for a guest: notes an error for `recovery_code` unless it is their own.
  func checkGuest(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let guest = try context.signedIn()
    let typed = context.form["recovery_code"]
    guard !typed.asOneLine.isEmpty else {
      errors["recovery_code"] = .empty("recovery_code")
      return
    }
    guard try accepts(.recoveryCode(typed), of: guest, now: context.now) else {
      errors["recovery_code"] = FieldError("error.recovery_code_other")
      return
    }
  }
}
