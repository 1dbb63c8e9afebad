import Core
import Database
import Secrets
import Web

/// A member's data for signing in.
struct Credentials {
  let id: ID<Person>
  let role: Role
  let passwordHash: String?
  let language: Language?
  /// When the account was deleted, if it can still be restored.
  var deletedAt: Instant?
}

/// A new member before the row exists.
struct NewMember {
  let id: ID<Person>
  let displayName: String
  let email: String
  /// Nil until the member has chosen one.
  let passwordHash: String?
  /// The account with a provider that is linked to the member.
  var identity: ProviderSubject? = nil
  var passkey: NewPasskey? = nil
  let language: Language
  let timeZone: String?
  let termsVersion: String
  let couple: (id: ID<Couple>, side: Int)?
}

/// Users and their addresses. Addresses are stored encrypted and found by a keyed hash.
struct PersonStore {
  static let email = EncryptedColumn<Person>(
    table: "users", owner: "id", column: "email_sealed", hashColumn: "email_hash", name: "email")

  let database: Database
  let keys: KeyRing

  /// The member with this address, unless deleted.
  func credentials(emailHash: [UInt8]) throws -> Credentials? {
    try database.read { reader in
      try reader.first(
        """
        SELECT id, role, password_hash, language FROM users
        WHERE email_hash = \(emailHash) AND deleted_at IS NULL
        """
      ) {
        Credentials(
          id: try $0.next(), role: Role(rawValue: try $0.next()) ?? .guest,
          passwordHash: try $0.next(),
          language: try $0.next(String?.self).flatMap(Language.init(rawValue:)))
      }
    }
  }

  /// Whether password and account are unchanged since the credentials were verified.
  func isStillValid(_ judged: Credentials, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM users
      WHERE id = \(judged.id) AND password_hash IS NOT DISTINCT FROM \(judged.passwordHash)
        AND deleted_at IS NOT DISTINCT FROM \(judged.deletedAt)
      """)
  }

  /// Whether no user has ever registered.
  func isEmpty(in reader: ReadTransaction) throws -> Bool {
    try !reader.exists("SELECT 1 FROM users LIMIT 1")
  }

  func memberCount() throws -> Int {
    try database.read {
      try $0.count("SELECT count(*) FROM users WHERE deleted_at IS NULL AND role > 1")
    }
  }

  func passwordHash(of viewer: Viewer) throws -> String? {
    try database.read { try passwordHash(of: viewer.id, in: $0) }
  }

  func passwordHash(of person: ID<Person>, in reader: ReadTransaction) throws -> String? {
    try reader.value("SELECT password_hash FROM users WHERE id = \(person)", as: String?.self)
      ?? nil
  }

  /// Whether the address belongs to a member, and whether that member is in a couple of two.
  func status(emailHash: [UInt8], in reader: ReadTransaction) throws -> EmailAvailability {
    let status = try reader.value(
      """
      SELECT coalesce(c.status, 'none') FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.email_hash = \(emailHash) AND u.deleted_at IS NULL
      """, as: String.self)
    switch status {
    case nil: return .free
    case "none", "single", "frozen": return .memberAlone
    default: return .memberInCouple
    }
  }

  /// Whether this user has this address and is not deleted.
  func has(_ person: ID<Person>, emailHash: [UInt8], in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM users WHERE id = \(person) AND email_hash = \(emailHash) AND deleted_at IS NULL
      """)
  }

  func hash(_ address: String) -> [UInt8] { keys.lookupHash(address) }

  func add(_ member: NewMember, now: Instant, in writer: WriteTransaction) throws {
    let sealed = try Self.email.seal(member.email, of: member.id, with: keys)
    try writer.execute(
      """
      INSERT INTO users (id, role, display_name, email_sealed, email_hash, password_hash,
        couple_id, couple_side, language, time_zone, terms_version, terms_accepted_at, created_at)
      VALUES (\(member.id), \(Role.member.rawValue), \(member.displayName), \(sealed),
        \(hash(member.email)), \(member.passwordHash), \(member.couple?.id), \(member.couple?.side),
        \(member.language.rawValue), \(member.timeZone), \(member.termsVersion), \(now), \(now))
      """)
    try PersistentCounter.people.count(in: writer)
    if let identity = member.identity {
      _ = try ProviderIdentityStore(keys: keys).link(
        identity, to: member.id, now: now, in: writer)
    }
    if let passkey = member.passkey {
      _ = try PasskeyStore().add(passkey, to: member.id, now: now, in: writer)
    }
  }

  func promote(
    _ guest: ID<Person>, to member: NewMember, through guests: GuestStore,
    in writer: WriteTransaction
  ) throws -> Bool {
    try guests.promote(
      guest, to: member,
      sealedEmail: try Self.email.seal(member.email, of: guest, with: keys),
      emailHash: hash(member.email), in: writer)
  }

  /// A user as the recipient of a mail; nil without an address. `language` is used if the user has
  /// not chosen one.
  func recipient(
    _ person: ID<Person>, language: Language, in writer: WriteTransaction
  ) throws -> Recipient? {
    let row = try writer.first(
      "SELECT email_sealed, display_name, language FROM users WHERE id = \(person)"
    ) { (try $0.next([UInt8]?.self), try $0.next(String.self), try $0.next(String?.self)) }
    guard let row, let sealed = row.0 else { return nil }
    let address = try Self.email.open(sealed, of: person, with: keys)
    return Recipient(
      address: address, name: row.1,
      language: row.2.flatMap(Language.init(rawValue:)) ?? language)
  }

  /// A user's address; nil if there is none.
  func address(of person: ID<Person>, in reader: ReadTransaction) throws -> String? {
    let sealed =
      try reader.value("SELECT email_sealed FROM users WHERE id = \(person)", as: [UInt8]?.self)
      ?? nil
    return try sealed.map {
      try Self.email.open($0, of: person, with: keys)
    }
  }

  /// The display name of a user, and the name of their couple.
  func names(of person: ID<Person>, in reader: ReadTransaction) throws -> [String] {
    try reader.first(
      """
      SELECT u.display_name, c.name FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(person)
      """
    ) { [try $0.next(String?.self), try $0.next(String?.self)].compactMap { $0 } } ?? []
  }

  func setPassword(_ hash: String, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE users SET password_hash = \(hash) WHERE id = \(person)")
  }

  /// Removes the password. Signing in is impossible until a new one is set by mail.
  func removePassword(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE users SET password_hash = NULL WHERE id = \(person)")
  }

  func setLanguage(_ language: Language, of viewer: Viewer) throws {
    try database.write {
      try $0.execute("UPDATE users SET language = \(language.rawValue) WHERE id = \(viewer.id)")
    }
  }

  func setTheme(_ theme: Theme, of viewer: Viewer) throws {
    try database.write {
      try $0.execute("UPDATE users SET theme = \(theme.rawValue) WHERE id = \(viewer.id)")
    }
  }
}

/// The state of an address that a user registers. It is never disclosed.
enum EmailAvailability {
  case free
  case memberAlone
  case memberInCouple
}

extension PersistentCounter {
  /// Counts new users; a guest who becomes a member is not counted again.
  static let people = PersistentCounter(
    "pairspot_people_total", "Accounts that were created, including guests.")
}
