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
      "SELECT post_id, promoted_until FROM promotions WHERE promoted_until > ?", now
    ) { RunningPromotion(post: try $0.id(0), until: $0.instant(1)) }
    return PromotionRotation.order(found, now: now)
  }

  /// Number of running promotions and sum of their ends, without reading which. If one replaces
  /// another, the end differs; if both ends are equal, the ended one is not shown in any case,
  /// since a page only shows visible posts.
  func state(now: Instant, in reader: ReadTransaction) throws -> PromotionState {
    let (count, sum) =
      try reader.first(
        """
        SELECT count(*), coalesce(sum(promoted_until), 0) FROM promotions WHERE promoted_until > ?
        """, now
      ) { ($0.int(0), $0.int(1)) } ?? (0, 0)
    return PromotionState(minute: PromotionRotation.minute(of: now), count: count, sum: sum)
  }

  func until(_ post: ID<PromotedPost>, in reader: ReadTransaction) throws -> Instant? {
    try reader.first("SELECT promoted_until FROM promotions WHERE post_id = ?", post) {
      $0.instant(0)
    }
  }

  /// The ends of these posts' promotions; posts without a running promotion are left out.
  func ends(
    of posts: [ID<PromotedPost>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: Instant] {
    var ends: [ID<PromotedPost>: Instant] = [:]
    for start in stride(from: 0, to: posts.count, by: Self.atOnce) {
      let some = posts[start..<min(start + Self.atOnce, posts.count)]
      // One statement for any number of posts: unused parameters are NULL and match nothing.
      let padding = [ID<PromotedPost>?](repeating: nil, count: Self.atOnce - some.count)
      let found = try reader.rows(
        Self.endsOfPosts, values: some.map { $0 as ID<PromotedPost>? } + padding
      ) { (post: try $0.id(0, PromotedPost.self), until: $0.instant(1)) }
      for (post, until) in found where until > now { ends[post] = until }
    }
    return ends
  }

  /// The longest page of an API list.
  private static let atOnce = 100

  private static let endsOfPosts = {
    let places = [String](repeating: "?", count: atOnce).joined(separator: ", ")
    return "SELECT post_id, promoted_until FROM promotions WHERE post_id IN (\(places))"
  }()

  /// Extends a promotion by seconds, or starts one; returns its end.
  func extend(
    _ post: ID<PromotedPost>, seconds: Int64, now: Instant, in writer: WriteTransaction
  ) throws -> Instant {
    let end = now.adding(seconds: seconds)
    // In one statement, so that no other write comes in between.
    try writer.execute(
      """
      INSERT INTO promotions (post_id, promoted_until) VALUES (?, ?)
      ON CONFLICT (post_id) DO UPDATE SET promoted_until = excluded.promoted_until
        + CASE WHEN promotions.promoted_until > ? THEN promotions.promoted_until - ? ELSE 0 END
      """, post, end, now, now)
    return try until(post, in: writer.reader) ?? end
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
