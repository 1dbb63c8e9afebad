import Core
import Database
import Secrets

/// The user of a setup link.
struct StaffSetup {
  let person: ID<Person>
  let displayName: String
  /// Whether a password must be chosen, because the account was created with the link.
  let needsPassword: Bool
}

/// Moderators and admins, and their setup links.
struct StaffStore {
  static let links = LinkTokens<Person>(table: "staff_enrolments", lifetime: .hours(24))

  let database: Database

  /// Whether a user is staff, with or without elevated rights at the moment.
  func isStaff(_ person: ID<Person>) throws -> Bool {
    try database.read {
      try $0.exists(
        "SELECT 1 FROM users WHERE id = \(person) AND role > 2 AND deleted_at IS NULL")
    }
  }

  /// All staff, admins first.
  func members(
    _ people: PersonStore, in reader: ReadTransaction
  ) throws -> [StaffRoleService.Member] {
    let found = try reader.rows(
      """
      SELECT u.id, u.display_name, u.role, \(SecondFactorStore.isSet)
      FROM users u WHERE u.role > 2 AND u.deleted_at IS NULL
      ORDER BY u.role DESC, u.display_name
      """
    ) {
      (
        id: try $0.next(ID<Person>.self), name: try $0.next(String.self),
        role: Role(rawValue: try $0.next()), hasSecondFactor: try $0.next(Bool.self)
      )
    }
    return try found.map { person in
      StaffRoleService.Member(
        email: try people.address(of: person.id, in: reader) ?? "", name: person.name,
        role: person.role ?? .moderator, hasSecondFactor: person.hasSecondFactor)
    }
  }

  /// The stored role of a user; nil if deleted.
  func role(of person: ID<Person>, in reader: ReadTransaction) throws -> Role? {
    try reader.first("SELECT role FROM users WHERE id = \(person) AND deleted_at IS NULL") {
      Role(rawValue: try $0.next())
    } ?? nil
  }

  /// Throws `StaffRoleService.LastAdmin` if the user is the only admin.
  func checkAdmin(besides person: ID<Person>, in reader: ReadTransaction) throws {
    guard try role(of: person, in: reader) == .admin else { return }
    let hasOther = try reader.exists(
      """
      SELECT 1 FROM users WHERE role > 2 AND role = \(Role.admin.rawValue) AND id <> \(person)
        AND deleted_at IS NULL
      """)
    if !hasOther { throw StaffRoleService.LastAdmin() }
  }

  func setRole(_ role: Role, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE users SET role = \(role.rawValue) WHERE id = \(person)")
  }

  /// Completes an account that was created by the command.
  func complete(
    _ person: ID<Person>, displayName: String, passwordHash: String, termsVersion: String,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE users SET display_name = \(displayName), password_hash = \(passwordHash),
        terms_version = \(termsVersion), terms_accepted_at = \(now)
      WHERE id = \(person)
      """)
  }

  // MARK: Links

  /// Creates a link; earlier links of the same user stop working.
  func makeLink(for person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> Token {
    try Self.links.revokeAll(of: person, now: now, in: writer)
    return try Self.links.issue(for: person, now: now, in: writer)
  }

  /// The user of a valid link; nil if there is nothing left to set up.
  func enrolment(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> StaffSetup? {
    try Self.links.find(
      token, "t.user_id, u.display_name, u.password_hash IS NULL",
      """
      JOIN users u ON u.id = t.user_id AND u.role > 2 AND u.deleted_at IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM totp_secrets s WHERE s.user_id = u.id AND s.confirmed_at IS NOT NULL)
      """, now: now, in: reader
    ) {
      StaffSetup(person: try $0.next(), displayName: try $0.next(), needsPassword: try $0.next())
    }
  }
}
