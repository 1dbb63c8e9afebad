import Core
import Database
import Secrets

/// The phantom type of a linked identity's identifier.
enum ProviderIdentity {}

/// A person at a provider: the pair that never changes (OpenID Connect Core 1.0, section 5.7).
struct ProviderSubject: Codable, Equatable {
  let issuer: String
  let subject: String

  /// An issuer has no space, so no two pairs have the same text.
  var text: String { "\(issuer) \(subject)" }
}

/// An identity that is linked to a member.
struct LinkedIdentity {
  let issuer: String
  let linkedAt: Instant
  let usedAt: Instant?
  /// When the provider stopped forwarding mail to the member's address; nil while it does.
  let mailStoppedAt: Instant?
}

/// Members' accounts with OpenID providers, one for each member and provider.
struct ProviderIdentityStore {
  static let identity = EncryptedColumn<ProviderIdentity>(
    table: "provider_identities", owner: "id", column: "identity_sealed",
    hashColumn: "identity_hash", name: "identity")

  let keys: KeyRing

  /// The member who has a linked identity, or one who deleted the account; nil if there is none.
  func member(_ subject: ProviderSubject, in reader: ReadTransaction) throws -> Credentials? {
    try reader.first(
      """
      SELECT u.id, u.role, u.password_hash, u.language, u.deleted_at
      FROM provider_identities i JOIN users u ON u.id = i.user_id
      WHERE i.identity_hash = \(keys.lookupHash(subject.text))
      """
    ) {
      Credentials(
        id: try $0.next(), role: Role(rawValue: try $0.next()) ?? .guest,
        passwordHash: try $0.next(),
        language: try $0.next(String?.self).flatMap(Language.init(rawValue:)),
        deletedAt: try $0.next())
    }
  }

  /// The linked identity; nil if it is not linked.
  func find(
    _ subject: ProviderSubject, in reader: ReadTransaction
  ) throws -> ID<ProviderIdentity>? {
    try reader.value(
      "SELECT id FROM provider_identities WHERE identity_hash = \(keys.lookupHash(subject.text))")
  }

  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [LinkedIdentity] {
    try reader.rows(
      """
      SELECT issuer, created_at, used_at, mail_stopped_at FROM provider_identities
      WHERE user_id = \(person) ORDER BY issuer
      """
    ) {
      LinkedIdentity(
        issuer: try $0.next(), linkedAt: try $0.next(), usedAt: try $0.next(),
        mailStoppedAt: try $0.next())
    }
  }

  /// Links an identity; returns false if it is linked to another member, or this member has another
  /// one of the same provider.
  func link(
    _ subject: ProviderSubject, to person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let id = ID<ProviderIdentity>(now: now)
    return try writer.execute(
      """
      INSERT INTO provider_identities (id, user_id, issuer, identity_sealed, identity_hash,
        created_at)
      VALUES (\(id), \(person), \(subject.issuer),
        \(try Self.identity.seal(subject.text, of: id, with: keys)),
        \(keys.lookupHash(subject.text)), \(now))
      ON CONFLICT DO NOTHING
      """) == 1
  }

  func noteUse(
    _ subject: ProviderSubject, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE provider_identities SET used_at = \(now)
      WHERE identity_hash = \(keys.lookupHash(subject.text))
      """)
  }

  /// Notes whether the provider forwards mail to an address, if it is the member's.
  func setForwarding(
    _ forwards: Bool, to emailHash: [UInt8], of subject: ProviderSubject, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE provider_identities SET mail_stopped_at = \(forwards ? nil : now)
      WHERE identity_hash = \(keys.lookupHash(subject.text)) AND EXISTS (
        SELECT 1 FROM users u
        WHERE u.id = provider_identities.user_id AND u.email_hash = \(emailHash))
      """)
  }

  /// Removes a member's identity; returns nil if there is none.
  func unlink(
    _ issuer: String, of person: ID<Person>, in writer: WriteTransaction
  ) throws -> ID<ProviderIdentity>? {
    try writer.first(
      """
      DELETE FROM provider_identities WHERE user_id = \(person) AND issuer = \(issuer) RETURNING id
      """
    ) { try $0.next() }
  }

  /// Removes identities that were linked since a moment, other than when the account was made.
  func unlinkAll(
    of person: ID<Person>, since moment: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM provider_identities WHERE user_id = \(person) AND created_at >= \(moment)
        AND created_at > (SELECT created_at FROM users WHERE id = \(person))
      """)
  }

  func unlinkAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM provider_identities WHERE user_id = \(person)")
  }

  /// The identities with their subjects, for an export.
  func subjects(of person: ID<Person>, in reader: ReadTransaction) throws -> [(
    subject: ProviderSubject, linkedAt: Instant, usedAt: Instant?
  )] {
    try reader.rows(
      """
      SELECT id, issuer, identity_sealed, created_at, used_at FROM provider_identities
      WHERE user_id = \(person) ORDER BY issuer
      """
    ) { row in
      let (id, issuer) = (try row.next(ID<ProviderIdentity>.self), try row.next(String.self))
      let text = try Self.identity.open(row.next(), of: id, with: keys)
      return (
        ProviderSubject(issuer: issuer, subject: String(text.dropFirst(issuer.count + 1))),
        try row.next(), try row.next()
      )
    }
  }
}
