import Core
import Database
import Secrets

/// A new address that waits for confirmation.
struct EmailChange {
  let person: ID<Person>
  let email: String
  let expiresAt: Instant
}

/// Requested address changes: valid for 24 hours and one use, one for each user.
struct EmailChangeStore {
  /// How long a link works, in s.
  static let lifetime: Int64 = .hours(24)

  static let email = EncryptedColumn<Person>(
    table: "email_changes", owner: "user_id", column: "email_sealed", name: "email")

  let database: Database
  let keys: KeyRing

  /// Stores a request and replaces an earlier one; returns the token of its link.
  func make(
    for person: ID<Person>, email: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    let sealed = try Self.email.seal(email, of: person, with: keys)
    try writer.execute(
      """
      INSERT INTO email_changes (user_id, token_hash, email_sealed, created_at, expires_at)
      VALUES (\(person), \(token.sha256), \(sealed), \(now), \(now.adding(seconds: Self.lifetime)))
      ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash,
        email_sealed = excluded.email_sealed, created_at = excluded.created_at,
        expires_at = excluded.expires_at
      """)
    return token
  }

  /// The request of a valid link.
  func find(_ token: Token, now: Instant) throws -> EmailChange? {
    try database.read { reader in
      try reader.first(
        """
        SELECT e.user_id, e.email_sealed, e.expires_at
        FROM email_changes e JOIN users u ON u.id = e.user_id
        WHERE e.token_hash = \(token.sha256) AND e.expires_at > \(now) AND u.deleted_at IS NULL
        """, make: read)
    }
  }

  /// A user's pending request.
  func pending(of person: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> EmailChange?
  {
    try reader.first(
      """
      SELECT user_id, email_sealed, expires_at FROM email_changes
      WHERE user_id = \(person) AND expires_at > \(now)
      """, make: read)
  }

  /// Uses a link up; nil if it is used or expired.
  func use(_ token: Token, now: Instant, in writer: WriteTransaction) throws -> EmailChange? {
    try writer.first(
      """
      DELETE FROM email_changes
      WHERE token_hash = \(token.sha256) AND expires_at > \(now)
        AND EXISTS (
          SELECT 1 FROM users u WHERE u.id = email_changes.user_id AND u.deleted_at IS NULL)
      RETURNING user_id, email_sealed, expires_at
      """, make: read)
  }

  /// Cancels a user's request, if there is one: it may have been made with the old password.
  func cancel(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM email_changes WHERE user_id = \(person)")
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM email_changes WHERE expires_at <= \(now)") }
  }

  private func read(_ row: inout RowReader) throws -> EmailChange {
    let person = try row.next(ID<Person>.self)
    let address = try Self.email.open(try row.next(), of: person, with: keys)
    return EmailChange(
      person: person, email: address, expiresAt: try row.next())
  }
}
