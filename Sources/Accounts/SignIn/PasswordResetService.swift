import Core
import Secrets
import Web

/// Resetting a password by mail, for pages and API. It does not reveal whether an address is known
/// (docs/developer/sessions-and-tokens.md#signing-in).
struct PasswordResetService {
  static let perAddress = RateLimit("reset", maximum: 10, window: .minutes(1))
  /// A fourth mail within the hour is not sent; the response stays the same.
  static let mails = RateLimit("reset-mails", maximum: 3, window: .hours(1))

  /// The age of another way to sign in up to which a reset removes it, in s: an attacker may have
  /// added it.
  static let recent: Int64 = .days(7)

  let services: AccountsEnvironment

  /// Mails a reset link if the address belongs to a member. Throws 429.
  func ask(_ email: String, language: Language, from address: String, now: Instant) throws {
    try services.limits.count(Self.perAddress, address, now: now)
    let found = try services.people.credentials(emailHash: services.people.hash(email))
    try services.site.database.write { writer in
      // Unknown addresses are counted as well.
      let wait = try services.limits.add(Self.mails, email, now: now, in: writer)
      guard wait == nil, let found,
        let recipient = try services.people.recipient(found.id, language: language, in: writer)
      else { return }
      let token = try PasswordResetStore.links.issue(for: found.id, now: now, in: writer)
      try services.mails.reset(token, to: recipient, now: now, in: writer)
    }
  }

  /// Sets a password with a reset link. Returns the user and the password's hash; nil if the link
  /// is no longer valid, or with an error for `password`.
  func save(
    _ password: String, by token: Token, language: Language, now: Instant,
    _ errors: inout [String: FieldError]
  ) throws -> (person: ID<Person>, hash: String)? {
    let owner = try services.site.database.read {
      try PasswordResetStore.person(token, now: now, in: $0)
    }
    guard let owner else { return nil }
    let (address, names) = try services.site.database.read { reader in
      (
        try services.people.address(of: owner, in: reader),
        try services.people.names(of: owner, in: reader)
      )
    }
    guard let hash = try services.hash(password, email: address, names: names, &errors) else {
      return nil
    }
    return try change(token, to: hash, language: language, now: now).map { ($0, hash) }
  }

  /// Changes the password and returns the user; nil if the link has been used in the meantime.
  private func change(
    _ token: Token, to hash: String, language: Language, now: Instant
  ) throws -> ID<Person>? {
    try services.site.database.write { writer in
      guard let person = try PasswordResetStore.use(token, now: now, in: writer) else { return nil }
      try services.people.setPassword(hash, of: person, in: writer)
      try services.sessions.endAll(of: person, in: writer)
      let recent = now.adding(seconds: -Self.recent)
      try services.passkeys.removeAll(of: person, since: recent, in: writer)
      try services.identities.unlinkAll(of: person, since: recent, in: writer)
      // An address change may have been requested with the old password.
      try EmailChangeStore.links.revokeAll(of: person, now: now, in: writer)
      let recipient = try services.people.recipient(person, language: language, in: writer)
      if let recipient {
        try services.mails.passwordWasChanged(to: recipient, now: now, in: writer)
      }
      return person
    }
  }
}
