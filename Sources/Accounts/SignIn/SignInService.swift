import Core
import Secrets
import Web

/// Judges an address and a password: the one rule of every way to sign in with them, for pages and
/// API (docs/developer/sessions-and-tokens.md#signing-in).
struct SignInService {
  /// How often an address may try at all.
  static let perAddress = RateLimit("sign-in", most: 10, window: .minutes(1))
  /// How often an account may be tried in vain from devices that were never signed in to it.
  static let failures = RateLimit("sign-in-failures", most: 10, window: .hours(1))

  let services: AccountsEnvironment

  /// The member whose address and password these are, or who left with them and may come back.
  /// Unknown addresses are counted and take as long as known ones. `knows` says on which device,
  /// if any, somebody was in before with the password that holds. Throws 429 and 503.
  ///
  /// Whoever lets them in looks again, in the transaction that does, whether it still holds
  /// (`VerifiedCredentials`).
  func person(
    email: String, password: String, from address: String, now: Instant,
    knows: (Credentials) throws -> TrustedDevice?
  ) throws -> Credentials? {
    let candidates = try candidates(email, now: now)
    // A device that was in before is counted for itself alone, whatever strangers do, be they
    // behind the same address or not. Where they could say to be that device, their address is
    // counted all the same.
    let device = try candidates.compactMap { try knows($0) }.first
    let caller = device.flatMap { $0.isSecret ? $0.subject : nil } ?? address
    try services.limits.count(Self.perAddress, caller, now: now)
    // The one that reaches the limit is still told "wrong"; the next one is told to wait.
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

  /// Whose address it is, and who left with it and may come back. An address can have been
  /// deleted and be somebody's again: who is here goes first.
  private func candidates(_ email: String, now: Instant) throws -> [Credentials] {
    let hash = services.people.hash(email)
    let found = try services.people.credentials(emailHash: hash)
    return try (found.map { [$0] } ?? [])
      + services.accountDeletion.store.credentials(emailHash: hash, now: now)
  }
}
