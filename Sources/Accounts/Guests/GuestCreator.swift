import Core
import Database
import Secrets
import Web

/// Makes guests: rooms that let people in without an account call this at the first use
/// (docs/developer/accounts.md#guests).
public struct GuestCreator: Sendable {
  /// The code that the next page shows, once.
  static let newCode = SealedCookie(name: "guest_code", lifetime: .minutes(10))

  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  /// A guest signed in on this browser for a year, whose recovery code stands ready to be shown.
  ///
  /// `counts` is false where a valid invitation vouches for them. Throws 429 after 5 an hour from
  /// one address.
  public func begin(
    name: String, counts: Bool = true, _ request: Request, _ context: Context
  ) throws -> ID<Person> {
    let (guest, code) = try GuestService(services: services).make(
      .init(
        name: name, language: context.language, timeZone: context.browserTimeZone,
        termsVersion: services.legal.termsVersion),
      counts: counts, from: context.address, now: context.now)
    try services.signIn(guest, role: .guest, request, context)
    try Self.newCode.set(code.text, for: guest, context)
    return guest
  }
}
