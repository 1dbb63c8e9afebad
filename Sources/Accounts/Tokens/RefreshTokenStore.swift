import Core
import Database
import Secrets
import Web

/// The phantom type of the identifier that an app chose for its device.
enum Device {}

/// A stored refresh token with its sign-in.
struct StoredRefresh {
  let family: ID<TokenFamily>
  let person: ID<Person>
  let device: ID<Device>?
  let expiresAt: Instant
  let usedAt: Instant?
  let successor: [UInt8]?
  /// The absolute end of the sign-in; nil for a guest's.
  let familyEnd: Instant?
}

/// Sign-ins of apps and their refresh tokens, which are stored hashed.
struct RefreshTokenStore {
  /// How long a member's sign-in lasts at most, in s. A guest's has no such end, since it is a
  /// guest's only credential.
  static let maximumLifetime: Int64 = .days(365)

  let database: Database

  // MARK: Access tokens

  /// The viewer of an access token's sign-in, while it is valid.
  func viewer(
    _ family: ID<TokenFamily>, of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> Viewer? {
    try reader.first(
      """
      SELECT \(ViewerRow.columns(passkey: "NULL"))
      FROM refresh_families s
      \(ViewerRow.joins)
      WHERE s.id = \(family) AND s.user_id = \(person) AND s.expires_at > \(now)
        AND u.deleted_at IS NULL
      """
    ) { try ViewerRow.viewer(&$0, now: now) }
  }

  /// The device that is released by signing out of this sign-in.
  func releasable(_ family: ID<TokenFamily>, in reader: ReadTransaction) throws -> ID<Device>? {
    try reader.value(
      "SELECT device_id FROM refresh_families WHERE id = \(family) AND binds = 1",
      as: ID<Device>?.self) ?? nil
  }

  /// Stores the device of a sign-in; `binds` if the sign-in has just bound it.
  func name(
    _ device: ID<Device>, of family: ID<TokenFamily>, binds: Bool, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE refresh_families SET
        device_id = CASE WHEN \(binds) = 1 THEN \(device) ELSE coalesce(device_id, \(device)) END,
        binds = max(binds, \(binds))
      WHERE id = \(family)
      """)
  }

  // MARK: Refresh tokens

  func start(
    _ family: ID<TokenFamily>, of person: ID<Person>, device: ID<Device>?, app: String,
    origin: SessionOrigin, until end: Instant, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO refresh_families
        (id, user_id, device_id, binds, app, created_at, seen_at, expires_at,
        identity_id, provider_session_hash)
      VALUES (\(family), \(person), \(device), \(device != nil),
        \(FieldLimits.programName.beginning(of: app)), \(now), \(now), \(end),
        \(origin.identity), \(origin.providerSession))
      """)
  }

  func add(
    _ token: Token, to family: ID<TokenFamily>, until end: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
      VALUES (\(token.sha256), \(family), \(end))
      """)
  }

  /// A refresh token, used or not; nil if the user is deleted.
  func find(_ token: Token, in reader: ReadTransaction) throws -> StoredRefresh? {
    try reader.first(
      """
      SELECT t.family_id, f.user_id, f.device_id, t.expires_at, t.used_at, t.successor_sealed,
        CASE WHEN u.role <> \(Role.guest.rawValue) THEN f.created_at END
      FROM refresh_tokens t
      JOIN refresh_families f ON f.id = t.family_id
      JOIN users u ON u.id = f.user_id
      WHERE t.token_hash = \(token.sha256) AND u.deleted_at IS NULL
      """
    ) {
      StoredRefresh(
        family: try $0.next(), person: try $0.next(), device: try $0.next(),
        expiresAt: try $0.next(), usedAt: try $0.next(), successor: try $0.next(),
        familyEnd: try $0.next(Instant?.self)?.adding(seconds: Self.maximumLifetime))
    }
  }

  /// Uses a token up, stores the next pair encrypted with a key from it, and extends its family.
  func use(
    _ token: Token, of family: ID<TokenFamily>, for successor: [UInt8], until end: Instant,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE refresh_tokens SET used_at = \(now), successor_sealed = \(successor)
      WHERE token_hash = \(token.sha256)
      """)
    try writer.execute(
      "UPDATE refresh_families SET seen_at = \(now), expires_at = \(end) WHERE id = \(family)")
  }

  // MARK: Ending

  /// Ends a sign-in: its refresh tokens are deleted, and its access tokens stop working.
  func end(_ family: ID<TokenFamily>, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM refresh_families WHERE id = \(family) AND user_id = \(person)")
  }

  /// Signs a user out of all apps.
  static func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM refresh_families WHERE user_id = \(person)")
  }

  /// Removes expired sign-ins and tokens, and pairs that can no longer be requested again.
  func purge(now: Instant, repeatable seconds: Int64) throws {
    try database.write { writer in
      try writer.execute("DELETE FROM refresh_families WHERE expires_at <= \(now)")
      try writer.execute("DELETE FROM refresh_tokens WHERE expires_at <= \(now)")
      try writer.execute(
        """
        UPDATE refresh_tokens SET successor_sealed = NULL
        WHERE successor_sealed IS NOT NULL AND used_at < \(now.adding(seconds: -seconds))
        """)
    }
  }
}
