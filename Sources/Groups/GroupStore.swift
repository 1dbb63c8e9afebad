import Accounts
import Core
import Database

/// Stores groups; every query is for one viewer. A user who is not a member sees a group only by
/// its code.
public struct GroupStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  // MARK: Groups

  /// A group of the viewer; nil if it doesn't exist or the viewer is not a member.
  public func visible(_ id: ID<Group>, to viewer: Viewer) throws -> Group? {
    try database.read { try visible(id, to: viewer.id, in: $0) }
  }

  public func visible(
    _ id: ID<Group>, to person: ID<Person>, in reader: ReadTransaction
  ) throws -> Group? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM group_members m JOIN groups g ON g.id = m.group_id
        LEFT JOIN invite_codes c ON c.group_id = g.id
        LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE m.group_id = \(id) AND m.user_id = \(person)
      """, make: Self.group)
  }

  /// The user's groups: open ones first, then by the time of joining, latest first.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Group] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM group_members m JOIN groups g ON g.id = m.group_id
        LEFT JOIN invite_codes c ON c.group_id = g.id
        LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE m.user_id = \(person)
      ORDER BY g.closed_at IS NOT NULL, m.joined_at DESC, g.id DESC
      """, make: Self.group)
  }

  /// The group of a code, with the membership of `person`, if any. The caller checks whether the
  /// code is still valid.
  func group(
    of code: InviteCode, seenBy person: ID<Person>?, in reader: ReadTransaction
  ) throws -> Group? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM invite_codes c JOIN groups g ON g.id = c.group_id
        LEFT JOIN group_members m ON m.group_id = g.id AND m.user_id = \(person)
        LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE \(code.isOfLink ? "c.link_code" as Query : "c.code") = \(code.text)
      """, make: Self.group)
  }

  /// The number of a group's member rows, as counted by the triggers.
  func size(of id: ID<Group>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM group_members WHERE group_id = \(id)")
  }

  /// The number of a user's groups.
  func groupCount(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM group_members WHERE user_id = \(person)")
  }

  /// Whether a user was removed and not allowed again.
  func isRemoved(
    _ person: ID<Person>, from id: ID<Group>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM group_removals WHERE group_id = \(id) AND user_id = \(person)")
  }

  // MARK: Contents

  func memberIDs(of id: ID<Group>, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values("SELECT user_id FROM group_members WHERE group_id = \(id)")
  }

  /// The name of a group's member.
  func member(
    _ person: ID<Person>, of id: ID<Group>, in reader: ReadTransaction
  ) throws -> String? {
    try reader.value(
      """
      SELECT p.name FROM group_members m JOIN people_seen p ON p.id = m.user_id
      WHERE m.group_id = \(id) AND m.user_id = \(person)
      """, as: String.self)
  }

  /// The removed users who may not join again, latest first.
  func removed(from id: ID<Group>, in reader: ReadTransaction) throws -> [(
    person: ID<Person>, name: String
  )] {
    try reader.rows(
      """
      SELECT r.user_id, p.name FROM group_removals r JOIN people_seen p ON p.id = r.user_id
      WHERE r.group_id = \(id) ORDER BY r.removed_at DESC, r.user_id
      """
    ) { (person: try $0.next(), name: try $0.next(String.self)) }
  }

  /// The events after a version, oldest first; only the latest if there are very many.
  public func events(
    of id: ID<Group>, after version: Int, in reader: ReadTransaction
  ) throws -> [GroupEvent] {
    try reader.rows(
      """
      SELECT \(Self.eventColumns) FROM group_events e LEFT JOIN people_seen p ON p.id = e.user_id
      WHERE e.group_id = \(id) AND e.version > \(version) ORDER BY e.version DESC
      LIMIT \(GroupRules.maximumEvents)
      """, make: Self.event
    ).reversed()
  }

  /// The latest log entries, newest first.
  public func latestEvents(
    of id: ID<Group>, maximum: Int, in reader: ReadTransaction
  ) throws -> [GroupEvent] {
    try reader.rows(
      """
      SELECT \(Self.eventColumns) FROM group_events e LEFT JOIN people_seen p ON p.id = e.user_id
      WHERE e.group_id = \(id) ORDER BY e.version DESC LIMIT \(maximum)
      """, make: Self.event)
  }

  /// Whether a group's version differs from `version`; also true if the viewer is not a member, who
  /// then sees nothing. A cheap query for polling clients.
  public func isNew(
    _ id: ID<Group>, since version: Int, to viewer: Viewer, in reader: ReadTransaction
  ) throws -> Bool {
    let current = try reader.value(
      """
      SELECT g.version FROM group_members m JOIN groups g ON g.id = m.group_id
      WHERE m.group_id = \(id) AND m.user_id = \(viewer.id)
      """, as: Int.self)
    return current != version
  }

  // MARK: Rows

  private static let columns: Query = """
    g.id, g.name, g.leader_id, l.name, l.avatar, g.version, g.may_join, g.members_invite,
    g.active_waypoint_id, g.created_at, g.closed_at, c.code, c.link_code, c.made_at, c.expires_at,
    (SELECT count(*) FROM group_members o JOIN people_seen s ON s.id = o.user_id
      WHERE o.group_id = g.id), m.user_id, m.sharing_until
    """

  private static func group(_ row: inout RowReader) throws -> Group {
    Group(
      id: try row.next(), name: try row.next(), leader: try row.next(),
      leaderName: try row.next(), leaderAvatar: try row.next(String?.self).map(AccountLinks.media),
      version: try row.next(), mayJoin: try row.next(), membersInvite: try row.next(),
      activeWaypoint: try row.next(), createdAt: try row.next(), closedAt: try row.next(),
      code: try invitation(&row), memberCount: try row.next(), own: try membership(&row))
  }

  private static func invitation(_ row: inout RowReader) throws -> Group.Invitation? {
    let (code, linkCode) = (try row.next(String?.self), try row.next(String?.self))
    let (createdAt, expiresAt) = (try row.next(Instant?.self), try row.next(Instant?.self))
    guard let code = code.flatMap({ InviteCode($0) }), let createdAt, let expiresAt else {
      return nil
    }
    // A code made before link codes existed is valid for a day.
    return Group.Invitation(
      code: code, linkCode: linkCode.flatMap { InviteCode($0) } ?? code, createdAt: createdAt,
      expiresAt: expiresAt)
  }

  private static func membership(_ row: inout RowReader) throws -> Group.Membership? {
    let (person, sharingUntil) = (try row.next(ID<Person>?.self), try row.next(Instant?.self))
    return person.map { Group.Membership(person: $0, sharingUntil: sharingUntil) }
  }

  private static let eventColumns: Query =
    "e.version, e.kind, e.user_id, p.name, e.note, e.created_at"

  private static func event(_ row: inout RowReader) throws -> GroupEvent {
    GroupEvent(
      version: try row.next(), kind: GroupEventKind(rawValue: try row.next()) ?? .settings,
      person: try row.next(), personName: try row.next(), note: try row.next(),
      at: try row.next())
  }
}
