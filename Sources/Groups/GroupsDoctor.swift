import Core
import Database
import Web

/// Invariants of this module that the tables themselves don't enforce. They can break when rows
/// come from elsewhere: from a backup, or from another program.
struct GroupsDoctor: Sendable {
  let services: GroupsEnvironment

  var checks: [DoctorCheck] {
    [membersAreThere, groupsAreLed, groupsHaveCodes, placesAreShared, nothingIsOverdue, logsEnd]
  }

  private var writing: GroupWriter { services.writing }

  /// Deleted accounts have left every group.
  private var membersAreThere: DoctorCheck {
    let deleted: Query = """
      SELECT m.group_id, m.user_id FROM group_members m
      WHERE NOT EXISTS (SELECT 1 FROM people_seen p WHERE p.id = m.user_id)
      """
    return DoctorCheck(
      "no deleted user is in a group",
      find: {
        try $0.rows(deleted) {
          "group \(try $0.next(ID<Group>.self)): user \(try $0.next(ID<Person>.self)) is deleted"
        }
      },
      repair: { writer in
        let found = try writer.rows(deleted) {
          (group: try $0.next(ID<Group>.self), person: try $0.next(ID<Person>.self))
        }
        for one in found {
          // The log can't name a user without a row.
          let isKnown = try services.people.isKnown(one.person, in: writer)
          try writing.leave(
            one.person, one.group, isNamed: isKnown, now: now, in: writer)
        }
      })
  }

  /// Every open group has a leader: the member of longest standing takes over; a group without
  /// members is closed.
  private var groupsAreLed: DoctorCheck {
    let leaderless: Query = """
      SELECT g.id FROM groups g WHERE g.closed_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM group_members m JOIN people_seen p ON p.id = m.user_id
          WHERE m.group_id = g.id AND m.user_id = g.leader_id)
      """
    return DoctorCheck(
      "every open group has a leader",
      find: {
        try $0.rows(leaderless) { "group \(try $0.next(ID<Group>.self)) has no leader" }
      },
      repair: { writer in
        for group in try writer.values(leaderless, as: ID<Group>.self) {
          let next = try writing.successor(
            to: ID<Person>.random(), in: group, now: now, writer)
          if let next {
            try writing.lead(next, group, now: now, in: writer)
          } else {
            try writer.execute(
              "UPDATE groups SET leader_id = NULL, closed_at = \(now) WHERE id = \(group)")
            try writing.note(.closed, about: nil, in: group, now: now, writer)
          }
        }
      })
  }

  private var groupsHaveCodes: DoctorCheck {
    let codeless: Query = """
      SELECT g.id FROM groups g WHERE g.closed_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invite_codes c WHERE c.group_id = g.id)
      """
    return DoctorCheck(
      "every open group has a code",
      find: { try $0.rows(codeless) { "group \(try $0.next(ID<Group>.self)) has no code" } },
      repair: { writer in
        for group in try writer.values(codeless, as: ID<Group>.self) {
          try writing.makeCode(for: group, now: now, in: writer)
        }
      })
  }

  private var placesAreShared: DoctorCheck {
    let unshared: Query = """
      FROM member_locations AS o WHERE NOT EXISTS (SELECT 1 FROM group_members m
        JOIN groups g ON g.id = m.group_id
        WHERE m.group_id = o.group_id AND m.user_id = o.user_id
          AND m.sharing_until IS NOT NULL AND g.closed_at IS NULL)
      """
    return DoctorCheck(
      "only shared locations are stored",
      find: {
        try $0.rows("SELECT o.group_id \(unshared)") {
          "group \(try $0.next(ID<Group>.self)) stores a location that is not shared"
        }
      },
      repair: { try $0.execute("DELETE \(unshared)") })
  }

  /// Data that `GroupExpiryJob` should have deleted much earlier. Pages don't show it, but it is
  /// still stored.
  private var nothingIsOverdue: DoctorCheck {
    DoctorCheck(
      "expired group data is deleted",
      find: { reader in
        let late = now.adding(seconds: -.minutes(10))
        return try reader.values(
          """
          SELECT 'a location is shared for longer than 8 h' FROM group_members
          WHERE sharing_until IS NOT NULL AND sharing_until < \(late)
          UNION ALL SELECT 'a location is older than a day' FROM member_locations
          WHERE at < \(late.adding(seconds: -GroupRules.locationRetention))
          UNION ALL SELECT 'a closed group is kept for too long' FROM groups
          WHERE closed_at < \(late.adding(seconds: -GroupRules.closedGroupRetention))
          UNION ALL SELECT 'a log entry is kept for too long' FROM group_events
          WHERE created_at < \(late.adding(seconds: -GroupRules.logRetention))
          """)
      },
      repairInSteps: { _ in try GroupExpiryJob(services: services).run(now: now) })
  }

  /// A version lower than the log's would not be reported as a change.
  private var logsEnd: DoctorCheck {
    let behind: Query =
      "coalesce((SELECT max(e.version) FROM group_events e WHERE e.group_id = groups.id), 0)"
    return DoctorCheck(
      "group versions match their logs",
      find: {
        try $0.rows("SELECT id FROM groups WHERE version < \(behind)") {
          "group \(try $0.next(ID<Group>.self)) has a version older than its log"
        }
      },
      repair: {
        try $0.execute("UPDATE groups SET version = \(behind) WHERE version < \(behind)")
      })
  }

  private var now: Instant { services.site.clock.now() }
}
