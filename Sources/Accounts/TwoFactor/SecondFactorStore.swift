import Core
import Database
import Secrets

/// A user's stored second factor.
struct SecondFactor {
  let secret: [UInt8]
  let createdAt: Instant
  /// Nil until the first right code turned it on.
  let confirmedAt: Instant?
  let lastStep: Int64?

  var codes: TOTP { TOTP(secret: secret) }
}

/// Secrets of second factors, which are stored encrypted, and recovery codes, stored hashed.
struct SecondFactorStore {
  static let secret = EncryptedColumn<Person>(
    table: "totp_secrets", owner: "user_id", column: "secret_sealed", name: "secret")

  /// A column for users as `u`: whether there is a second factor, or a passkey in its place.
  static let isSet: Query = """
    (EXISTS (SELECT 1 FROM totp_secrets t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id))
    """

  let database: Database
  let keys: KeyRing
  let hasher: PasswordHasher

  /// When a user turned the second factor on; nil if it is off.
  static func turnedOnAt(_ person: ID<Person>, in reader: ReadTransaction) throws -> Instant? {
    try reader.value(
      """
      SELECT confirmed_at FROM totp_secrets WHERE user_id = \(person) AND confirmed_at IS NOT NULL
      """)
  }

  /// The number of unused recovery codes.
  static func codesLeft(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      "SELECT count(*) FROM recovery_codes WHERE user_id = \(person) AND used_at IS NULL")
  }

  /// A user's second factor, turned on or not. It is kept for deleted users, who need it to restore
  /// their account.
  func find(_ person: ID<Person>, in reader: ReadTransaction) throws -> SecondFactor? {
    try reader.first(
      """
      SELECT secret_sealed, created_at, confirmed_at, last_step FROM totp_secrets
      WHERE user_id = \(person)
      """
    ) {
      SecondFactor(
        secret: try keys.open($0.next(), for: Self.secret.context(person)),
        createdAt: try $0.next(),
        confirmedAt: try $0.next(), lastStep: try $0.next())
    }
  }

  func isOn(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM totp_secrets WHERE user_id = \(person) AND confirmed_at IS NOT NULL")
  }

  /// The number of unused recovery codes.
  func recoveryCodesLeft(_ person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      "SELECT count(*) FROM recovery_codes WHERE user_id = \(person) AND used_at IS NULL")
  }

  /// Stores a new secret, which the first right code turns on; a secret that is on is kept.
  func begin(_ person: ID<Person>, secret: [UInt8], now: Instant, in writer: WriteTransaction)
    throws
  {
    let sealed = try keys.seal(secret, for: Self.secret.context(person))
    try writer.execute(
      """
      INSERT INTO totp_secrets (user_id, secret_sealed, created_at)
      VALUES (\(person), \(sealed), \(now))
      ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed,
        created_at = excluded.created_at WHERE totp_secrets.confirmed_at IS NULL
      """)
  }

  /// Turns the secret on; returns false if it is on already.
  func confirm(
    _ person: ID<Person>, step: Int64, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE totp_secrets SET confirmed_at = \(now), last_step = \(step)
      WHERE user_id = \(person) AND confirmed_at IS NULL
      """) == 1
  }

  /// Uses a time step up; returns false if it was used already, or no second factor is on.
  func use(step: Int64, of person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      UPDATE totp_secrets SET last_step = \(step)
      WHERE user_id = \(person) AND confirmed_at IS NOT NULL
        AND (last_step IS NULL OR last_step < \(step))
      """) == 1
  }

  func remove(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM recovery_codes WHERE user_id = \(person)")
    try writer.execute("DELETE FROM totp_secrets WHERE user_id = \(person)")
  }

  /// Removes secrets that were created before a moment and not confirmed.
  func purgeUnconfirmed(before moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM totp_secrets WHERE confirmed_at IS NULL AND created_at < \(moment)")
  }
}
