import Secrets
import Web

/// Asks a member for their password once more before something dangerous (accounts.md, "Asking
/// again"). The form carries it as `current_password`.
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
    let subject = viewer.id.description
    try services.limits.check(Self.failures, subject, now: context.now)
    let hash = try services.people.passwordHash(of: viewer)
    let matches = try AccountServices.patiently {
      try services.hasher.verify(password, against: hash)
    }
    if matches { return }
    errors["current_password"] = FieldError("error.current_password")
    _ = try services.site.database.write {
      try services.limits.add(Self.failures, subject, now: context.now, in: $0)
    }
  }
}
