import Core
import Database
import Secrets

/// Reset links: valid for one hour and one use.
struct PasswordResetStore {
  /// How long a link works, in s.
  static let lifetime: Int64 = .hours(1)

  let database: Database

  func make(for person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> Token {
    let token = Token.random()
    try writer.execute(
      """
      INSERT INTO verification_tokens (token_hash, purpose, user_id, created_at, expires_at)
      VALUES (\(token.sha256), 'reset', \(person), \(now), \(now.adding(seconds: Self.lifetime)))
      """)
    return token
  }

  /// The user of a valid link.
  func person(_ token: Token, now: Instant) throws -> ID<Person>? {
    try database.read { reader in
      try reader.value(
        """
        SELECT t.user_id FROM verification_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = \(token.sha256) AND t.purpose = 'reset' AND t.used_at IS NULL
          AND t.expires_at > \(now) AND u.deleted_at IS NULL
        """, as: ID<Person>.self)
    }
  }

  /// Uses a link up, and with it all others of that user; nil if it is used or expired.
  func use(_ token: Token, now: Instant, in writer: WriteTransaction) throws -> ID<Person>? {
    let person = try writer.value(
      """
      UPDATE verification_tokens SET used_at = \(now)
      WHERE token_hash = \(token.sha256) AND purpose = 'reset' AND used_at IS NULL
        AND expires_at > \(now)
      RETURNING user_id
      """, as: ID<Person>.self)
    if let person { try endAll(of: person, now: now, in: writer) }
    return person
  }

  /// Uses up every link of a person.
  func endAll(of person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE verification_tokens SET used_at = \(now)
      WHERE user_id = \(person) AND purpose = 'reset' AND used_at IS NULL
      """)
  }
}
