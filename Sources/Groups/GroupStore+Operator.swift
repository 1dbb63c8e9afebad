import Core
import Database

/// A group as the operator sees it: without places, codes and messages.
public struct OperatorGroup: Sendable {
  public let id: ID<Group>
  public let name: String
  /// Nil for a closed group that its last leader has left.
  public let leader: String?
  public let members: Int
  public let createdAt: Instant
  public let closedAt: Instant?
}

extension GroupStore {
  private static let operatorColumns: Query = """
    g.id, g.name, l.name, (SELECT count(*) FROM group_members m WHERE m.group_id = g.id),
    g.created_at, g.closed_at FROM groups g
    """

  /// The open groups, the newest first.
  func open(limit: Int, in reader: ReadTransaction) throws -> [OperatorGroup] {
    try reader.rows(
      """
      SELECT \(Self.operatorColumns) \(index: "groups_open")
      LEFT JOIN people_seen l ON l.id = g.leader_id
      WHERE g.closed_at IS NULL ORDER BY g.created_at DESC, g.id LIMIT \(limit)
      """, make: Self.operatorGroup)
  }

  func operatorGroup(of id: ID<Group>, in reader: ReadTransaction) throws -> OperatorGroup? {
    try reader.first(
      """
      SELECT \(Self.operatorColumns) LEFT JOIN people_seen l ON l.id = g.leader_id WHERE g.id = \(id)
      """, make: Self.operatorGroup)
  }

  private static func operatorGroup(_ row: inout RowReader) throws -> OperatorGroup {
    OperatorGroup(
      id: try row.next(), name: try row.next(), leader: try row.next(), members: try row.next(),
      createdAt: try row.next(), closedAt: try row.next())
  }
}
