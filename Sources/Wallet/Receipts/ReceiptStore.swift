import Core
import Database

/// Apple's transactions as hashes: each pays once, for one person, for ever.
struct ReceiptStore: Sendable {
  /// One that was seen before.
  struct StoredReceipt: Sendable {
    /// Nil once the account is gone, and where Apple told of it before anybody asked for the coins.
    let person: ID<Person>?
    let coins: Int
    /// Since when we know that Apple gave the money back; nil: it has not.
    let refundedAt: Instant?
    /// When Apple signed its newest word on that; nil: it said none.
    let stateSignedAt: Instant?

    /// Whether nobody was ever paid for it.
    var isUnclaimed: Bool { person == nil && coins == 0 }
  }

  func find(_ hash: [UInt8], in writer: WriteTransaction) throws -> StoredReceipt? {
    try writer.first(
      """
      SELECT user_id, coins, refunded_at, state_signed_at FROM apple_transactions WHERE hash = ?
      """, hash
    ) {
      StoredReceipt(
        person: try $0.optionalID(0), coins: $0.int(1), refundedAt: $0.optionalInstant(2),
        stateSignedAt: $0.optionalInstant(3))
    }
  }

  /// Notes who is paid for one; false when somebody was, or nobody may be.
  func claim(
    _ hash: [UInt8], coins: Int, by person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    // Apple may have told of it before anybody asked. No upsert: a trigger refuses what would
    // replace a row before it is asked what to do instead.
    let wasTold =
      try writer.execute(
        """
        UPDATE apple_transactions SET user_id = ?, coins = ?
        WHERE hash = ? AND user_id IS NULL AND coins = 0 AND refunded_at IS NULL
        """, person, coins, hash) == 1
    if wasTold { return true }
    guard try find(hash, in: writer) == nil else { return false }
    try writer.execute(
      "INSERT INTO apple_transactions (hash, user_id, coins, created_at) VALUES (?, ?, ?, ?)",
      hash, person, coins, now)
    return true
  }

  /// Notes Apple's word on whether it gave the money back, and when that was signed. Nobody need
  /// have asked for the coins yet.
  func setState(
    _ hash: [UInt8], refundedAt: Instant?, signedAt: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let isKnown =
      try writer.execute(
        "UPDATE apple_transactions SET refunded_at = ?, state_signed_at = ? WHERE hash = ?",
        refundedAt, signedAt, hash) == 1
    guard !isKnown else { return }
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, coins, created_at, refunded_at, state_signed_at)
      VALUES (?, 0, ?, ?, ?)
      """, hash, now, refundedAt, signedAt)
  }

  /// Notes what Apple's server told; false when it told that before.
  func hear(_ notification: [UInt8], now: Instant, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO apple_notifications (hash, heard_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING
      """, notification, now) == 1
  }
}
