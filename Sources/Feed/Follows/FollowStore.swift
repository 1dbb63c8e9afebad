import Accounts
import Core
import Database
import Web

/// Which couples follow which.
public struct FollowStore: Sendable {
  let database: Database

  /// A couple that follows another one.
  struct Follower: Sendable {
    let id: ID<Couple>
    let name: String
    let people: [Viewer.Avatar]
    let at: Instant
  }

  /// How a couple stands to others, and to somebody who looks.
  struct FollowState: Sendable {
    let followers: Int
    /// How many it follows itself.
    let following: Int
    /// Whether the viewer's couple follows it.
    let isFollowed: Bool
  }

  /// How many follow a couple: those that count at this moment.
  public static func followers(of couple: ID<Couple>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM follows_open WHERE followed_id = ?", couple)
  }

  func status(of couple: ID<Couple>, for viewer: Viewer?) throws -> FollowState {
    try database.read { reader in
      FollowState(
        followers: try Self.followers(of: couple, in: reader),
        following: try reader.count(
          "SELECT count(*) FROM follows_open WHERE follower_id = ?", couple),
        isFollowed: try reader.exists(
          "SELECT 1 FROM follows WHERE follower_id = ? AND followed_id = ?", viewer?.couple?.id,
          couple))
    }
  }

  /// Whether a couple follows anybody.
  func followsAnybody(_ couple: ID<Couple>?) throws -> Bool {
    try database.read {
      try $0.exists("SELECT 1 FROM follows_open WHERE follower_id = ? LIMIT 1", couple)
    }
  }

  /// Who follows a couple, as this viewer sees them: the latest first, those before a place of the
  /// list. Who is kept apart from the viewer by a block is left out.
  func followers(
    of couple: ID<Couple>, for viewer: Viewer?, before: (at: Instant, id: ID<Couple>)?, limit: Int
  ) throws -> [Follower] {
    try database.read { reader in
      try reader.rows(
        """
        SELECT f.follower_id, c.name, f.created_at,
               c.first_name, c.first_avatar, c.second_name, c.second_avatar
        FROM follows_open f JOIN couples_seen c ON c.id = f.follower_id
        WHERE f.followed_id = ? AND (f.created_at, f.follower_id) < (?, ?)
          AND NOT EXISTS (
            SELECT 1 FROM couples_apart x WHERE x.one_id = f.follower_id AND x.other_id = ?)
        ORDER BY f.created_at DESC, f.follower_id DESC LIMIT ?
        """, couple, before?.at ?? Instant(milliseconds: .max), before?.id ?? .random(),
        viewer?.couple?.id, limit
      ) {
        Follower(
          id: try $0.id(0), name: $0.text(1), people: CoupleAvatars.read($0, from: 3),
          at: $0.instant(2))
      }
    }
  }

  /// Twice is once. Nil when the two may not: one isn't open, or a block keeps them apart; else
  /// whether it is new and the other two are to hear of it, as they don't of who is hidden.
  func follow(
    _ other: ID<Couple>, by couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool? {
    let mayFollow = try writer.exists(
      """
      SELECT 1 FROM couples_open k WHERE k.id = ? AND NOT EXISTS (
        SELECT 1 FROM couples_apart a WHERE a.one_id = k.id AND a.other_id = ?)
      """, other, couple)
    guard mayFollow else { return nil }
    let isNew =
      try writer.execute(
        """
        INSERT INTO follows (follower_id, followed_id, created_at) VALUES (?, ?, ?)
        ON CONFLICT (follower_id, followed_id) DO NOTHING
        """, couple, other, now) == 1
    return try isNew && writer.exists("SELECT 1 FROM couples_open WHERE id = ?", couple)
  }

  /// How many a couple follows, those that rest among them.
  func count(by couple: ID<Couple>, in writer: WriteTransaction) throws -> Int {
    try writer.count("SELECT count(*) FROM follows WHERE follower_id = ?", couple)
  }

  /// False when there was nothing to end.
  func unfollow(
    _ other: ID<Couple>, by couple: ID<Couple>, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      "DELETE FROM follows WHERE follower_id = ? AND followed_id = ?", couple, other) == 1
  }

  /// What somebody followed goes with them into another couple. The earlier one keeps its own:
  /// nobody is in it, so they rest until somebody comes back.
  static func carry(from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO follows (follower_id, followed_id, created_at)
      SELECT ?, f.followed_id, f.created_at FROM follows f
      WHERE f.follower_id = ? AND f.followed_id <> ? AND NOT EXISTS (
        SELECT 1 FROM couples_apart a WHERE a.one_id = f.followed_id AND a.other_id = ?)
      ON CONFLICT (follower_id, followed_id) DO NOTHING
      """, new, old, new, new)
    // Blocks go along too, and end what a couple that one comes back to followed before them.
    try writer.execute(
      """
      DELETE FROM follows WHERE follower_id = ? AND followed_id IN (
        SELECT a.other_id FROM couples_apart a WHERE a.one_id = ?)
      """, new, new)
    try writer.execute(
      """
      DELETE FROM follows WHERE followed_id = ? AND follower_id IN (
        SELECT a.other_id FROM couples_apart a WHERE a.one_id = ?)
      """, new, new)
  }
}
