import Core
import Database
import Secrets

/// A previous address that its owner can restore.
struct EmailUndo {
  let person: ID<Person>
  /// The previous address.
  let email: String
  /// The hash of the password at the time of the change.
  let passwordHash: String?
  /// When the account was deleted since; nil if it was not.
  let deletedAt: Instant?
}

/// Links that restore a previous address: valid for 7 days; one use ends all links of a user.
struct EmailUndoStore {
  /// How long a link works, in s: long enough for a holiday.
  static let lifetime: Int64 = .days(7)

  static let email = EncryptedColumn<Person>(
    table: "email_undos", owner: "user_id", column: "email_sealed", name: "email")

  let database: Database
  let keys: KeyRing

  /// Stores the previous address; returns the token of its link.
  func make(
    for person: ID<Person>, email: String, passwordHash: String?, now: Instant,
    in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    let hash = token.sha256
    try writer.execute(
      """
      INSERT INTO email_undos (token_hash, user_id, email_sealed, password_hash, expires_at)
      VALUES (\(hash), \(person), \(try Self.email.seal(email, of: person, with: keys)),
        \(passwordHash), \(now.adding(seconds: Self.lifetime)))
      """)
    return token
  }

  /// The request of a valid link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> EmailUndo? {
    try reader.first(
      """
      SELECT e.user_id, e.email_sealed, e.password_hash, u.deleted_at
      FROM email_undos e JOIN users u ON u.id = e.user_id
      WHERE e.token_hash = \(token.sha256) AND e.expires_at > \(now)
      """
    ) {
      let person = try $0.next(ID<Person>.self)
      let email = try Self.email.open(try $0.next(), of: person, with: keys)
      return EmailUndo(
        person: person, email: email,
        passwordHash: try $0.next(), deletedAt: try $0.next())
    }
  }

  /// Ends all links of a person.
  func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM email_undos WHERE user_id = \(person)")
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM email_undos WHERE expires_at <= \(now)") }
  }
}
