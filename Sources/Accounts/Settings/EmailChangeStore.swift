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
  static let links = LinkTokens<Person>(
    table: "email_changes", isOnePerOwner: true, lifetime: .hours(24))
  static let email = EncryptedColumn<Person>(
    table: "email_changes", owner: "user_id", column: "email_sealed", name: "email")

  let keys: KeyRing

  /// Stores a request and replaces an earlier one; returns the token of its link.
  func make(
    for person: ID<Person>, email: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let sealed = try Self.email.seal(email, of: person, with: keys)
    return try Self.links.issue(
      for: person, ["email_sealed": sealed, "created_at": now], now: now, in: writer)
  }

  /// The request of a valid link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> EmailChange? {
    try Self.links.find(
      token, "t.user_id, t.email_sealed, t.expires_at",
      "JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL", now: now, in: reader, make: read)
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
    try Self.links.use(
      token, "user_id, email_sealed, expires_at",
      where: """
        EXISTS (
          SELECT 1 FROM users u WHERE u.id = email_changes.user_id AND u.deleted_at IS NULL)
        """, now: now, in: writer, make: read)
  }

  private func read(_ row: inout RowReader) throws -> EmailChange {
    let person = try row.next(ID<Person>.self)
    let address = try Self.email.open(try row.next(), of: person, with: keys)
    return EmailChange(person: person, email: address, expiresAt: try row.next())
  }
}
