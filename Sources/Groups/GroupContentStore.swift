import Accounts
import Core
import Database

/// Reads members and waypoints: of one group, or of all groups of a user with the same statement.
extension GroupStore {
  /// All members of a group, the leader first, then in the order of joining. Includes only
  /// locations that are currently shared and not too old.
  public func members(of id: ID<Group>, now: Instant, in reader: ReadTransaction) throws -> [Member]
  {
    try members(where: "g.id = \(id)", now: now, in: reader).map(\.member)
  }

  /// The members of each of a user's groups.
  func members(
    ofAllGroupsOf person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> [ID<Group>: [Member]] {
    let rows = try members(where: "g.id IN \(Self.groups(of: person))", now: now, in: reader)
    return Dictionary(grouping: rows, by: \.group).mapValues { $0.map(\.member) }
  }

  /// The waypoints of a group in the order of creation.
  public func waypoints(of id: ID<Group>, in reader: ReadTransaction) throws -> [Waypoint] {
    try waypoints(where: "group_id = \(id)", in: reader).map(\.waypoint)
  }

  /// The waypoints of each of a user's groups; groups without waypoints are missing.
  func waypoints(
    ofAllGroupsOf person: ID<Person>, in reader: ReadTransaction
  ) throws -> [ID<Group>: [Waypoint]] {
    let rows = try waypoints(where: "group_id IN \(Self.groups(of: person))", in: reader)
    return Dictionary(grouping: rows, by: \.group).mapValues { $0.map(\.waypoint) }
  }

  /// The latest place that a user shares with one of their groups; nil if there is none.
  static func lastPlace(
    of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> MemberPlace? {
    try reader.first(
      """
      SELECT o.latitude, o.longitude, o.accuracy, o.at
      FROM group_members m JOIN groups g ON g.id = m.group_id
        JOIN member_locations o ON o.group_id = m.group_id AND o.user_id = m.user_id
      WHERE m.user_id = \(person) AND g.closed_at IS NULL AND m.sharing_until > \(now)
        AND o.at > \(now.adding(seconds: -GroupRules.locationRetention))
      ORDER BY o.at DESC LIMIT 1
      """, make: place) ?? nil
  }

  /// Open groups of a user, by the time of joining, latest first.
  static func open(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [(id: ID<Group>, name: String)] {
    try reader.rows(
      """
      SELECT g.id, g.name FROM group_members m JOIN groups g ON g.id = m.group_id
      WHERE m.user_id = \(person) AND g.closed_at IS NULL
      ORDER BY m.joined_at DESC, m.group_id DESC LIMIT \(limit)
      """
    ) { (try $0.next(), try $0.next()) }
  }

  private static func groups(of person: ID<Person>) -> Query {
    "(SELECT group_id FROM group_members WHERE user_id = \(person))"
  }

  private func members(
    where condition: Query, now: Instant, in reader: ReadTransaction
  ) throws -> [(group: ID<Group>, member: Member)] {
    try reader.rows(
      """
      SELECT m.group_id, m.id, m.user_id, p.name, p.avatar,
        m.user_id IS NOT DISTINCT FROM g.leader_id, m.joined_at,
        CASE WHEN g.closed_at IS NULL AND m.sharing_until > \(now) THEN m.sharing_until END,
        o.latitude, o.longitude, o.accuracy, o.at
      FROM groups g JOIN group_members m ON m.group_id = g.id
        JOIN people_seen p ON p.id = m.user_id
        LEFT JOIN member_locations o ON o.group_id = m.group_id AND o.user_id = m.user_id
          AND g.closed_at IS NULL AND m.sharing_until > \(now)
          AND o.at > \(now.adding(seconds: -GroupRules.locationRetention))
      WHERE \(condition)
      ORDER BY 6 DESC, m.joined_at, m.id
      """, make: Self.member)
  }

  private static func member(
    _ row: inout RowReader
  ) throws -> (group: ID<Group>, member: Member) {
    (
      try row.next(),
      Member(
        id: try row.next(), person: try row.next(), name: try row.next(),
        avatar: try row.next(String?.self).map(AccountLinks.media),
        role: try row.next(Bool.self) ? .leader : .follower, joinedAt: try row.next(),
        sharingUntil: try row.next(), place: try place(&row))
    )
  }

  /// The location of a LEFT JOIN.
  private static func place(_ row: inout RowReader) throws -> MemberPlace? {
    let (latitude, longitude) = (try row.next(Double?.self), try row.next(Double?.self))
    let (accuracy, at) = (try row.next(Double?.self), try row.next(Instant?.self))
    guard let latitude, let longitude, let at,
      let position = Position(latitude: latitude, longitude: longitude)
    else { return nil }
    return MemberPlace(position: position, accuracy: accuracy, at: at)
  }

  private func waypoints(
    where condition: Query, in reader: ReadTransaction
  ) throws -> [(group: ID<Group>, waypoint: Waypoint)] {
    try reader.rows(
      """
      SELECT group_id, id, name, latitude, longitude, created_at FROM waypoints
      WHERE \(condition) ORDER BY id
      """, make: Self.waypoint)
  }

  private static func waypoint(
    _ row: inout RowReader
  ) throws -> (group: ID<Group>, waypoint: Waypoint) {
    let group = try row.next(ID<Group>.self)
    let (id, name) = (try row.next(ID<Waypoint>.self), try row.next(String.self))
    guard let position = Position(latitude: try row.next(), longitude: try row.next()) else {
      throw StorageError.unreadable("a waypoint that is nowhere")
    }
    return (group, Waypoint(id: id, name: name, position: position, createdAt: try row.next()))
  }
}
