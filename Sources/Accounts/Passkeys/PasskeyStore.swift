import Core
import Database
import WebAuthn

/// A member's passkey.
struct Passkey {
  let id: ID<Passkey>
  let userHandle: [UInt8]
  let record: CredentialRecord
  let name: String
  let createdAt: Instant
  let usedAt: Instant?
}

/// Members' passkeys, and the challenges that were answered.
struct PasskeyStore {
  /// The largest number of passkeys of a member.
  static let maximum = 10
  static let nameLimits = FieldLimits(characters: 50)

  private static let columns: Query = """
    k.id, k.user_handle, k.credential_id, k.public_key, k.sign_count, k.is_backup_eligible,
    k.is_backed_up, k.transports, k.name, k.created_at, k.used_at
    """

  private static func passkey(_ row: inout RowReader) throws -> Passkey {
    Passkey(
      id: try row.next(), userHandle: try row.next(),
      record: CredentialRecord(
        id: try row.next(), publicKey: try CredentialPublicKey(try row.next([UInt8].self)),
        signCount: UInt32(clamping: try row.next(Int64.self)), isBackupEligible: try row.next(),
        isBackedUp: try row.next(),
        transports: try row.next(String.self).split(separator: " ").map(String.init)),
      name: try row.next(), createdAt: try row.next(), usedAt: try row.next())
  }

  /// The passkeys of a member, the oldest first.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Passkey] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM passkeys k WHERE k.user_id = \(person) ORDER BY k.created_at, k.id
      """, make: Self.passkey)
  }

  func count(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM passkeys WHERE user_id = \(person)")
  }

  func find(
    _ id: ID<Passkey>, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> Passkey? {
    try reader.first(
      "SELECT \(Self.columns) FROM passkeys k WHERE k.id = \(id) AND k.user_id = \(person)",
      make: Self.passkey)
  }

  /// A passkey and its member, or one who deleted the account.
  func find(
    credential: [UInt8], in reader: ReadTransaction
  ) throws -> (passkey: Passkey, member: Credentials)? {
    try reader.first(
      """
      SELECT u.id, u.role, u.password_hash, u.language, u.deleted_at, \(Self.columns)
      FROM passkeys k JOIN users u ON u.id = k.user_id WHERE k.credential_id = \(credential)
      """
    ) { row in
      let member = Credentials(
        id: try row.next(), role: Role(rawValue: try row.next()) ?? .guest,
        passwordHash: try row.next(),
        language: try row.next(String?.self).flatMap(Language.init(rawValue:)),
        deletedAt: try row.next())
      return (try Self.passkey(&row), member)
    }
  }

  /// Stores a new passkey; returns false if the member has as many as allowed, or the challenge or
  /// the credential has been used.
  func add(
    _ new: NewPasskey, to person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    guard try use(new.challenge, now: now, in: writer),
      try count(of: person, in: writer) < Self.maximum
    else { return false }
    let record = new.record
    return try writer.execute(
      """
      INSERT INTO passkeys (id, user_id, user_handle, credential_id, public_key, sign_count,
        is_backup_eligible, is_backed_up, transports, name, created_at)
      VALUES (\(ID<Passkey>(now: now)), \(person), \(new.userHandle), \(record.id),
        \(record.publicKey.bytes), \(Int64(record.signCount)), \(record.isBackupEligible),
        \(record.isBackedUp), \(record.transports.joined(separator: " ")), \(new.name), \(now))
      ON CONFLICT DO NOTHING
      """) == 1
  }

  func noteUse(
    _ id: ID<Passkey>, _ authentication: Authentication, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE passkeys SET used_at = \(now), sign_count = \(Int64(authentication.signCount)),
        is_backed_up = \(authentication.isBackedUp)
      WHERE id = \(id)
      """)
  }

  func rename(
    _ id: ID<Passkey>, of person: ID<Person>, to name: String, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE passkeys SET name = \(name) WHERE id = \(id) AND user_id = \(person)")
  }

  /// Removes a passkey; returns false if there is none.
  func remove(
    _ id: ID<Passkey>, of person: ID<Person>, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute("DELETE FROM passkeys WHERE id = \(id) AND user_id = \(person)") == 1
  }

  func removeAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM passkeys WHERE user_id = \(person)")
  }

  /// Removes passkeys that were added since a moment, other than when the account was made.
  func removeAll(
    of person: ID<Person>, since moment: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM passkeys WHERE user_id = \(person) AND created_at >= \(moment)
        AND created_at > (SELECT created_at FROM users WHERE id = \(person))
      """)
  }

  /// Uses a challenge up; returns false if it was used before.
  func use(
    _ challenge: PasskeyChallenge, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO passkey_challenges (challenge_hash, expires_at)
      VALUES (\(challenge.hash), \(now.adding(seconds: PasskeyChallenge.lifetime)))
      ON CONFLICT DO NOTHING
      """) == 1
  }

  func purgeChallenges(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM passkey_challenges WHERE expires_at <= \(now)")
  }
}
