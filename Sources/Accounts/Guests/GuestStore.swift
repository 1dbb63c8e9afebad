import Core
import Database
import Secrets
import Web

/// Guests: users without an address, identified by a cookie or a recovery code.
struct GuestStore {
  let database: Database
  let keys: KeyRing
  let hasher: PasswordHasher

  /// A guest and the stored hash of the code that they entered.
  struct Match {
    let guest: ID<Person>
    let codeHash: String
  }

  /// A code as it is stored.
  struct HashedCode {
    fileprivate let selector: [UInt8]
    fileprivate let hash: String
  }

  func add(
    _ id: ID<Person>, name: String, language: Language, timeZone: String?, termsVersion: String,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO users (id, role, display_name, language, time_zone, terms_version,
        terms_accepted_at, created_at)
      VALUES (\(id), \(Role.guest.rawValue), \(name), \(language.rawValue), \(timeZone),
        \(termsVersion), \(now), \(now))
      """)
    try PersistentCounter.people.count(in: writer)
  }

  // MARK: Codes

  /// Hashes a code. This is slow, so it must not run in a transaction. Throws 503.
  func hashed(_ code: GuestCode) throws -> HashedCode {
    let hash = try AccountsEnvironment.mappingBusyTo503 { try hasher.hash(code: code.characters) }
    return HashedCode(selector: selector(code), hash: hash)
  }

  /// Sets a new code; the previous one stops working.
  func setCode(
    _ code: HashedCode, of guest: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try Self.removeCode(of: guest, in: writer)
    try writer.execute(
      """
      INSERT INTO guest_recovery_codes (user_id, selector, code_hash, made_at)
      VALUES (\(guest), \(code.selector), \(code.hash), \(now))
      """)
  }

  static func removeCode(of guest: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM guest_codes WHERE user_id = \(guest)")
    try writer.execute("DELETE FROM guest_recovery_codes WHERE user_id = \(guest)")
  }

  /// The time when the current code was made.
  func codeMade(of viewer: Viewer) throws -> Instant? {
    try database.read { reader in
      try reader.value(
        """
        SELECT made_at FROM guest_recovery_codes WHERE user_id = \(viewer.id)
        UNION ALL SELECT made_at FROM guest_codes WHERE user_id = \(viewer.id)
        """, as: Instant.self)
    }
  }

  /// The guest of a code, unless deleted. Throws 503.
  func find(_ code: GuestCode) throws -> Match? {
    let candidates = try database.read { reader in
      try reader.rows(
        """
        SELECT u.id, g.code_hash FROM guest_recovery_codes g JOIN users u ON u.id = g.user_id
        WHERE g.selector = \(selector(code)) AND u.role = \(Role.guest.rawValue)
          AND u.deleted_at IS NULL
        """
      ) { Match(guest: try $0.next(), codeHash: try $0.next()) }
    }
    for candidate in candidates {
      let isRight = try AccountsEnvironment.mappingBusyTo503 {
        try hasher.verify(code.characters, against: candidate.codeHash)
      }
      if isRight { return candidate }
    }
    return try rehash(code)
  }

  /// Replaces the fast hash of an old code by a slow one; nil if there is no such code.
  private func rehash(_ code: GuestCode) throws -> Match? {
    let old = Digests.sha256(Array("guest \(code.characters)".utf8))
    let select: Query = """
      SELECT u.id, g.made_at FROM guest_codes g JOIN users u ON u.id = g.user_id
      WHERE g.code_hash = \(old) AND u.role = \(Role.guest.rawValue) AND u.deleted_at IS NULL
      """
    guard try database.read({ try $0.exists(select) }) else { return nil }
    let hashed = try hashed(code)
    return try database.write { writer in
      let found = try writer.first(select) {
        (guest: try $0.next(ID<Person>.self), madeAt: try $0.next(Instant.self))
      }
      guard let found else { return nil }
      try setCode(hashed, of: found.guest, now: found.madeAt, in: writer)
      return Match(guest: found.guest, codeHash: hashed.hash)
    }
  }

  /// Whether a code that was verified earlier is still valid.
  func isStillValid(_ match: Match, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM guest_recovery_codes g JOIN users u ON u.id = g.user_id
      WHERE g.user_id = \(match.guest) AND g.code_hash = \(match.codeHash)
        AND u.role = \(Role.guest.rawValue) AND u.deleted_at IS NULL
      """)
  }

  /// A keyed hash of the first 4 characters: enough to find a code, too few to guess it.
  private func selector(_ code: GuestCode) -> [UInt8] {
    Array(
      Digests.hmac(
        Array(code.characters.prefix(4).utf8), key: keys.derivedKey(purpose: "guest-codes")
      ).prefix(16))
  }

  // MARK: Members

  /// The name of a guest; nil if deleted.
  func name(_ guest: ID<Person>, in reader: ReadTransaction) throws -> String? {
    try reader.value(
      """
      SELECT display_name FROM users
      WHERE id = \(guest) AND role = \(Role.guest.rawValue) AND deleted_at IS NULL
      """, as: String.self)
  }

  /// Makes a guest the member of a registration; returns false if they are no longer a guest.
  func promote(
    _ guest: ID<Person>, to member: NewMember, sealedEmail: [UInt8], emailHash: [UInt8],
    in writer: WriteTransaction
  ) throws -> Bool {
    let changed = try writer.execute(
      """
      UPDATE users SET role = \(Role.member.rawValue), email_sealed = \(sealedEmail),
        email_hash = \(emailHash), password_hash = \(member.passwordHash),
        terms_version = coalesce(nullif(\(member.termsVersion), ''), terms_version)
      WHERE id = \(guest) AND role = \(Role.guest.rawValue) AND deleted_at IS NULL
      """)
    guard changed == 1 else { return false }
    try Self.removeCode(of: guest, in: writer)
    // A change of rights ends all sessions (docs/developer/sessions-and-tokens.md#sessions).
    try writer.execute("DELETE FROM sessions WHERE user_id = \(guest)")
    try RefreshTokenStore.endAll(of: guest, in: writer)
    return true
  }
}
