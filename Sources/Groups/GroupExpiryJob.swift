import Core
import Database

/// Enforces the retention limits: sharing ends after 8 hours, locations are deleted after a day,
/// and closed groups and old log entries are deleted. Pages don't depend on this job; they check
/// the times themselves.
struct GroupExpiryJob: Sendable {
  /// The number of memberships per transaction, so that other writers don't wait long.
  private static let portion = 200

  let services: GroupsEnvironment

  func run(now: Instant) throws {
    try endSharing(now: now)
    try endSharingOfAbsent(now: now)
    try services.site.database.write { try forget(now: now, in: $0) }
  }

  private func endSharing(now: Instant) throws {
    var isMore = true
    while isMore {
      isMore = try services.site.database.write { try endPortion(now: now, in: $0) }
    }
  }

  /// Ends sharing for one portion; returns whether there may be more.
  private func endPortion(now: Instant, in writer: WriteTransaction) throws -> Bool {
    let over = try writer.rows(
      """
      SELECT group_id, user_id FROM group_members
      WHERE sharing_until IS NOT NULL AND sharing_until <= \(now) LIMIT \(Self.portion)
      """
    ) { (group: try $0.next(ID<Group>.self), person: try $0.next(ID<Person>.self)) }
    for one in over {
      try services.writing.share(until: nil, one.person, one.group, now: now, in: writer)
    }
    return over.count == Self.portion
  }

  /// Ends sharing of users without a session, who could not stop it: their sessions were ended, by
  /// a new password or by hand.
  private func endSharingOfAbsent(now: Instant) throws {
    let absent = try services.site.database.read { reader in
      try services.writing.sharing(in: reader).filter {
        try !services.people.isSignedIn($0.person, now: now, in: reader)
      }
    }
    for one in absent {
      try services.site.database.write { writer in
        // They may have signed in meanwhile.
        guard try !services.people.isSignedIn(one.person, now: now, in: writer) else { return }
        try services.writing.share(until: nil, one.person, one.group, now: now, in: writer)
      }
    }
  }

  /// Deletes the last location of members who have sent none for a day, closed groups, and old log
  /// entries.
  private func forget(now: Instant, in writer: WriteTransaction) throws {
    let groups = try writer.values(
      """
      DELETE FROM member_locations WHERE at <= \(now.adding(seconds: -GroupRules.locationRetention))
      RETURNING group_id
      """, as: ID<Group>.self)
    for group in Set(groups) { try services.writing.bumpVersion(group, now: now, in: writer) }
    try writer.execute(
      "DELETE FROM groups WHERE closed_at < \(now.adding(seconds: -GroupRules.closedGroupRetention))"
    )
    try writer.execute(
      "DELETE FROM group_events WHERE created_at < \(now.adding(seconds: -GroupRules.logRetention))"
    )
  }
}
