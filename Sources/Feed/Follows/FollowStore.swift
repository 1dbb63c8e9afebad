import Accounts
import Core
import Database
import Web

/// The follows between couples.
public struct FollowStore: Sendable {
  let database: Database

  /// A couple that follows another.
  struct Follower: Sendable {
    let id: ID<Couple>
    let name: String
    let people: [Viewer.Avatar]
    let at: Instant
  }

  /// A couple's follow counts, and whether the viewer follows it.
  struct FollowState: Sendable {
    let followers: Int
    /// Number of couples that it follows.
    let following: Int
    /// Whether the viewer's couple follows it.
    let isFollowed: Bool
  }

  /// Number of followers of a couple whose follows are in force now.
  public static func followers(of couple: ID<Couple>, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM follows_open WHERE followed_id = \(couple)")
  }

  /// Whether two couples follow each other, and both follows are in force now.
  public static func areMutual(
    _ one: ID<Couple>, _ other: ID<Couple>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM follows_open f
      JOIN follows_open g ON g.follower_id = f.followed_id AND g.followed_id = f.follower_id
      WHERE f.follower_id = \(one) AND f.followed_id = \(other)
      """)
  }

  /// The users of couples that follow a couple, those of the latest followers first.
  static func people(
    following couple: ID<Couple>, limit: Int, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.rows(
      """
      SELECT u.user_id FROM follows_open f JOIN couples_people u ON u.couple_id = f.follower_id
      WHERE f.followed_id = \(couple)
      ORDER BY f.created_at DESC LIMIT \(limit)
      """
    ) { try $0.next() }
  }

  func status(of couple: ID<Couple>, for viewer: Viewer?) throws -> FollowState {
    try database.read { reader in
      FollowState(
        followers: try Self.followers(of: couple, in: reader),
        following: try reader.count(
          "SELECT count(*) FROM follows_open WHERE follower_id = \(couple)"),
        isFollowed: try reader.exists(
          """
          SELECT 1 FROM follows
          WHERE follower_id = \(viewer?.couple?.id) AND followed_id = \(couple)
          """))
    }
  }

  /// Whether a couple follows at least one other.
  func followsAnybody(_ couple: ID<Couple>?) throws -> Bool {
    try database.read {
      try $0.exists("SELECT 1 FROM follows_open WHERE follower_id = \(couple) LIMIT 1")
    }
  }

  /// Followers of a couple that are visible to the viewer, latest first, after a place of the
  /// list. Leaves out couples that a block separates from the viewer.
  func followers(
    of couple: ID<Couple>, for viewer: Viewer?, after cursor: PageCursor<Couple>, limit: Int
  ) throws -> ListPage<Follower, Couple> {
    try database.read { reader in
      try ListPage(limit: limit, cursor: { PageCursor(at: $0.at, id: $0.id) }) {
        try reader.rows(
          """
          SELECT f.follower_id, c.name, c.first_name, c.first_avatar, c.second_name,
            c.second_avatar, f.created_at
          FROM follows_open f JOIN couples_seen c ON c.id = f.follower_id
          WHERE f.followed_id = \(couple) AND (f.created_at, f.follower_id) < \(cursor)
            AND NOT EXISTS (
              SELECT 1 FROM couples_apart x
              WHERE x.one_id = f.follower_id AND x.other_id = \(viewer?.couple?.id))
          ORDER BY f.created_at DESC, f.follower_id DESC LIMIT \($0)
          """
        ) {
          Follower(
            id: try $0.next(), name: try $0.next(), people: try CoupleAvatars.read(&$0),
            at: try $0.next())
        }
      }
    }
  }

  /// Adds a follow; idempotent. Nil if not allowed: one couple is not open, or a block separates
  /// them. Else whether it is new and the followed couple is to be notified, which it is not about
  /// a hidden follower.
  func follow(
    _ other: ID<Couple>, by couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool? {
    let mayFollow = try writer.exists(
      """
      SELECT 1 FROM couples_open k WHERE k.id = \(other) AND NOT EXISTS (
        SELECT 1 FROM couples_apart a WHERE a.one_id = k.id AND a.other_id = \(couple))
      """)
    guard mayFollow else { return nil }
    let isNew =
      try writer.execute(
        """
        INSERT INTO follows (follower_id, followed_id, created_at)
        VALUES (\(couple), \(other), \(now))
        ON CONFLICT (follower_id, followed_id) DO NOTHING
        """) == 1
    return try isNew && writer.exists("SELECT 1 FROM couples_open WHERE id = \(couple)")
  }

  /// Number of couples that a couple follows, including those not in force now.
  func count(by couple: ID<Couple>, in writer: WriteTransaction) throws -> Int {
    try writer.count("SELECT count(*) FROM follows WHERE follower_id = \(couple)")
  }

  /// Removes a follow; false if there was none.
  func unfollow(
    _ other: ID<Couple>, by couple: ID<Couple>, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      "DELETE FROM follows WHERE follower_id = \(couple) AND followed_id = \(other)") == 1
  }

  /// Copies the follows of a user who changes couples. The old couple keeps its own: it has no
  /// members now, so they are not in force until a member returns.
  static func carry(from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO follows (follower_id, followed_id, created_at)
      SELECT \(new), f.followed_id, f.created_at FROM follows f
      WHERE f.follower_id = \(old) AND f.followed_id <> \(new) AND NOT EXISTS (
        SELECT 1 FROM couples_apart a WHERE a.one_id = f.followed_id AND a.other_id = \(new))
      ON CONFLICT (follower_id, followed_id) DO NOTHING
      """)
    // Blocks are copied too. They end follows that a rejoined couple had before them.
    try writer.execute(
      """
      DELETE FROM follows WHERE follower_id = \(new) AND followed_id IN (
        SELECT a.other_id FROM couples_apart a WHERE a.one_id = \(new))
      """)
    try writer.execute(
      """
      DELETE FROM follows WHERE followed_id = \(new) AND follower_id IN (
        SELECT a.other_id FROM couples_apart a WHERE a.one_id = \(new))
      """)
  }
}
