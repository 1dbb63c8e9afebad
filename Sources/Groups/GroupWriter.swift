import Core
import Database

/// Changes groups: each change increases the version, adds a log entry and notifies the observers,
/// in one transaction. The services check permissions.
struct GroupWriter: Sendable {
  let store: GroupStore
  let observer: any GroupObserver

  // MARK: Versions

  /// Increases the version without a log entry, for locations.
  @discardableResult
  func bumpVersion(_ id: ID<Group>, now: Instant, in writer: WriteTransaction) throws -> Int {
    let version = try writer.value(
      "UPDATE groups SET version = version + 1 WHERE id = \(id) RETURNING version", as: Int.self)
    guard let version else { throw StorageError.unreadable("a group that isn't there") }
    try observer.changed(id, to: version, now: now, in: writer)
    return version
  }

  /// Increases the version and adds a log entry.
  func note(
    _ kind: GroupEventKind, about person: ID<Person>?, _ note: String? = nil, in id: ID<Group>,
    now: Instant, _ writer: WriteTransaction
  ) throws {
    let version = try bumpVersion(id, now: now, in: writer)
    try writer.execute(
      """
      INSERT INTO group_events (group_id, version, kind, user_id, note, created_at)
      VALUES (\(id), \(version), \(kind.rawValue), \(person), \(note), \(now))
      """)
    guard let person, GroupEventKind.notifiedKinds.contains(kind) else { return }
    if kind == .leads { return try notify(kind, by: nil, to: [person], in: id, now: now, writer) }
    // The end of an active waypoint sends no push.
    if kind == .waypointActive, note == nil { return }
    try notify(
      kind, by: person, kind == .waypointActive ? note : nil,
      to: others(than: person, in: id, writer), in: id, now: now, writer)
  }

  // MARK: A group

  /// Adds a group with its leader and a code.
  func add(
    _ id: ID<Group>, name: String, leader: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO groups (id, name, leader_id, created_at)
      VALUES (\(id), \(name), \(leader), \(now))
      """)
    try insert(leader, into: id, now: now, in: writer)
    try makeCode(for: id, now: now, in: writer)
    try note(.created, about: leader, in: id, now: now, writer)
  }

  func rename(
    _ id: ID<Group>, to name: String, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE groups SET name = \(name) WHERE id = \(id)")
    try note(.renamed, about: person, name, in: id, now: now, writer)
  }

  func set(
    mayJoin: Bool, membersInvite: Bool, of id: ID<Group>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE groups SET may_join = \(mayJoin), members_invite = \(membersInvite) WHERE id = \(id)
      """)
    try note(.settings, about: person, in: id, now: now, writer)
  }

  /// Closes a group for all, and notifies all but the one who did it; nil for the operator.
  /// Triggers delete the locations, and the streams end.
  func close(
    _ id: ID<Group>, by person: ID<Person>?, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE groups SET closed_at = \(now) WHERE id = \(id) AND closed_at IS NULL")
    try note(.closed, about: person, in: id, now: now, writer)
    let members = try store.memberIDs(of: id, in: writer)
    for member in members { try observer.parted(member, from: id, now: now, in: writer) }
    // After `parted`, which discards pending notices of the group; this one must stay.
    try notify(
      .closed, by: person, to: members.filter { $0 != person }, in: id, now: now, writer)
  }

  // MARK: Codes

  /// Replaces the code; the old one is invalid at once.
  func renewCode(
    of id: ID<Group>, by person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try makeCode(for: id, now: now, in: writer)
    try note(.newCode, about: person, in: id, now: now, writer)
  }

  /// Throws `StorageError.duplicate` only if every attempt hits an existing code: with a million
  /// groups not once in 10⁵⁰ times.
  func makeCode(for id: ID<Group>, now: Instant, in writer: WriteTransaction) throws {
    for _ in 0..<20 {
      let code = InviteCode.random()
      let isTaken = try writer.exists("SELECT 1 FROM invite_codes WHERE code = \(code.text)")
      if isTaken { continue }
      try writer.execute(
        """
        INSERT INTO invite_codes (group_id, code, link_code, made_at, expires_at)
        VALUES (\(id), \(code.text), \(InviteCode.random(length: InviteCode.linkLength).text),
          \(now), \(now.adding(seconds: GroupRules.codeLifetime)))
        ON CONFLICT (group_id) DO UPDATE SET code = excluded.code,
          link_code = excluded.link_code, made_at = excluded.made_at,
          expires_at = excluded.expires_at
        """)
      return
    }
    throw StorageError.duplicate("invite_codes.code")
  }

  // MARK: Members

  /// Adds a user who is not a member yet.
  func join(_ person: ID<Person>, _ id: ID<Group>, now: Instant, in writer: WriteTransaction) throws
  {
    try insert(person, into: id, now: now, in: writer)
    try note(.joined, about: person, in: id, now: now, writer)
  }

  private func insert(
    _ person: ID<Person>, into id: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO group_members (group_id, user_id, id, joined_at)
      VALUES (\(id), \(person), \(ID<GroupMembership>(now: now)), \(now))
      """)
  }

  /// Removes a member. The member of longest standing takes over from a leader who leaves; with the
  /// last member the group closes. `isNamed` is false for a user who can't be named in the log.
  func leave(
    _ person: ID<Person>, _ id: ID<Group>, as kind: GroupEventKind = .left, isNamed: Bool = true,
    now: Instant, in writer: WriteTransaction
  ) throws {
    guard let group = try store.visible(id, to: person, in: writer) else { return }
    let successor =
      group.isLedByViewer ? try self.successor(to: person, in: id, now: now, writer) : nil
    if group.isLedByViewer {
      if let successor {
        try writer.execute("UPDATE groups SET leader_id = \(successor) WHERE id = \(id)")
      } else {
        try writer.execute(
          """
          UPDATE groups SET leader_id = NULL, closed_at = coalesce(closed_at, \(now))
          WHERE id = \(id)
          """)
      }
    }
    try writer.execute("DELETE FROM group_members WHERE group_id = \(id) AND user_id = \(person)")
    // It locks the group's row before any notice, as all changes do: otherwise two members who leave
    // at once could wait for each other.
    try note(kind, about: isNamed ? person : nil, in: id, now: now, writer)
    try observer.parted(person, from: id, now: now, in: writer)
    guard group.isLedByViewer, group.isOpen else { return }
    try note(
      successor == nil ? .closed : .leads, about: successor, in: id, now: now, writer)
  }

  /// The member of longest standing except one. Suspended members come last: they may not lead, but
  /// a group that still has members isn't over (docs/developer/moderation.md).
  func successor(
    to person: ID<Person>, in id: ID<Group>, now: Instant, _ reader: ReadTransaction
  ) throws -> ID<Person>? {
    try reader.value(
      """
      SELECT m.user_id FROM group_members m JOIN people_seen p ON p.id = m.user_id
      WHERE m.group_id = \(id) AND m.user_id <> \(person)
      ORDER BY EXISTS (SELECT 1 FROM people_suspended s WHERE s.id = m.user_id
        AND s.until > \(now)),
        m.joined_at, m.id
      LIMIT 1
      """)
  }

  func lead(_ person: ID<Person>, _ id: ID<Group>, now: Instant, in writer: WriteTransaction) throws
  {
    try writer.execute("UPDATE groups SET leader_id = \(person) WHERE id = \(id)")
    try note(.leads, about: person, in: id, now: now, writer)
  }

  func remove(_ person: ID<Person>, _ id: ID<Group>, now: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      """
      INSERT INTO group_removals (group_id, user_id, removed_at) VALUES (\(id), \(person), \(now))
      """)
    try leave(person, id, as: .removed, now: now, in: writer)
  }

  /// Allows a removed user to join again; false if they weren't removed.
  func allow(
    _ person: ID<Person>, _ id: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let was = try writer.execute(
      "DELETE FROM group_removals WHERE group_id = \(id) AND user_id = \(person)")
    if was > 0 { try note(.allowed, about: person, in: id, now: now, writer) }
    return was > 0
  }
}
