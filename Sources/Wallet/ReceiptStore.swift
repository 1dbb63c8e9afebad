import Basics
import Database

/// Apple's transactions as hashes: each pays once, for one person, for ever.
struct ReceiptStore: Sendable {
  /// One that was seen before.
  struct Known: Sendable {
    /// Nil once the account is gone, and where Apple told of it before anybody asked for the coins.
    let person: ID<Person>?
    let coins: Int
    let isRefunded: Bool
    /// Whether Apple took its next refund back before it told of it.
    let isSpared: Bool

    /// Whether nobody was ever paid for it.
    var isUnclaimed: Bool { person == nil && coins == 0 }
  }

  func find(_ hash: [UInt8], in writer: Writer) throws -> Known? {
    try writer.first(
      "SELECT user_id, coins, refunded_at, spared_at FROM apple_transactions WHERE hash = ?", hash
    ) {
      Known(
        person: try $0.optionalID(0), coins: $0.int(1), isRefunded: !$0.isNull(2),
        isSpared: !$0.isNull(3))
    }
  }

  /// Notes who is paid for one; false when somebody was, or nobody may be.
  func claim(
    _ hash: [UInt8], coins: Int, by person: ID<Person>, now: Instant, in writer: Writer
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, user_id, coins, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET user_id = excluded.user_id, coins = excluded.coins
      WHERE apple_transactions.user_id IS NULL AND apple_transactions.coins = 0
        AND apple_transactions.refunded_at IS NULL
      """, hash, person, coins, now) == 1
  }

  /// Notes that Apple gave the money back, or with nil that it took that back. Nobody need have
  /// asked for the coins yet.
  func setRefunded(
    _ hash: [UInt8], at moment: Instant?, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, coins, created_at, refunded_at) VALUES (?, 0, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET refunded_at = excluded.refunded_at
      """, hash, now, moment)
  }

  /// Notes that the next refund that Apple tells of is none, or with nil that it told of it.
  func setSpared(
    _ hash: [UInt8], at moment: Instant?, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, coins, created_at, spared_at) VALUES (?, 0, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET spared_at = excluded.spared_at
      """, hash, now, moment)
  }

  /// Notes what Apple's server told; false when it told that before.
  func hear(_ notification: [UInt8], now: Instant, in writer: Writer) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO apple_notifications (hash, heard_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING
      """, notification, now) == 1
  }
}
