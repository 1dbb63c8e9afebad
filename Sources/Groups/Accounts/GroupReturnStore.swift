import Core
import Database

/// Stores the groups that users rejoin when they restore their account.
struct GroupReturnStore {
  /// Records that a user was in a group when they deleted their account.
  func add(_ person: ID<Person>, _ group: ID<Group>, now: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      """
      INSERT INTO group_returns (user_id, group_id, left_at) VALUES (\(person), \(group), \(now))
      """)
  }

  /// The groups that are open, or that closed only because the user was their last member.
  func open(_ person: ID<Person>, in reader: ReadTransaction) throws -> [ID<Group>] {
    try reader.values(
      """
      SELECT r.group_id FROM group_returns r JOIN groups g ON g.id = r.group_id
      WHERE r.user_id = \(person)
        AND (g.closed_at IS NULL OR (g.leader_id IS NULL AND g.closed_at = r.left_at))
      """)
  }

  func forget(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM group_returns WHERE user_id = \(person)")
  }

  /// Makes a user the leader of a group without one, and opens it; false if it has a leader.
  func lead(_ group: ID<Group>, by person: ID<Person>, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      UPDATE groups SET leader_id = \(person), closed_at = NULL WHERE id = \(group)
        AND leader_id IS NULL
      """) > 0
  }
}
