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

  let services: AccountServices

  /// Notes an error for `current_password` unless it is right. Throws 429 after too many wrong
  /// ones and 503 when too many others are at it.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let viewer = try context.signedIn()
    let password = context.form["current_password"]
    guard !password.isEmpty else {
      errors["current_password"] = .empty("current_password")
      return
    }
    let isRight: Void? = try services.limits.attempt(
      Self.failures, viewer.id.description, now: context.now
    ) {
      let hash = try services.people.passwordHash(of: viewer)
      let matches = try AccountServices.patiently {
        try services.hasher.verify(password, against: hash)
      }
      return matches ? () : nil
    }
    if isRight == nil { errors["current_password"] = FieldError("error.current_password") }
  }

  /// The same for a guest: notes an error for `recovery_code` unless it is their own.
  func checkGuest(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let guest = try context.signedIn()
    let typed = context.form["recovery_code"]
    guard !typed.asOneLine.isEmpty else {
      errors["recovery_code"] = .empty("recovery_code")
      return
    }
    let isTheirs: Void? = try services.limits.attempt(
      Self.failures, guest.id.description, now: context.now
    ) {
      let owner = try GuestCode(typed).flatMap { try services.guests.find($0) }
      return owner == guest.id ? () : nil
    }
    if isTheirs == nil { errors["recovery_code"] = FieldError("error.recovery_code_other") }
  }
}
