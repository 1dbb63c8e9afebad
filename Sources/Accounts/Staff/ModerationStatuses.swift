import Core
import Database

/// How somebody stands with the moderators.
public struct UserModerationStatus: Sendable {
  public let id: ID<Person>
  public let name: String
  public let role: Role
  public let couple: ID<Couple>?
  public let coupleName: String?
  public let suspension: Suspension?
  public let joinedAt: Instant
}

/// How a couple stands with them.
public struct CoupleModerationStatus: Sendable {
  public let id: ID<Couple>
  public let name: String
  public let bio: String
  public let status: CoupleStatus
  public let hiddenAt: Instant?
  /// Gone for the two as well.
  public let isRemoved: Bool
  public let avatar: String?
}

/// What moderators may know and change of people and couples: names and states, never addresses
/// (docs/developer/moderation.md).
public struct ModerationStatuses: Sendable {
  /// How many a list shows.
  public static let listed = 50

  /// When a suspension for good ends.
  private static let forGood = Instant(milliseconds: .max)

  public init() {}

  /// A suspension as it is kept, while it lasts.
  static func suspension(until: Instant?, why: String, now: Instant) -> Suspension? {
    guard let until, until > now else { return nil }
    return Suspension(until: until == forGood ? nil : until, why: why)
  }

  // MARK: Changing

  /// Suspends a person, or changes how long; `until` is nil for good.
  public func suspend(
    _ person: ID<Person>, until: Instant?, why: String, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE users SET suspended_until = ?, suspended_why = ? WHERE id = ?",
      until ?? Self.forGood, why, person)
  }

  public func lift(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE users SET suspended_until = NULL, suspended_why = '' WHERE id = ?", person)
  }

  /// Hides a couple and all that is theirs from everybody but the two, or, removed, from the two as
  /// well; or shows them again.
  public func set(
    isHidden: Bool, isRemoved: Bool, _ couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE couples SET hidden_at = CASE WHEN ? THEN coalesce(hidden_at, ?) END,
        removed_at = CASE WHEN ? THEN coalesce(removed_at, ?) END WHERE id = ?
      """, isHidden || isRemoved, now, isRemoved, now, couple)
  }

  // MARK: Reading

  private static let columns = """
    u.id, u.display_name, u.role, u.couple_id, c.name, u.suspended_until, u.suspended_why,
    u.created_at
    """

  private static func person(_ row: Row, now: Instant) throws -> UserModerationStatus {
    UserModerationStatus(
      id: try row.id(0), name: row.text(1), role: Role(rawValue: row.int(2)) ?? .guest,
      couple: try row.optionalID(3), coupleName: row.optionalText(4),
      suspension: suspension(until: row.optionalInstant(5), why: row.text(6), now: now),
      joinedAt: row.instant(7))
  }

  /// A living person.
  public func person(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> UserModerationStatus? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = ? AND u.deleted_at IS NULL
      """, person
    ) { try Self.person($0, now: now) }
  }

  /// Living people whose names begin so; without a name those who are suspended.
  public func people(
    named name: String, now: Instant, in reader: ReadTransaction
  ) throws -> [UserModerationStatus] {
    guard !name.isEmpty else {
      return try reader.rows(
        """
        SELECT \(Self.columns) FROM users u INDEXED BY users_suspended
        LEFT JOIN couples c ON c.id = u.couple_id
        WHERE u.suspended_until IS NOT NULL AND u.suspended_until > ? AND u.deleted_at IS NULL
        ORDER BY u.suspended_until LIMIT ?
        """, now, Self.listed
      ) { try Self.person($0, now: now) }
    }
    return try reader.rows(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.display_name COLLATE NOCASE >= ? AND u.display_name COLLATE NOCASE < ?
        AND u.deleted_at IS NULL
      ORDER BY u.display_name COLLATE NOCASE, u.id LIMIT ?
      """, name, name + Self.behindAll, Self.listed
    ) { try Self.person($0, now: now) }
  }

  /// Whether somebody is kept from what others see, just now.
  public func isSuspended(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists("SELECT 1 FROM users WHERE id = ? AND suspended_until > ?", person, now)
  }

  /// The people of a couple who are here.
  public func people(
    of couple: ID<Couple>, now: Instant, in reader: ReadTransaction
  ) throws -> [UserModerationStatus] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.couple_id = ? AND u.deleted_at IS NULL ORDER BY u.couple_side
      """, couple
    ) { try Self.person($0, now: now) }
  }

  /// Whether two people are, or ever were, in one couple.
  public func haveSharedCouple(
    _ person: ID<Person>, _ other: ID<Person>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM couple_members m JOIN couple_members o ON o.couple_id = m.couple_id
      WHERE m.user_id = ? AND o.user_id = ?
      """, person, other)
  }

  /// Whether a person is, or ever was, in a couple.
  public func hasBelonged(
    _ person: ID<Person>, to couple: ID<Couple>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM couple_members WHERE couple_id = ? AND user_id = ?", couple, person)
  }

  private static func couple(_ row: Row) throws -> CoupleModerationStatus {
    CoupleModerationStatus(
      id: try row.id(0), name: row.text(1), bio: row.text(2),
      status: CoupleStatus(rawValue: row.text(3)) ?? .frozen, hiddenAt: row.optionalInstant(4),
      isRemoved: !row.isNull(6), avatar: row.optionalText(5).map(AccountLinks.media))
  }

  /// Of a couple that all have left by deleting their accounts nothing is shown: the name of a
  /// couple of one is the person's own.
  private static let hasPeople = """
    EXISTS (SELECT 1 FROM couple_members m JOIN users u ON u.id = m.user_id
      WHERE m.couple_id = couples.id AND u.deleted_at IS NULL)
    """

  /// A couple of whom somebody is here, or was in it and still has an account.
  public func couple(_ id: ID<Couple>, in reader: ReadTransaction) throws -> CoupleModerationStatus?
  {
    try reader.first(
      """
      SELECT id, name, bio, status, hidden_at, avatar, removed_at FROM couples
      WHERE id = ? AND \(Self.hasPeople)
      """, id, make: Self.couple)
  }

  /// Such couples whose names begin so; without a name those that are hidden.
  public func couples(named name: String, in reader: ReadTransaction) throws
    -> [CoupleModerationStatus]
  {
    guard !name.isEmpty else {
      return try reader.rows(
        """
        SELECT id, name, bio, status, hidden_at, avatar, removed_at FROM couples INDEXED BY couples_hidden
        WHERE hidden_at IS NOT NULL AND \(Self.hasPeople) ORDER BY hidden_at DESC LIMIT ?
        """, Self.listed, make: Self.couple)
    }
    return try reader.rows(
      """
      SELECT id, name, bio, status, hidden_at, avatar, removed_at FROM couples
      WHERE name COLLATE NOCASE >= ? AND name COLLATE NOCASE < ? AND \(Self.hasPeople)
      ORDER BY name COLLATE NOCASE, id LIMIT ?
      """, name, name + Self.behindAll, Self.listed, make: Self.couple)
  }

  /// How many people are suspended at this moment.
  public func suspendedCount(now: Instant, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM users INDEXED BY users_suspended
      WHERE suspended_until IS NOT NULL AND suspended_until > ? AND deleted_at IS NULL
      """, now)
  }

  /// Those who look after reports: all staff, with powers just now or not.
  public func staff(in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows(
      "SELECT id FROM users INDEXED BY users_staff WHERE role > 2 AND deleted_at IS NULL"
    ) { try $0.id(0) }
  }

  /// Sorts behind every name that begins with what stands before it.
  private static let behindAll = "\u{10FFFF}"
}
