import Core
import Database
import Secrets

/// Reset links: valid for one hour and one use.
enum PasswordResetStore {
  static let links = LinkTokens<Person>(
    table: "verification_tokens", kind: "reset", lifetime: .hours(1))

  /// The user of a valid link.
  static func person(
    _ token: Token, now: Instant, in reader: ReadTransaction
  ) throws -> ID<Person>? {
    try links.find(
      token, "t.user_id", "JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL", now: now,
      in: reader
    ) { try $0.next() }
  }

  /// Uses a link up, and with it all others of that user; nil if it is used or expired.
  static func use(_ token: Token, now: Instant, in writer: WriteTransaction) throws -> ID<Person>? {
    let person = try links.use(token, "user_id", now: now, in: writer) {
      try $0.next(ID<Person>.self)
    }
    if let person { try links.revokeAll(of: person, now: now, in: writer) }
    return person
  }
}
