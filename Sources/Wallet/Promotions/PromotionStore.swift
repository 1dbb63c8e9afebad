import Core
import Database

/// A running promotion.
public struct RunningPromotion: Sendable {
  public let post: ID<PromotedPost>
  public let until: Instant
}

/// Fingerprint of the running promotions, for caching.
public struct PromotionState: Equatable, Sendable {
  let minute: Int64
  let count: Int
  /// Sum of their ends, in ms.
  let sum: Int

  public var isEmpty: Bool { count == 0 }
}

/// The table of promotions.
struct PromotionStore: Sendable {
  /// The running promotions, in display order of this minute. Writes nothing.
  func running(now: Instant, in reader: ReadTransaction) throws -> [RunningPromotion] {
    let found = try reader.rows(
      "SELECT post_id, promoted_until FROM promotions WHERE promoted_until > \(now)"
    ) { RunningPromotion(post: try $0.next(), until: try $0.next()) }
    return PromotionRotation.order(found, now: now)
  }

  /// Number of running promotions and sum of their ends, without reading which. If one replaces
  /// another, the end differs; if both ends are equal, the ended one is not shown in any case,
  /// since a page only shows visible posts.
  func state(now: Instant, in reader: ReadTransaction) throws -> PromotionState {
    let (count, sum) =
      try reader.first(
        """
        SELECT count(*), coalesce(sum(promoted_until), 0) FROM promotions
        WHERE promoted_until > \(now)
        """
      ) { (try $0.next(Int.self), try $0.next(Int.self)) } ?? (0, 0)
    return PromotionState(minute: PromotionRotation.minute(of: now), count: count, sum: sum)
  }

  func until(_ post: ID<PromotedPost>, in reader: ReadTransaction) throws -> Instant? {
    try reader.value(
      "SELECT promoted_until FROM promotions WHERE post_id = \(post)", as: Instant.self)
  }

  /// The ends of these posts' promotions; posts without a running promotion are left out.
  func ends(
    of posts: [ID<PromotedPost>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: Instant] {
    let rows = try reader.rows(
      """
      SELECT post_id, promoted_until FROM promotions
      WHERE post_id IN \(IDList(posts)) AND promoted_until > \(now)
      """
    ) { (try $0.next(ID<PromotedPost>.self), try $0.next(Instant.self)) }
    return Dictionary(rows, uniquingKeysWith: max)
  }

  /// Extends a promotion by seconds, or starts one; returns its end.
  func extend(
    _ post: ID<PromotedPost>, seconds: Int64, now: Instant, in writer: WriteTransaction
  ) throws -> Instant {
    let end = now.adding(seconds: seconds)
    // In one statement, so that no other write comes in between.
    try writer.execute(
      """
      INSERT INTO promotions (post_id, promoted_until) VALUES (\(post), \(end))
      ON CONFLICT (post_id) DO UPDATE SET promoted_until = excluded.promoted_until
        + CASE WHEN promotions.promoted_until > \(now) THEN promotions.promoted_until - \(now) ELSE
          0 END
      """)
    return try until(post, in: writer) ?? end
  }
}

/// Display order (docs/developer/wallet.md#feed): by a hash of minute and post, so that all viewers
/// see the same order and no post is first for long.
enum PromotionRotation {
  static func order(_ running: [RunningPromotion], now: Instant) -> [RunningPromotion] {
    guard running.count > 1 else { return running }
    let minute = UInt64(bitPattern: minute(of: now))
    return running.map { (place: place(of: $0.post, minute: minute), promotion: $0) }
      .sorted { ($0.place, $0.promotion.post) < ($1.place, $1.promotion.post) }
      .map(\.promotion)
  }

  static func minute(of now: Instant) -> Int64 { now.milliseconds / 60_000 }

  private static func place(of post: ID<PromotedPost>, minute: UInt64) -> UInt64 {
    post.bytes.reduce(mixed(minute)) { mixed($0 ^ UInt64($1)) }
  }

  /// SplitMix64's finaliser: each output bit depends on each input bit.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
