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
      WHERE m.group_id = ? AND m.user_id = ?
      """, id, person, make: Self.group)
  }

  /// The user's groups: open ones first, then by the time of joining, latest first.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Group] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM group_members m JOIN groups g ON g.id = m.group_id
        LEFT JOIN invite_codes c ON c.group_id = g.id
        LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE m.user_id = ?
      ORDER BY g.closed_at IS NOT NULL, m.joined_at DESC, g.id DESC
      """, person, make: Self.group)
  }

  /// The group of a code, with the membership of `person`, if any. The caller checks whether the
  /// code is still valid.
  func group(
    of code: InviteCode, seenBy person: ID<Person>?, in reader: ReadTransaction
  ) throws -> Group? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM invite_codes c JOIN groups g ON g.id = c.group_id
        LEFT JOIN group_members m ON m.group_id = g.id AND m.user_id = ?
        LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE \(code.isOfLink ? "c.link_code" : "c.code") = ?
      """, person, code.text, make: Self.group)
  }

  /// The number of a group's member rows, as counted by the triggers.
  func size(of id: ID<Group>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM group_members WHERE group_id = ?", id)
  }

  /// The number of a user's groups.
  func groupCount(of person: ID<Person>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM group_members WHERE user_id = ?", person)
  }

  /// Whether a user was removed and not allowed again.
  func isRemoved(
    _ person: ID<Person>, from id: ID<Group>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM group_removals WHERE group_id = ? AND user_id = ?", id, person)
  }

  // MARK: Contents

  func memberIDs(of id: ID<Group>, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows("SELECT user_id FROM group_members WHERE group_id = ?", id) { try $0.id(0) }
  }

  /// The name of a group's member.
  func member(
    _ person: ID<Person>, of id: ID<Group>, in reader: ReadTransaction
  ) throws -> String? {
    try reader.first(
      """
      SELECT p.name FROM group_members m JOIN people_seen p ON p.id = m.user_id
      WHERE m.group_id = ? AND m.user_id = ?
      """, id, person
    ) { $0.text(0) }
  }

  /// The removed users who may not join again, latest first.
  func removed(from id: ID<Group>, in reader: ReadTransaction) throws -> [(
    person: ID<Person>, name: String
  )] {
    try reader.rows(
      """
      SELECT r.user_id, p.name FROM group_removals r JOIN people_seen p ON p.id = r.user_id
      WHERE r.group_id = ? ORDER BY r.removed_at DESC, r.user_id
      """, id
    ) { (person: try $0.id(0), name: $0.text(1)) }
  }

  /// The events after a version, oldest first; only the latest if there are very many.
  public func events(
    of id: ID<Group>, after version: Int, in reader: ReadTransaction
  ) throws -> [GroupEvent] {
    try reader.rows(
      """
      SELECT \(Self.eventColumns) FROM group_events e LEFT JOIN people_seen p ON p.id = e.user_id
      WHERE e.group_id = ? AND e.version > ? ORDER BY e.version DESC LIMIT ?
      """, id, version, GroupRules.eventsMost, make: Self.event
    ).reversed()
  }

  /// The latest log entries, newest first.
  public func latestEvents(
    of id: ID<Group>, most: Int, in reader: ReadTransaction
  ) throws -> [GroupEvent] {
    try reader.rows(
      """
      SELECT \(Self.eventColumns) FROM group_events e LEFT JOIN people_seen p ON p.id = e.user_id
      WHERE e.group_id = ? ORDER BY e.version DESC LIMIT ?
      """, id, most, make: Self.event)
  }

  /// Whether a group's version differs from `version`; also true if the viewer is not a member, who
  /// then sees nothing. A cheap query for polling clients.
  public func isNew(
    _ id: ID<Group>, since version: Int, to viewer: Viewer, in reader: ReadTransaction
  ) throws -> Bool {
    let current = try reader.first(
      """
      SELECT g.version FROM group_members m JOIN groups g ON g.id = m.group_id
      WHERE m.group_id = ? AND m.user_id = ?
      """, id, viewer.id
    ) { $0.int(0) }
    return current != version
  }

  // MARK: Rows

  private static let columns = """
    g.id, g.name, g.leader_id, l.name, l.avatar, g.version, g.may_join, g.members_invite,
    g.active_waypoint_id, g.created_at, g.closed_at, c.code, c.made_at, c.expires_at,
    (SELECT count(*) FROM group_members o JOIN people_seen s ON s.id = o.user_id
      WHERE o.group_id = g.id), m.user_id, m.sharing_until, c.link_code
    """

  private static func group(_ row: Row) throws -> Group {
    let person: ID<Person>? = try row.optionalID(15)
    return Group(
      id: try row.id(0), name: row.text(1), leader: try row.optionalID(2),
      leaderName: row.optionalText(3), leaderAvatar: row.optionalText(4).map(AccountLinks.media),
      version: row.int(5),
      mayJoin: row.flag(6), membersInvite: row.flag(7), activeWaypoint: try row.optionalID(8),
      createdAt: row.instant(9), closedAt: row.optionalInstant(10),
      code: row.optionalText(11).flatMap { InviteCode($0) }.map {
        // A code made before link codes existed is valid for a day.
        Group.Invitation(
          code: $0, linkCode: row.optionalText(17).flatMap { InviteCode($0) } ?? $0,
          madeAt: row.instant(12), expiresAt: row.instant(13))
      },
      memberCount: row.int(14),
      own: person.map {
        Group.Membership(person: $0, sharingUntil: row.optionalInstant(16))
      })
  }

  private static let eventColumns =
    "e.version, e.kind, e.user_id, p.name, e.note, e.created_at"

  private static func event(_ row: Row) throws -> GroupEvent {
    GroupEvent(
      version: row.int(0), kind: GroupEventKind(rawValue: row.text(1)) ?? .settings,
      person: try row.optionalID(2), personName: row.optionalText(3), note: row.optionalText(4),
      at: row.instant(5))
  }
}
