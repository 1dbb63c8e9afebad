import Core
import Database

/// Stores the groups that users rejoin when they restore their account.
struct GroupReturnStore {
  /// Records that a user was in a group when they deleted their account.
  func add(_ person: ID<Person>, _ group: ID<Group>, now: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      "INSERT INTO group_returns (user_id, group_id, left_at) VALUES (?, ?, ?)", person, group, now)
  }

  /// The groups that are open, or that closed only because the user was their last member.
  func open(_ person: ID<Person>, in reader: ReadTransaction) throws -> [ID<Group>] {
    try reader.rows(
      """
      SELECT r.group_id FROM group_returns r JOIN groups g ON g.id = r.group_id
      WHERE r.user_id = ?
        AND (g.closed_at IS NULL OR (g.leader_id IS NULL AND g.closed_at = r.left_at))
      """, person
    ) { try $0.id(0) }
  }

  func forget(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM group_returns WHERE user_id = ?", person)
  }

  /// Makes a user the leader of a group without one, and opens it; false if it has a leader.
  func lead(_ group: ID<Group>, by person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "UPDATE groups SET leader_id = ?, closed_at = NULL WHERE id = ? AND leader_id IS NULL",
      person, group) > 0
  }
}
