import Core
import Database
import Secrets
import Web

/// Creates guests. Modules that are open to users without an account call it at the first use
/// (docs/developer/accounts.md#guests).
public struct GuestCreator: Sendable {
  /// Carries the new code to the next page, which shows it once.
  static let newCode = SealedCookie(name: "guest_code", lifetime: .minutes(10))

  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  /// Creates a guest and signs them in on this browser for a year; the next page shows the recovery
  /// code.
  ///
  /// `counts` is false if the guest has a valid invitation of a group. Throws 429 after 5 an hour
  /// from one address, and 403 if registration is not open to them.
  public func begin(
    name: String, counts: Bool = true, _ context: Context
  ) throws -> ID<Person> {
    let (guest, code) = try GuestService(services: services).make(
      .init(
        name: name, language: context.language, timeZone: context.browserTimeZone,
        termsVersion: services.legal.termsVersion, invitation: context.invitation),
      counts: counts, from: context.address, now: context.now)
    try services.signIn(guest, role: .guest, context)
    try Self.newCode.set(code.text, for: guest, context)
    return guest
  }
}
