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

/// Links that restore a previous address: valid for 7 days, long enough for a holiday; one use ends
/// all links of a user.
struct EmailUndoStore {
  static let links = LinkTokens<Person>(table: "email_undos", lifetime: .days(7))
  static let email = EncryptedColumn<Person>(
    table: "email_undos", owner: "user_id", column: "email_sealed", name: "email")

  let keys: KeyRing

  /// Stores the previous address; returns the token of its link.
  func make(
    for person: ID<Person>, email: String, passwordHash: String?, now: Instant,
    in writer: WriteTransaction
  ) throws -> Token {
    let sealed = try Self.email.seal(email, of: person, with: keys)
    return try Self.links.issue(
      for: person, ["email_sealed": sealed, "password_hash": passwordHash], now: now, in: writer)
  }

  /// The request of a valid link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> EmailUndo? {
    try Self.links.find(
      token, "t.user_id, t.email_sealed, t.password_hash, u.deleted_at",
      "JOIN users u ON u.id = t.user_id", now: now, in: reader
    ) {
      let person = try $0.next(ID<Person>.self)
      let email = try Self.email.open(try $0.next(), of: person, with: keys)
      return EmailUndo(
        person: person, email: email, passwordHash: try $0.next(), deletedAt: try $0.next())
    }
  }
}
