import Accounts
import Core
import Database

/// Reads members and waypoints: of one group, or of all groups of a user with the same statement.
extension GroupStore {
  /// All members of a group, the leader first, then in the order of joining. Includes only
  /// locations that are currently shared and not too old.
  public func members(of id: ID<Group>, now: Instant, in reader: ReadTransaction) throws -> [Member]
  {
    try members(where: "g.id = ?", id, now: now, in: reader).map(\.member)
  }

  /// The members of each of a user's groups.
  func members(
    ofAllOf person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> [ID<Group>: [Member]] {
    let rows = try members(where: "g.id IN \(Self.groupsOf)", person, now: now, in: reader)
    return Dictionary(grouping: rows, by: \.group).mapValues { $0.map(\.member) }
  }

  /// The waypoints of a group in the order of creation.
  public func waypoints(of id: ID<Group>, in reader: ReadTransaction) throws -> [Waypoint] {
    try waypoints(where: "group_id = ?", id, in: reader).map(\.waypoint)
  }

  /// The waypoints of each of a user's groups; groups without waypoints are missing.
  func waypoints(
    ofAllOf person: ID<Person>, in reader: ReadTransaction
  ) throws -> [ID<Group>: [Waypoint]] {
    let rows = try waypoints(where: "group_id IN \(Self.groupsOf)", person, in: reader)
    return Dictionary(grouping: rows, by: \.group).mapValues { $0.map(\.waypoint) }
  }

  private static let groupsOf = "(SELECT group_id FROM group_members WHERE user_id = ?)"

  private func members(
    where condition: String, _ value: any Bindable, now: Instant, in reader: ReadTransaction
  ) throws -> [(group: ID<Group>, member: Member)] {
    try reader.rows(
      """
      SELECT m.group_id, m.id, m.user_id, p.name, p.avatar, m.user_id = coalesce(g.leader_id, x''),
        m.joined_at, CASE WHEN g.closed_at IS NULL AND m.sharing_until > ? THEN m.sharing_until END,
        o.latitude, o.longitude, o.accuracy, o.at
      FROM groups g JOIN group_members m ON m.group_id = g.id
        JOIN people_seen p ON p.id = m.user_id
        LEFT JOIN member_locations o ON o.group_id = m.group_id AND o.user_id = m.user_id
          AND g.closed_at IS NULL AND m.sharing_until > ? AND o.at > ?
      WHERE \(condition)
      ORDER BY 6 DESC, m.joined_at, m.id
      """, now, now, now.adding(seconds: -GroupRules.placeLife), value, make: Self.member)
  }

  private static func member(_ row: Row) throws -> (group: ID<Group>, member: Member) {
    let member = Member(
      id: try row.id(1), person: try row.id(2), name: row.text(3),
      avatar: row.optionalText(4).map(AccountLinks.media),
      role: row.flag(5) ? .leader : .follower, joinedAt: row.instant(6),
      sharingUntil: row.optionalInstant(7), place: place(row, from: 8))
    return (try row.id(0), member)
  }

  private static func place(_ row: Row, from column: Int32) -> MemberPlace? {
    guard !row.isNull(column),
      let position = Position(latitude: row.real(column), longitude: row.real(column + 1))
    else { return nil }
    return MemberPlace(
      position: position, accuracy: row.isNull(column + 2) ? nil : row.real(column + 2),
      at: row.instant(column + 3))
  }

  private func waypoints(
    where condition: String, _ value: any Bindable, in reader: ReadTransaction
  ) throws -> [(group: ID<Group>, waypoint: Waypoint)] {
    try reader.rows(
      """
      SELECT group_id, id, name, latitude, longitude, created_at FROM waypoints
      WHERE \(condition) ORDER BY id
      """, value, make: Self.waypoint)
  }

  private static func waypoint(_ row: Row) throws -> (group: ID<Group>, waypoint: Waypoint) {
    guard let position = Position(latitude: row.real(3), longitude: row.real(4)) else {
      throw StorageError.unreadable("a waypoint that is nowhere")
    }
    let waypoint = Waypoint(
      id: try row.id(1), name: row.text(2), position: position, createdAt: row.instant(5))
    return (try row.id(0), waypoint)
  }
}
