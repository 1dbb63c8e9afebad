import Core
import Database

extension GroupWriter {
  // MARK: Places

  /// Switches sharing on until a moment, or off, which deletes the location. A mere extension is
  /// not logged: `isNews` is false then, and only the user's other devices react to it.
  func share(
    until moment: Instant?, _ person: ID<Person>, _ id: ID<Group>, isNews: Bool = true,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE group_members SET sharing_until = \(moment) WHERE group_id = \(id)
        AND user_id = \(person)
      """)
    guard isNews else {
      try bumpVersion(id, now: now, in: writer)
      return
    }
    try note(moment == nil ? .notSharing : .sharing, about: person, in: id, now: now, writer)
  }

  /// Replaces the last location.
  func put(
    _ place: MemberPlace, of person: ID<Person>, in id: ID<Group>, now: Instant,
    _ writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO member_locations (group_id, user_id, latitude, longitude, accuracy, at,
        received_at)
      VALUES (\(id), \(person), \(place.position.latitude), \(place.position.longitude),
        \(place.accuracy), \(place.at), \(now))
      ON CONFLICT (group_id, user_id) DO UPDATE SET latitude = excluded.latitude,
        longitude = excluded.longitude, accuracy = excluded.accuracy, at = excluded.at,
        received_at = excluded.received_at
      """)
    try bumpVersion(id, now: now, in: writer)
  }

  /// All members of all groups who share their location.
  func sharing(in reader: ReadTransaction) throws -> [(group: ID<Group>, person: ID<Person>)] {
    try reader.rows(
      """
      SELECT group_id, user_id FROM group_members \(index: "group_members_sharing")
      WHERE sharing_until IS NOT NULL
      """
    ) { (group: try $0.next(), person: try $0.next()) }
  }

  /// When a user's last location was measured, and when it was received.
  func lastPlace(
    of person: ID<Person>, in id: ID<Group>, _ reader: ReadTransaction
  ) throws -> (at: Instant, receivedAt: Instant)? {
    try reader.first(
      """
      SELECT at, received_at FROM member_locations WHERE group_id = \(id) AND user_id = \(person)
      """
    ) { (at: try $0.next(Instant.self), receivedAt: try $0.next(Instant.self)) }
  }

  // MARK: Waypoints

  func add(
    _ waypoint: Waypoint, to id: ID<Group>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO waypoints (id, group_id, name, latitude, longitude, created_at)
      VALUES (\(waypoint.id), \(id), \(waypoint.name), \(waypoint.position.latitude),
        \(waypoint.position.longitude), \(now))
      """)
    try note(.waypoint, about: person, waypoint.name, in: id, now: now, writer)
  }

  /// Activates one of a group's waypoints; nil for none.
  func activate(
    _ waypoint: Waypoint?, in id: ID<Group>, by person: ID<Person>, now: Instant,
    _ writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE groups SET active_waypoint_id = \(waypoint?.id) WHERE id = \(id)")
    try note(.waypointActive, about: person, waypoint?.name, in: id, now: now, writer)
  }

  func remove(
    _ waypoint: Waypoint, from id: ID<Group>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE groups SET active_waypoint_id = NULL WHERE id = \(id)
        AND active_waypoint_id = \(waypoint.id)
      """)
    try writer.execute("DELETE FROM waypoints WHERE group_id = \(id) AND id = \(waypoint.id)")
    try note(.waypointGone, about: person, waypoint.name, in: id, now: now, writer)
  }
}
