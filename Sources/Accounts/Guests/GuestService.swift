import Core
import Secrets
import Web

/// Makes guests, and finds them again by their codes, for pages and API
/// (docs/developer/accounts.md#guests).
struct GuestService {
  static let perAddress = RateLimit("guests", most: 5, window: .hours(1))
  /// Wrong codes from one address (docs/developer/accounts.md#limits).
  static let failures = RateLimit("codes", most: 10, window: .minutes(1))

  let services: AccountsEnvironment

  /// Who a guest is to be.
  struct NewGuest {
    let name: String
    let language: Language
    let timeZone: String?
    var termsVersion: String
  }

  /// A guest and the code that opens their data on another device, which nobody can show again.
  /// `counts` is false where a valid invitation vouches for them. Throws 429.
  func make(
    _ new: NewGuest, counts: Bool = true, from address: String, now: Instant
  ) throws -> (guest: ID<Person>, code: GuestCode) {
    if counts { try services.limits.count(Self.perAddress, address, now: now) }
    let guest = ID<Person>(now: now)
    let code = GuestCode.random()
    let hashed = try services.guests.hashed(code)
    try services.site.database.write { writer in
      try services.guests.add(
        guest, name: new.name, language: new.language, timeZone: new.timeZone,
        termsVersion: new.termsVersion, now: now, in: writer)
      try services.guests.setCode(hashed, of: guest, now: now, in: writer)
    }
    return (guest, code)
  }

  /// The guest whom a typed code belongs to, shown by it. Throws 429.
  func find(_ typed: String, from address: String, now: Instant) throws -> VerifiedCredentials? {
    try services.limits.attempt(Self.failures, address, now: now) {
      try GuestCode(typed).flatMap { try services.guests.find($0) }.map {
        VerifiedCredentials.guestCode($0)
      }
    }
  }
}
