import Core
import Secrets
import Web

/// Verifies an address and a password, for every kind of sign-in
/// (docs/developer/sessions-and-tokens.md#signing-in).
struct SignInService {
  /// Limits all tries from one address.
  static let perAddress = RateLimit("sign-in", maximum: 10, window: .minutes(1))
  /// Limits failed tries for an account from unknown devices.
  static let failures = RateLimit("sign-in-failures", maximum: 10, window: .hours(1))

  let services: AccountsEnvironment

  /// The member with this address and password, or a deleted one that can be restored. Unknown
  /// addresses are counted and take as long as known ones. `knows` returns the trusted device of a
  /// member, if the request comes from one. Throws 429 and 503.
  ///
  /// The caller checks again in the transaction that signs in whether the credentials are still
  /// valid (`VerifiedCredentials`).
  func person(
    email: String, password: String, from address: String, now: Instant,
    knows: (Credentials) throws -> TrustedDevice?
  ) throws -> Credentials? {
    let candidates = try candidates(email, now: now)
    // A trusted device has its own limit, unaffected by other clients, even behind the same IP
    // address. An app's identifier is not secret and could be claimed by others, so its IP address
    // is counted all the same.
    let device = try candidates.compactMap { try knows($0) }.first
    let caller = device.flatMap { $0.isSecret ? $0.subject : nil } ?? address
    try services.limits.count(Self.perAddress, caller, now: now)
    // The try that reaches the limit still fails as "wrong"; the next one gets 429.
    return try services.limits.attempt(Self.failures, device?.subject ?? email, now: now) {
      try match(password, candidates)
    }
  }

  private func match(_ password: String, _ candidates: [Credentials]) throws -> Credentials? {
    for candidate in candidates.isEmpty ? [nil] : candidates.map(Optional.some) {
      let matches = try AccountsEnvironment.mappingBusyTo503 {
        try services.hasher.verify(password, against: candidate?.passwordHash)
      }
      if let candidate, matches { return candidate }
    }
    return nil
  }

  /// The member with this address, and deleted ones that can be restored. A deleted member's
  /// address may have a new account, which comes first.
  private func candidates(_ email: String, now: Instant) throws -> [Credentials] {
    let hash = services.people.hash(email)
    let found = try services.people.credentials(emailHash: hash)
    return try (found.map { [$0] } ?? [])
      + services.accountDeletion.store.credentials(emailHash: hash, now: now)
  }
}
