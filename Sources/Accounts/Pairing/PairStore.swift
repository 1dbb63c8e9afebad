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
  static let links = LinkTokens<Person>(
    table: "pair_invitations", owner: "inviter_id", isOnePerOwner: true, lifetime: .days(7))
  static let email = EncryptedColumn<Invitation>(
    table: "pair_invitations", owner: "id", column: "email_sealed", hashColumn: "email_hash",
    name: "email")

  let keys: KeyRing

  /// Stores an invitation and replaces the inviter's earlier one; returns the token of the link.
  func replace(
    by inviter: ID<Person>, to email: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let id = ID<Invitation>(now: now)
    return try Self.links.issue(
      for: inviter,
      [
        "id": id, "email_sealed": try Self.email.seal(email, of: id, with: keys),
        "email_hash": keys.lookupHash(email), "sent_at": now,
      ], now: now, in: writer)
  }

  /// The valid invitation of a mailed link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> PairInvitation? {
    try Self.links.find(token, Self.columns, Self.join, now: now, in: reader, make: invitation)
  }

  /// A user's pending invitation.
  func pending(of inviter: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> PairInvitation?
  {
    try kept(of: inviter, in: reader).flatMap { $0.expiresAt > now ? $0 : nil }
  }

  /// A user's invitation while its row exists, expired or not.
  func kept(of inviter: ID<Person>, in reader: ReadTransaction) throws -> PairInvitation? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM pair_invitations t \(Self.join) WHERE t.inviter_id = \(inviter)
      """, make: invitation)
  }

  private static let columns: Query =
    "t.id, t.inviter_id, u.display_name, t.email_sealed, t.sent_at, t.expires_at"
  private static let join: Query =
    "JOIN users u ON u.id = t.inviter_id AND u.deleted_at IS NULL"

  private func invitation(_ row: inout RowReader) throws -> PairInvitation {
    let id = try row.next(ID<Invitation>.self)
    return PairInvitation(
      id: id, inviter: try row.next(), inviterName: try row.next(),
      email: try Self.email.open(try row.next([UInt8].self), of: id, with: keys),
      sentAt: try row.next(), expiresAt: try row.next())
  }
}
