import Core
import Database

/// Blocks between couples (docs/developer/moderation.md#blocking).
public struct BlockStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// A blocked couple and the time of the block.
  public struct Blocked: Sendable {
    public let id: ID<Couple>
    public let name: String
    public let at: Instant
  }

  /// Blocks a couple. Blocking it again has no effect.
  public func block(
    _ other: ID<Couple>, by couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO blocks (couple_id, blocked_id, created_at) VALUES (\(couple), \(other), \(now))
      ON CONFLICT (couple_id, blocked_id) DO NOTHING
      """)
  }

  /// Copies the blocks of a user's old couple to the new one: a block applies to people, so neither
  /// pairing nor separating ends it.
  static func carry(from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO blocks (couple_id, blocked_id, created_at)
      SELECT \(new), b.blocked_id, b.created_at FROM blocks b
      WHERE b.couple_id = \(old) AND b.blocked_id <> \(new)
      ON CONFLICT (couple_id, blocked_id) DO NOTHING
      """)
    try writer.execute(
      """
      INSERT INTO blocks (couple_id, blocked_id, created_at)
      SELECT b.couple_id, \(new), b.created_at FROM blocks b
      WHERE b.blocked_id = \(old) AND b.couple_id <> \(new)
      ON CONFLICT (couple_id, blocked_id) DO NOTHING
      """)
  }

  /// Whether a block exists in either direction between this couple and another.
  static func keepsApart(_ couple: ID<Couple>, in writer: WriteTransaction) throws -> Bool {
    try writer.exists("SELECT 1 FROM couples_apart WHERE one_id = \(couple) LIMIT 1")
  }

  public func unblock(_ other: ID<Couple>, by couple: ID<Couple>, in writer: WriteTransaction)
    throws
  {
    try writer.execute("DELETE FROM blocks WHERE couple_id = \(couple) AND blocked_id = \(other)")
  }

  /// Whether this couple itself blocked the other.
  public func isBlocked(
    _ other: ID<Couple>, by couple: ID<Couple>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists("SELECT 1 FROM blocks WHERE couple_id = \(couple) AND blocked_id = \(other)")
  }

  /// The couples that this couple blocked, newest first, starting after a position in the list.
  public func blocked(
    by couple: ID<Couple>, after cursor: PageCursor<Couple>, limit: Int,
    in reader: ReadTransaction
  ) throws -> [Blocked] {
    try reader.rows(
      """
      SELECT b.blocked_id, c.name, b.created_at FROM blocks b
      JOIN couples c ON c.id = b.blocked_id
      WHERE b.couple_id = \(couple) AND (b.created_at, b.blocked_id) < \(cursor)
      ORDER BY b.created_at DESC, b.blocked_id DESC LIMIT \(limit)
      """
    ) { Blocked(id: try $0.next(), name: try $0.next(), at: try $0.next()) }
  }
}
