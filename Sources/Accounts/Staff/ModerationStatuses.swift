import Core
import Database

/// The moderation status of a user.
public struct UserModerationStatus: Sendable {
  public let id: ID<Person>
  public let name: String
  public let role: Role
  public let couple: ID<Couple>?
  public let coupleName: String?
  public let suspension: Suspension?
  public let joinedAt: Instant
  /// When a browser or app was last used; nil while signed in nowhere.
  public let lastSeenAt: Instant?
}

/// The moderation status of a couple.
public struct CoupleModerationStatus: Sendable {
  public let id: ID<Couple>
  public let name: String
  public let bio: String
  public let status: CoupleStatus
  public let hiddenAt: Instant?
  /// Whether it is hidden from its two members as well.
  public let isRemoved: Bool
  public let avatar: String?
  public let createdAt: Instant
}

/// A part of a list of users or couples, newest first.
public struct ModerationList<Row: Sendable, Kind>: Sendable {
  public let rows: [Row]
  /// Where the next part begins; nil at the end.
  public let older: ID<Kind>?

  public init(rows: [Row], older: ID<Kind>? = nil) {
    self.rows = rows
    self.older = older
  }
}

/// Moderators' access to users and couples: names and states, never addresses
/// (docs/developer/moderation.md).
public struct ModerationStatuses: Sendable {
  /// The length of a list.
  public static let listed = 50
  /// The number of rows that one search looks through.
  private static let searched = 5000

  /// The end of a permanent suspension.
  private static let forGood = Instant(milliseconds: .max)

  public init() {}

  /// A stored suspension; nil if it is over.
  static func suspension(until: Instant?, why: String, now: Instant) -> Suspension? {
    guard let until, until > now else { return nil }
    return Suspension(until: until == forGood ? nil : until, why: why)
  }

  // MARK: Changing

  /// Suspends a user, or changes the duration; `until` is nil for a permanent suspension.
  public func suspend(
    _ person: ID<Person>, until: Instant?, why: String, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE users SET suspended_until = \(until ?? Self.forGood), suspended_why = \(why)
      WHERE id = \(person)
      """)
  }

  public func lift(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE users SET suspended_until = NULL, suspended_why = '' WHERE id = \(person)")
  }

  /// Hides a couple and its content from all but its two members; if removed, from them as well. Or
  /// shows it again.
  public func set(
    isHidden: Bool, isRemoved: Bool, _ couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE couples SET
        hidden_at = CASE WHEN \(isHidden || isRemoved) = 1 THEN coalesce(hidden_at, \(now)) END,
        removed_at = CASE WHEN \(isRemoved) = 1 THEN coalesce(removed_at, \(now)) END
      WHERE id = \(couple)
      """)
  }

  // MARK: Reading

  private static let columns: Query = """
    u.id, u.display_name, u.role, u.couple_id, c.name, u.suspended_until, u.suspended_why,
    u.created_at, (SELECT max(seen_at) FROM (
      SELECT seen_at FROM sessions WHERE user_id = u.id
      UNION ALL SELECT seen_at FROM refresh_families WHERE user_id = u.id) AS sign_ins)
    """

  private static func person(_ row: inout RowReader, now: Instant) throws -> UserModerationStatus {
    UserModerationStatus(
      id: try row.next(), name: try row.next(), role: Role(rawValue: try row.next()) ?? .guest,
      couple: try row.next(), coupleName: try row.next(),
      suspension: suspension(until: try row.next(), why: try row.next(), now: now),
      joinedAt: try row.next(), lastSeenAt: try row.next())
  }

  /// A user's status; nil if deleted.
  public func person(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> UserModerationStatus? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(person) AND u.deleted_at IS NULL
      """
    ) { try Self.person(&$0, now: now) }
  }

  /// The suspended users, whose suspension ends first.
  public func suspended(now: Instant, in reader: ReadTransaction) throws -> [UserModerationStatus] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM users u \(index: "users_suspended")
      LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.suspended_until IS NOT NULL AND u.suspended_until > \(now)
        AND u.deleted_at IS NULL
      ORDER BY u.suspended_until LIMIT \(Self.listed)
      """
    ) { try Self.person(&$0, now: now) }
  }

  /// The newest users before another, except deleted ones, whose names contain `name`, without
  /// regard to case and accents. Looks through `searched` users at most; the next part goes on there.
  public func people(
    named name: String, before: ID<Person>?, now: Instant, in reader: ReadTransaction
  ) throws -> ModerationList<UserModerationStatus, Person> {
    let names = try reader.rows(
      """
      SELECT id, display_name FROM users WHERE id < \(before?.bytes ?? Self.end)
        AND deleted_at IS NULL ORDER BY id DESC LIMIT \(Self.searched)
      """
    ) { NamedRow<Person>(id: try $0.next(), name: try $0.next()) }
    let rows = try reader.rows(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id IN \(IDList(Self.found(name, in: names))) ORDER BY u.id DESC LIMIT \(Self.listed)
      """
    ) { try Self.person(&$0, now: now) }
    return ModerationList(
      rows: rows, older: rows.count == Self.listed ? rows.last?.id : Self.next(after: names))
  }

  private struct NamedRow<Kind> {
    let id: ID<Kind>
    let name: String
  }

  /// SQLite knows no case of letters beyond ASCII.
  private static func found<Kind>(_ name: String, in rows: [NamedRow<Kind>]) -> [ID<Kind>] {
    let sought = name.folded
    return rows.filter { sought.isEmpty || $0.name.folded.contains(sought) }.map(\.id)
  }

  /// Where the next part begins; nil if these are all.
  private static func next<Kind>(after rows: [NamedRow<Kind>]) -> ID<Kind>? {
    rows.count == searched ? rows.last?.id : nil
  }

  /// Whether the user is suspended now.
  public func isSuspended(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists("SELECT 1 FROM users WHERE id = \(person) AND suspended_until > \(now)")
  }

  /// The members of a couple who are not deleted.
  public func people(
    of couple: ID<Couple>, now: Instant, in reader: ReadTransaction
  ) throws -> [UserModerationStatus] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.couple_id = \(couple) AND u.deleted_at IS NULL ORDER BY u.couple_side
      """
    ) { try Self.person(&$0, now: now) }
  }

  /// Whether two users are, or ever were, in the same couple.
  public func haveSharedCouple(
    _ person: ID<Person>, _ other: ID<Person>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM couple_members m JOIN couple_members o ON o.couple_id = m.couple_id
      WHERE m.user_id = \(person) AND o.user_id = \(other)
      """)
  }

  /// Whether a user is, or ever was, in a couple.
  public func hasBelonged(
    _ person: ID<Person>, to couple: ID<Couple>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM couple_members WHERE couple_id = \(couple) AND user_id = \(person)")
  }

  private static func couple(_ row: inout RowReader) throws -> CoupleModerationStatus {
    CoupleModerationStatus(
      id: try row.next(), name: try row.next(), bio: try row.next(),
      status: CoupleStatus(rawValue: try row.next()) ?? .frozen, hiddenAt: try row.next(),
      isRemoved: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media),
      createdAt: try row.next())
  }

  private static let coupleColumns: Query = """
    id, name, bio, status, hidden_at, removed_at IS NOT NULL, avatar, created_at
    """

  /// A couple is listed only while one of its members, current or former, is not deleted: the name
  /// of a couple of one is the user's own.
  private static let hasPeople: Query = """
    EXISTS (SELECT 1 FROM couple_members m JOIN users u ON u.id = m.user_id
      WHERE m.couple_id = couples.id AND u.deleted_at IS NULL)
    """

  /// A couple with at least one current or former member who is not deleted.
  public func couple(_ id: ID<Couple>, in reader: ReadTransaction) throws -> CoupleModerationStatus?
  {
    try reader.first(
      """
      SELECT \(Self.coupleColumns) FROM couples
      WHERE id = \(id) AND \(Self.hasPeople)
      """, make: Self.couple)
  }

  /// The hidden couples, the latest first.
  public func hiddenCouples(in reader: ReadTransaction) throws -> [CoupleModerationStatus] {
    try reader.rows(
      """
      SELECT \(Self.coupleColumns) FROM couples \(index: "couples_hidden")
      WHERE hidden_at IS NOT NULL AND \(Self.hasPeople) ORDER BY hidden_at DESC
      LIMIT \(Self.listed)
      """, make: Self.couple)
  }

  /// The newest listed couples before another, whose names contain `name`, without regard to case and
  /// accents. Looks through `searched` couples at most; the next part goes on there.
  public func couples(
    named name: String, before: ID<Couple>?, in reader: ReadTransaction
  ) throws -> ModerationList<CoupleModerationStatus, Couple> {
    let names = try reader.rows(
      """
      SELECT id, name FROM couples WHERE id < \(before?.bytes ?? Self.end)
      ORDER BY id DESC LIMIT \(Self.searched)
      """
    ) { NamedRow<Couple>(id: try $0.next(), name: try $0.next()) }
    let rows = try reader.rows(
      """
      SELECT \(Self.coupleColumns) FROM couples
      WHERE id IN \(IDList(Self.found(name, in: names))) AND \(Self.hasPeople)
      ORDER BY id DESC LIMIT \(Self.listed)
      """, make: Self.couple)
    return ModerationList(
      rows: rows, older: rows.count == Self.listed ? rows.last?.id : Self.next(after: names))
  }

  /// The number of users who are suspended now.
  public func suspendedCount(now: Instant, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM users \(index: "users_suspended")
      WHERE suspended_until IS NOT NULL AND suspended_until > \(now) AND deleted_at IS NULL
      """)
  }

  /// All staff, with or without elevated rights at the moment.
  public func staff(in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT id FROM users \(index: "users_staff") WHERE role > 2 AND deleted_at IS NULL
      """)
  }

  /// Sorts after every identifier.
  private static let end = [UInt8](repeating: 0xFF, count: 16)
}
