import Core
import Database
import Secrets

/// Registrations have their own tables, so typing an address does not occupy it
/// (docs/developer/accounts.md#registering-a-couple).
struct RegistrationStore {
  static let links = LinkTokens<Registration>(
    table: "verification_tokens", owner: "registration_id", kind: "register",
    lifetime: .hours(24))
  /// How long a couple may stay pending, in s.
  static let lifetime: Int64 = .days(7)
  /// The tokens with which apps complete a registration after its link was followed.
  private static let completions = LinkTokens<Registration>(
    table: "completion_tokens", owner: "registration_id", lifetime: lifetime)

  let database: Database
  /// The addresses of a side of registrations, 1 or 2.
  static func email(_ side: Int) -> EncryptedColumn<Registration> {
    EncryptedColumn(
      table: "registration_sides", owner: "registration_id", column: "email_sealed",
      hashColumn: "email_hash", name: "email \(side)", condition: "side = \(side)")
  }

  let keys: KeyRing

  // MARK: Creating

  func add(_ registration: PendingRegistration, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO registrations (id, kind, couple_name, anniversary, display_name, password_hash,
        language, terms_version, browser_hash, guest_id, created_at)
      VALUES (\(registration.id), \(registration.kind.rawValue), \(registration.coupleName),
        \(registration.anniversary), \(registration.displayName), \(registration.passwordHash),
        \(registration.language.rawValue), \(registration.termsVersion),
        \(registration.browserHash), \(registration.guest), \(now))
      """)
    for side in registration.sides {
      try writer.execute(
        """
        INSERT INTO registration_sides (registration_id, side, email_sealed, email_hash, sent_at)
        VALUES (\(registration.id), \(side.number),
          \(try seal(side.email, registration.id, side.number)), \(keys.lookupHash(side.email)),
          \(now))
        """)
    }
  }

  /// Creates a link for one side; earlier links stay valid until they expire.
  func makeLink(
    _ registration: ID<Registration>, side: Int, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let token = try Self.links.issue(for: registration, ["side": side], now: now, in: writer)
    try writer.execute(
      """
      UPDATE registration_sides SET sent_at = \(now)
      WHERE registration_id = \(registration) AND side = \(side)
      """)
    return token
  }

  // MARK: Finding

  /// The registration and side of a valid, unused link.
  func find(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> (
    registration: PendingRegistration, side: Int
  )? {
    try find(token, of: Self.links, now: now, in: reader)
  }

  private func find(
    _ token: Token, of tokens: LinkTokens<Registration>, now: Instant, in reader: ReadTransaction
  ) throws -> (registration: PendingRegistration, side: Int)? {
    let found = try tokens.find(token, "registration_id, side", now: now, in: reader) {
      (try $0.next(ID<Registration>.self), try $0.next(Int.self))
    }
    guard let found, let registration = try load(found.0, in: reader) else { return nil }
    return (registration, found.1)
  }

  func find(_ token: Token, now: Instant) throws -> (
    registration: PendingRegistration, side: Int
  )? {
    try database.read { try find(token, now: now, in: $0) }
  }

  // MARK: Apps

  /// The user that a side becomes by completing. It is fixed before, because apps receive it, and
  /// cannot be derived from the registration without the key.
  func person(_ registration: ID<Registration>, side: Int) -> ID<Person> {
    var bytes =
      Array(registration.bytes.prefix(6))
      + Digests.hmac(
        registration.bytes + [UInt8(side)],
        key: keys.derivedKey(purpose: "registration-people")
      ).prefix(10)
    bytes[6] = bytes[6] & 0x0F | 0x70
    bytes[8] = bytes[8] & 0x3F | 0x80
    return ID(at: bytes)
  }

  /// Creates the token with which an app completes or corrects a registration after its link was
  /// followed. It is valid while the registration waits.
  func makeCompletion(
    _ registration: ID<Registration>, side: Int, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    try writer.execute(
      """
      INSERT INTO completion_tokens (token_hash, registration_id, side, expires_at)
      SELECT \(token.sha256), id, \(side), created_at + \(Self.lifetime * 1000) FROM registrations
      WHERE id = \(registration)
      """)
    return token
  }

  /// The registration and side of such a token, completed or not.
  func find(completion token: Token, now: Instant, in reader: ReadTransaction) throws -> (
    registration: PendingRegistration, side: Int
  )? {
    try find(token, of: Self.completions, now: now, in: reader)
  }

  /// Whether the link of a side was followed with an app.
  func isVerified(
    _ registration: ID<Registration>, side: Int, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM completion_tokens WHERE registration_id = \(registration) AND side = \(side)")
  }

  // MARK: Waiting

  /// The latest registration of this browser within a day.
  func latest(browserHash: [UInt8], now: Instant) throws -> PendingRegistration? {
    try database.read { reader in
      let id = try reader.value(
        """
        SELECT id FROM registrations
        WHERE browser_hash = \(browserHash)
          AND created_at > \(now.adding(seconds: -Self.links.lifetime))
        ORDER BY created_at DESC LIMIT 1
        """, as: ID<Registration>.self)
      return try id.flatMap { try load($0, in: reader) }
    }
  }

  /// The registration of a member's pending couple.
  func waiting(of viewer: Viewer) throws -> PendingRegistration? {
    try database.read { reader in
      let id = try reader.value(
        """
        SELECT s.registration_id FROM registration_sides s
        JOIN registrations r ON r.id = s.registration_id
        WHERE s.user_id = \(viewer.id)
          AND r.couple_id = (SELECT couple_id FROM users WHERE id = \(viewer.id))
        LIMIT 1
        """, as: ID<Registration>.self)
      return try id.flatMap { try load($0, in: reader) }
    }
  }

  /// The latest registration that waits for this address, with its side.
  func waiting(for email: String, now: Instant, in reader: ReadTransaction) throws -> (
    registration: PendingRegistration, side: Int
  )? {
    let found = try reader.first(
      """
      SELECT s.registration_id, s.side FROM registration_sides s
      JOIN registrations r ON r.id = s.registration_id
      WHERE s.email_hash = \(keys.lookupHash(email)) AND s.user_id IS NULL
        AND r.created_at > \(now.adding(seconds: -Self.lifetime))
      ORDER BY r.created_at DESC LIMIT 1
      """
    ) { (try $0.next(ID<Registration>.self), try $0.next(Int.self)) }
    guard let found, let registration = try load(found.0, in: reader) else { return nil }
    return (registration, found.1)
  }

  func load(_ id: ID<Registration>, in reader: ReadTransaction) throws -> PendingRegistration? {
    let sides = try reader.rows(
      """
      SELECT side, email_sealed, sent_at, user_id, completed_at FROM registration_sides
      WHERE registration_id = \(id) ORDER BY side
      """
    ) { row in
      let number = try row.next(Int.self)
      return PendingRegistration.Side(
        number: number, email: try open(row.next(), id, number), sentAt: try row.next(),
        person: try row.next(), completedAt: try row.next())
    }
    return try reader.first(
      """
      SELECT kind, couple_name, anniversary, display_name, password_hash, language,
             terms_version, browser_hash, couple_id, guest_id
      FROM registrations WHERE id = \(id)
      """
    ) { row in
      PendingRegistration(
        id: id, kind: PendingRegistration.Kind(rawValue: try row.next()) ?? .alone,
        coupleName: try row.next(), anniversary: try row.next(), displayName: try row.next(),
        passwordHash: try row.next(), language: Language(rawValue: try row.next()) ?? .english,
        termsVersion: try row.next(),
        browserHash: try row.next(), couple: try row.next(), guest: try row.next(), sides: sides)
    }
  }

  // MARK: Changing

  func complete(
    _ registration: ID<Registration>, side: Int, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE registration_sides SET user_id = \(person), completed_at = \(now)
      WHERE registration_id = \(registration) AND side = \(side)
      """)
    try Self.links.revokeAll(of: registration, where: "side = \(side)", now: now, in: writer)
  }

  func setCouple(
    _ couple: ID<Couple>, of registration: ID<Registration>, in writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE registrations SET couple_id = \(couple) WHERE id = \(registration)")
  }

  /// Changes the address of a side that has not completed; links to the old one stop working.
  func correct(
    _ email: String, of registration: ID<Registration>, side: Int, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE registration_sides
      SET email_sealed = \(try seal(email, registration, side)),
        email_hash = \(keys.lookupHash(email)), sent_at = \(now)
      WHERE registration_id = \(registration) AND side = \(side) AND user_id IS NULL
      """)
    try Self.links.revokeAll(of: registration, where: "side = \(side)", now: now, in: writer)
    // A user who followed a link to the old address does not own the new one.
    try Self.completions.revokeAll(
      of: registration, where: "side = \(side)", now: now, in: writer)
  }

  /// Removes registrations that were not completed in 7 days; a partner who had completed stays as
  /// a single member.
  func purge(now: Instant) throws {
    try database.write { writer in
      let old = now.adding(seconds: -Self.lifetime)
      let left = try writer.values(
        """
        UPDATE users SET couple_id = NULL, couple_side = NULL WHERE couple_id IN (
          SELECT c.id FROM registrations r JOIN couples c ON c.id = r.couple_id
          WHERE r.created_at < \(old) AND c.status = 'pending')
        RETURNING id
        """, as: ID<Person>.self)
      try writer.execute(
        """
        DELETE FROM couple_members WHERE couple_id IN (
          SELECT c.id FROM registrations r JOIN couples c ON c.id = r.couple_id
          WHERE r.created_at < \(old) AND c.status = 'pending')
        """)
      let pending = try writer.values(
        """
        SELECT c.id FROM registrations r JOIN couples c ON c.id = r.couple_id
        WHERE r.created_at < \(old) AND c.status = 'pending'
        """, as: ID<Couple>.self)
      try writer.execute("DELETE FROM registrations WHERE created_at < \(old)")
      for couple in pending { try writer.execute("DELETE FROM couples WHERE id = \(couple)") }
      for person in left { try MembershipStore().returnToOwnCouple(person, now: now, in: writer) }
      try Self.links.purge(now: old, in: writer)
      try Self.completions.purge(now: now, in: writer)
    }
  }

  // MARK: Encryption

  private func seal(_ email: String, _ id: ID<Registration>, _ side: Int) throws -> [UInt8] {
    try Self.email(side).seal(email, of: id, with: keys)
  }

  private func open(_ sealed: [UInt8], _ id: ID<Registration>, _ side: Int) throws -> String {
    try Self.email(side).open(sealed, of: id, with: keys)
  }
}
