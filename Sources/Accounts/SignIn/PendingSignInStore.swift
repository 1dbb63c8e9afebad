import Core
import Database
import Secrets

/// A sign-in with the right password that waits for a code.
struct PendingSignIn {
  let person: ID<Person>
  let role: Role
  /// When the account was deleted; the user then asks to restore it. Nil if it was not.
  let deletedAt: Instant?
  /// The current password hash; changing the password ends the pending sign-in.
  let passwordHash: String?
  /// The page to go to afterwards.
  let next: String
}

/// Sign-ins between password and code. Each belongs to one browser, whose cookie has a token.
struct PendingSignInStore {
  /// How long the code may take, in s.
  static let lifetime: Int64 = .minutes(10)

  let database: Database

  func begin(
    _ person: ID<Person>, next: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    try writer.execute(
      """
      INSERT INTO waiting_sign_ins (token_hash, user_id, next, expires_at)
      VALUES (\(token.sha256), \(person), \(next), \(now.adding(seconds: Self.lifetime)))
      """)
    return token
  }

  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> PendingSignIn? {
    try reader.first(
      """
      SELECT w.user_id, u.role, u.deleted_at, u.password_hash, w.next
      FROM waiting_sign_ins w JOIN users u ON u.id = w.user_id
      WHERE w.token_hash = \(token.sha256) AND w.expires_at > \(now)
      """
    ) {
      PendingSignIn(
        person: try $0.next(), role: Role(rawValue: try $0.next()) ?? .guest,
        deletedAt: try $0.next(), passwordHash: try $0.next(), next: try $0.next())
    }
  }

  func end(_ token: Token, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM waiting_sign_ins WHERE token_hash = \(token.sha256)")
  }

  func purge(now: Instant) throws {
    try database.write {
      try $0.execute("DELETE FROM waiting_sign_ins WHERE expires_at <= \(now)")
    }
  }
}
