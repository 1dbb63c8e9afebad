import Core
import Database
import Secrets

/// The phantom type of an invitation's identifier.
enum Invitation {}

/// A pending invitation to pair.
struct PairInvitation {
  let id: ID<Invitation>
  let inviter: ID<Person>
  let inviterName: String
  let email: String
  let sentAt: Instant
  let expiresAt: Instant
}

/// Invitations to pair. An accepted, withdrawn or replaced invitation is deleted, so a link works
/// once.
struct PairStore {
  /// How long a link works, in s.
  static let lifetime: Int64 = .days(7)

  let database: Database
  let keys: KeyRing

  /// Stores an invitation and replaces the inviter's earlier one; returns the token of the link.
  func replace(
    by inviter: ID<Person>, to email: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    try end(of: inviter, in: writer)
    let (id, token) = (ID<Invitation>(now: now), Token.random())
    try writer.execute(
      """
      INSERT INTO pair_invitations
        (id, inviter_id, email_sealed, email_hash, token_hash, sent_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, id, inviter, try keys.seal(Array(email.utf8), for: Self.context(id)),
      keys.lookupHash(email), token.sha256, now, now.adding(seconds: Self.lifetime))
    return token
  }

  /// The valid invitation of a mailed link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> PairInvitation? {
    try reader.first(
      "\(Self.select) WHERE i.token_hash = ? AND i.expires_at > ?", token.sha256, now,
      make: invitation)
  }

  /// A user's pending invitation.
  func pending(of inviter: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> PairInvitation?
  {
    try reader.first(
      "\(Self.select) WHERE i.inviter_id = ? AND i.expires_at > ?", inviter, now,
      make: invitation)
  }

  /// A user's invitation while its row exists, expired or not.
  func kept(of inviter: ID<Person>, in reader: ReadTransaction) throws -> PairInvitation? {
    try reader.first("\(Self.select) WHERE i.inviter_id = ?", inviter, make: invitation)
  }

  /// Deletes the invitation that this user sent.
  func end(of inviter: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM pair_invitations WHERE inviter_id = ?", inviter)
  }

  /// Removes expired invitations.
  func purge(now: Instant) throws {
    try database.write {
      try $0.execute("DELETE FROM pair_invitations WHERE expires_at <= ?", now)
    }
  }

  private static let select = """
    SELECT i.id, i.inviter_id, u.display_name, i.email_sealed, i.sent_at, i.expires_at
    FROM pair_invitations i JOIN users u ON u.id = i.inviter_id AND u.deleted_at IS NULL
    """

  private func invitation(_ row: Row) throws -> PairInvitation {
    let id = try row.id(0, Invitation.self)
    return PairInvitation(
      id: id, inviter: try row.id(1), inviterName: row.text(2),
      email: String(
        decoding: try keys.open(row.bytes(3), for: Self.context(id)), as: UTF8.self),
      sentAt: row.instant(4), expiresAt: row.instant(5))
  }

  /// Encrypts and hashes every address with another key ring; returns how many.
  static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction) throws
    -> Int
  {
    let invitations = try writer.rows("SELECT id, email_sealed FROM pair_invitations") {
      (try $0.id(0, Invitation.self), $0.bytes(1))
    }
    for (id, sealed) in invitations {
      let address = try old.open(sealed, for: context(id))
      try writer.execute(
        "UPDATE pair_invitations SET email_sealed = ?, email_hash = ? WHERE id = ?",
        try new.seal(address, for: context(id)),
        new.lookupHash(String(decoding: address, as: UTF8.self)), id)
    }
    return invitations.count
  }

  static func context(_ id: ID<Invitation>) -> AssociatedData {
    AssociatedData(table: "pair_invitations", row: id, column: "email")
  }
}
