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

  static let email = EncryptedColumn<Invitation>(
    table: "pair_invitations", owner: "id", column: "email_sealed", hashColumn: "email_hash",
    name: "email")

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
      VALUES (\(id), \(inviter), \(try Self.email.seal(email, of: id, with: keys)),
        \(keys.lookupHash(email)), \(token.sha256), \(now), \(now.adding(seconds: Self.lifetime)))
      """)
    return token
  }

  /// The valid invitation of a mailed link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> PairInvitation? {
    try reader.first(
      "\(Self.select) WHERE i.token_hash = \(token.sha256) AND i.expires_at > \(now)",
      make: invitation)
  }

  /// A user's pending invitation.
  func pending(of inviter: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> PairInvitation?
  {
    try reader.first(
      "\(Self.select) WHERE i.inviter_id = \(inviter) AND i.expires_at > \(now)", make: invitation)
  }

  /// A user's invitation while its row exists, expired or not.
  func kept(of inviter: ID<Person>, in reader: ReadTransaction) throws -> PairInvitation? {
    try reader.first("\(Self.select) WHERE i.inviter_id = \(inviter)", make: invitation)
  }

  /// Deletes the invitation that this user sent.
  func end(of inviter: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM pair_invitations WHERE inviter_id = \(inviter)")
  }

  /// Removes expired invitations.
  func purge(now: Instant) throws {
    try database.write {
      try $0.execute("DELETE FROM pair_invitations WHERE expires_at <= \(now)")
    }
  }

  private static let select: Query = """
    SELECT i.id, i.inviter_id, u.display_name, i.email_sealed, i.sent_at, i.expires_at
    FROM pair_invitations i JOIN users u ON u.id = i.inviter_id AND u.deleted_at IS NULL
    """

  private func invitation(_ row: inout RowReader) throws -> PairInvitation {
    let id = try row.next(ID<Invitation>.self)
    return PairInvitation(
      id: id, inviter: try row.next(), inviterName: try row.next(),
      email: try Self.email.open(try row.next([UInt8].self), of: id, with: keys),
      sentAt: try row.next(), expiresAt: try row.next())
  }
}
