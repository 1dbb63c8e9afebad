import Core
import Database

/// Moves a guest's groups to a member.
struct GroupsMerge {
  let services: GroupsEnvironment

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    for group in try services.store.all(of: guest, in: writer) {
      try take(group, from: guest, to: member, now: now, in: writer)
    }
    // A user removed as a guest stays removed as a member, unless the member is in the group.
    try writer.execute(
      """
      INSERT INTO group_removals (group_id, user_id, removed_at)
      SELECT r.group_id, \(member), r.removed_at FROM group_removals r
      WHERE r.user_id = \(guest) AND NOT EXISTS (SELECT 1 FROM group_members m
        WHERE m.group_id = r.group_id AND m.user_id = \(member))
      ON CONFLICT (group_id, user_id) DO NOTHING
      """)
    try writer.execute("DELETE FROM group_removals WHERE user_id = \(guest)")
    try writer.execute("UPDATE group_events SET user_id = \(member) WHERE user_id = \(guest)")
  }

  private func take(
    _ group: Group, from guest: ID<Person>, to member: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let reader = writer
    // A removal applies to the user's other accounts too.
    if try services.store.isRemoved(member, from: group.id, in: reader) {
      return try services.writing.leave(guest, group.id, now: now, in: writer)
    }
    let isIn = try services.store.visible(group.id, to: member, in: reader) != nil
    if isIn {
      if group.isLedByViewer {
        try writer.execute("UPDATE groups SET leader_id = \(member) WHERE id = \(group.id)")
      }
      try writer.execute(
        "DELETE FROM group_members WHERE group_id = \(group.id) AND user_id = \(guest)")
    } else {
      // A location follows its row; the foreign key of the leader is checked at the end of the
      // transaction.
      try writer.execute(
        """
        UPDATE group_members SET user_id = \(member) WHERE group_id = \(group.id)
          AND user_id = \(guest)
        """)
      if group.isLedByViewer {
        try writer.execute("UPDATE groups SET leader_id = \(member) WHERE id = \(group.id)")
      }
    }
    try services.writing.observer.parted(guest, from: group.id, now: now, in: writer)
    try services.writing.bumpVersion(group.id, now: now, in: writer)
  }
}
