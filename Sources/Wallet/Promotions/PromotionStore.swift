import Core
import Database

/// A promotion that runs.
public struct RunningPromotion: Sendable {
  public let post: ID<PromotedPost>
  public let until: Instant
}

/// By what the promotions that run are known to be the same as before.
public struct PromotionState: Equatable, Sendable {
  let minute: Int64
  let count: Int
  /// Of the moments at which they end, in ms.
  let sum: Int

  public var isEmpty: Bool { count == 0 }
}

/// Which posts are promoted, and until when.
struct PromotionStore: Sendable {
  /// Those that run at this moment, in the order in which they stand first in this minute. Nothing
  /// is written by looking.
  func running(now: Instant, in reader: ReadTransaction) throws -> [RunningPromotion] {
    let found = try reader.rows(
      "SELECT post_id, promoted_until FROM promotions WHERE promoted_until > ?", now
    ) { RunningPromotion(post: try $0.id(0), until: $0.instant(1)) }
    return PromotionRotation.order(found, now: now)
  }

  /// How many run and until when, without reading which. One that takes another's place has another
  /// end, or the other's: then the other is shown no more, since a page shows what is there.
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

  /// Until when each of these posts is promoted; those that aren't at this moment are left out.
  func ends(
    of posts: [ID<PromotedPost>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: Instant] {
    var ends: [ID<PromotedPost>: Instant] = [:]
    for start in stride(from: 0, to: posts.count, by: Self.atOnce) {
      let some = posts[start..<min(start + Self.atOnce, posts.count)]
      // One statement for every number of posts: places that are left over ask for nothing.
      let padding = [ID<PromotedPost>?](repeating: nil, count: Self.atOnce - some.count)
      let found = try reader.rows(
        Self.endsOfPosts, values: some.map { $0 as ID<PromotedPost>? } + padding
      ) { (post: try $0.id(0, PromotedPost.self), until: $0.instant(1)) }
      for (post, until) in found where until > now { ends[post] = until }
    }
    return ends
  }

  /// The longest page that a list of the API can have.
  private static let atOnce = 100

  private static let endsOfPosts = {
    let places = [String](repeating: "?", count: atOnce).joined(separator: ", ")
    return "SELECT post_id, promoted_until FROM promotions WHERE post_id IN (\(places))"
  }()

  /// Adds so many seconds to what is left of a promotion, or begins one; answers its end.
  func extend(
    _ post: ID<PromotedPost>, seconds: Int64, now: Instant, in writer: WriteTransaction
  ) throws -> Instant {
    let end = now.adding(seconds: seconds)
    // In one statement, so that nobody else's comes in between.
    try writer.execute(
      """
      INSERT INTO promotions (post_id, promoted_until) VALUES (?, ?)
      ON CONFLICT (post_id) DO UPDATE SET promoted_until = excluded.promoted_until
        + CASE WHEN promotions.promoted_until > ? THEN promotions.promoted_until - ? ELSE 0 END
      """, post, end, now, now)
    return try until(post, in: writer.reader) ?? end
  }
}

/// Whose turn it is (docs/developer/wallet.md#feed): by a hash of the minute and the post, so that
/// everybody sees the same at once and nobody is first for long.
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

  /// SplitMix64's finaliser: each bit of the answer hangs on each bit of the question.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
