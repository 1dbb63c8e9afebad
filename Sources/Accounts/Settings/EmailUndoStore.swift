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
      VALUES (?, ?, ?, ?, ?)
      """, hash, person, try keys.seal(Array(email.utf8), for: Self.context(person)), passwordHash,
      now.adding(seconds: Self.lifetime))
    return token
  }

  /// The request of a valid link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> EmailUndo? {
    try reader.first(
      """
      SELECT e.user_id, e.email_sealed, u.deleted_at, e.password_hash
      FROM email_undos e JOIN users u ON u.id = e.user_id
      WHERE e.token_hash = ? AND e.expires_at > ?
      """, token.sha256, now
    ) {
      let person = try $0.id(0, Person.self)
      return EmailUndo(
        person: person,
        email: String(
          decoding: try keys.open($0.bytes(1), for: Self.context(person)), as: UTF8.self),
        passwordHash: $0.optionalText(3), deletedAt: $0.optionalInstant(2))
    }
  }

  /// Ends all links of a person.
  func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM email_undos WHERE user_id = ?", person)
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM email_undos WHERE expires_at <= ?", now) }
  }

  /// Encrypts every address with another key ring; returns how many.
  static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction) throws
    -> Int
  {
    let kept = try writer.rows("SELECT token_hash, user_id, email_sealed FROM email_undos") {
      ($0.bytes(0), try $0.id(1, Person.self), $0.bytes(2))
    }
    for (hash, person, sealed) in kept {
      let place = context(person)
      try writer.execute(
        "UPDATE email_undos SET email_sealed = ? WHERE token_hash = ?",
        try new.seal(try old.open(sealed, for: place), for: place), hash)
    }
    return kept.count
  }

  static func context(_ person: ID<Person>) -> AssociatedData {
    AssociatedData(table: "email_undos", row: person, column: "email")
  }
}
