import Basics
import Database

/// A promotion that runs.
public struct RunningPromotion: Sendable {
  public let post: ID<PromotedPost>
  public let until: Instant
}

/// Which posts are promoted, and until when.
struct PromotionStore: Sendable {
  /// Those that run at this moment, in the order in which they stand first in this minute. Nothing
  /// is written by looking.
  func running(now: Instant, in reader: Reader) throws -> [RunningPromotion] {
    let found = try reader.rows(
      "SELECT post_id, promoted_until FROM promotions WHERE promoted_until > ?", now
    ) { RunningPromotion(post: try $0.id(0), until: $0.instant(1)) }
    return PromotionRotation.order(found, now: now)
  }

  func until(_ post: ID<PromotedPost>, in reader: Reader) throws -> Instant? {
    try reader.first("SELECT promoted_until FROM promotions WHERE post_id = ?", post) {
      $0.instant(0)
    }
  }

  func set(_ post: ID<PromotedPost>, until: Instant, in writer: Writer) throws {
    try writer.execute(
      """
      INSERT INTO promotions (post_id, promoted_until) VALUES (?, ?)
      ON CONFLICT (post_id) DO UPDATE SET promoted_until = excluded.promoted_until
      """, post, until)
  }
}

/// Whose turn it is (wallet.md, "Feed"): by a hash of the minute and the post, so that everybody
/// sees the same at once and nobody is first for long.
enum PromotionRotation {
  static func order(_ running: [RunningPromotion], now: Instant) -> [RunningPromotion] {
    guard running.count > 1 else { return running }
    let minute = UInt64(bitPattern: now.milliseconds / 60_000)
    return running.map { (place: place(of: $0.post, minute: minute), promotion: $0) }
      .sorted { ($0.place, $0.promotion.post) < ($1.place, $1.promotion.post) }
      .map(\.promotion)
  }

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
