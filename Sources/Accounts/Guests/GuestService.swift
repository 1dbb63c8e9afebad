import Core
import Secrets
import Web

/// Creates guests and finds them by their recovery codes, for pages and API
/// (docs/developer/accounts.md#guests).
struct GuestService {
  static let perAddress = RateLimit("guests", maximum: 5, window: .hours(1))
  /// Limits wrong codes from one address (docs/developer/accounts.md#limits).
  static let failures = RateLimit("codes", maximum: 10, window: .minutes(1))

  let services: AccountsEnvironment

  /// Values of a new guest.
  struct NewGuest {
    let name: String
    let language: Language
    let timeZone: String?
    var termsVersion: String
    /// The operator's invitation, if there is one.
    var invitation: String?
  }

  /// Creates a guest and a recovery code, which cannot be shown again. `counts` is false if the
  /// guest has a valid invitation of a group. Throws 403 and 429.
  func make(
    _ new: NewGuest, counts: Bool = true, from address: String, now: Instant
  ) throws -> (guest: ID<Person>, code: GuestCode) {
    try services.registrationAccess.require(new.invitation, isInvited: !counts, now: now)
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

  /// The guest of a typed code, as verified credentials. Throws 429.
  func find(_ entered: String, from address: String, now: Instant) throws -> VerifiedCredentials? {
    try services.limits.attempt(Self.failures, address, now: now) {
      try GuestCode(entered).flatMap { try services.guests.find($0) }.map {
        VerifiedCredentials.guestCode($0)
      }
    }
  }
}
