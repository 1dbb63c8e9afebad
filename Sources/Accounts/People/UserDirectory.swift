import Core
import Database
import Mail
import Secrets
import Web

/// A user as other modules see them.
public struct UserSummary: Sendable {
  public let id: ID<Person>
  public let role: Role
  public let name: String
  /// The chosen language, if any.
  public let language: Language?
  /// Nil until a browser or an app has reported one.
  public let timeZone: AccountTimeZone?
  /// The e-mail address; guests have none.
  public let address: String?
}

/// Other modules' access to users (docs/developer/architecture.md#modules: other modules do not
/// read this module's tables).
public struct UserDirectory: Sendable {
  private let keys: KeyRing

  public init(keys: KeyRing) {
    self.keys = keys
  }

  /// A user; nil if deleted.
  public func card(_ person: ID<Person>, in reader: ReadTransaction) throws -> UserSummary? {
    let row = try reader.first(
      """
      SELECT role, display_name, language, time_zone, time_zone_chosen, email_sealed FROM users
      WHERE id = \(person) AND deleted_at IS NULL
      """
    ) { row in
      let (role, name) = (Role(rawValue: try row.next()) ?? .guest, try row.next(String.self))
      let language = try row.next(String?.self).flatMap(Language.init(rawValue:))
      let (zone, isChosen) = (try row.next(String?.self), try row.next(Bool.self))
      return (
        role: role, name: name, language: language,
        zone: zone.map { AccountTimeZone(name: $0, isChosen: isChosen) },
        sealed: try row.next([UInt8]?.self)
      )
    }
    guard let row else { return nil }
    // A user whose address cannot be decrypted gets no mail, but check-ins are watched all the
    // same.
    let address = row.sealed.flatMap {
      try? PersonStore.email.open($0, of: person, with: keys)
    }
    return UserSummary(
      id: person, role: row.role, name: row.name, language: row.language, timeZone: row.zone,
      address: address)
  }

  /// The user with this e-mail address; nil if there is none.
  public func person(
    withAddress address: String, in reader: ReadTransaction
  ) throws -> ID<Person>? {
    guard let normalised = try? MailAddress(address).normalised else { return nil }
    return try reader.value(
      """
      SELECT id FROM users WHERE email_hash = \(keys.lookupHash(normalised))
        AND deleted_at IS NULL
      """)
  }

  /// Whether the user exists, or is deleted but not yet purged.
  public func isKnown(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM users WHERE id = \(person)")
  }

  /// Whether the user is signed in anywhere, in a browser or an app.
  public func isSignedIn(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM sessions WHERE user_id = \(person) AND expires_at > \(now)
      UNION ALL SELECT 1 FROM refresh_families WHERE user_id = \(person) AND expires_at > \(now)
      LIMIT 1
      """)
  }

  /// The viewer's partner in an active couple; nil if deleted.
  public func partner(of viewer: Viewer, in reader: ReadTransaction) throws -> UserSummary? {
    guard let couple = viewer.couple, couple.status == .active else { return nil }
    let partner = try reader.value(
      """
      SELECT id FROM users
      WHERE couple_id = \(couple.id) AND id <> \(viewer.id) AND deleted_at IS NULL
      """, as: ID<Person>.self)
    return try partner.flatMap { try card($0, in: reader) }
  }

  public func rename(_ person: ID<Person>, to name: String, in writer: WriteTransaction) throws {
    try SettingsStore.rename(person, to: name, in: writer)
  }
}
