import Core
import Database

/// Apple's transactions as hashes: each is credited once, to one user, for ever.
struct ReceiptStore: Sendable {
  /// A known transaction.
  struct StoredReceipt: Sendable {
    /// Nil after the account is purged, and if Apple notified us before a claim.
    let person: ID<Person>?
    let coins: Int
    /// Time at which we learned of the refund; nil if not refunded.
    let refundedAt: Instant?
    /// Time of Apple's newest signature on refunds; nil if there is none.
    let stateSignedAt: Instant?

    /// Whether it was never credited.
    var isUnclaimed: Bool { person == nil && coins == 0 }
  }

  func find(_ hash: [UInt8], in writer: WriteTransaction) throws -> StoredReceipt? {
    try writer.first(
      """
      SELECT user_id, coins, refunded_at, state_signed_at FROM apple_transactions
      WHERE hash = \(hash)
      """
    ) {
      StoredReceipt(
        person: try $0.next(), coins: try $0.next(), refundedAt: try $0.next(),
        stateSignedAt: try $0.next())
    }
  }

  /// Records the user who is credited; false if it was credited before or is refunded.
  func claim(
    _ hash: [UInt8], coins: Int, by person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    // A notification may have created the row before the claim. No upsert: a trigger rejects a row
    // that would replace another before the conflict clause applies.
    let hadNotification =
      try writer.execute(
        """
        UPDATE apple_transactions SET user_id = \(person), coins = \(coins)
        WHERE hash = \(hash) AND user_id IS NULL AND coins = 0 AND refunded_at IS NULL
        """) == 1
    if hadNotification { return true }
    guard try find(hash, in: writer) == nil else { return false }
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, user_id, coins, created_at)
      VALUES (\(hash), \(person), \(coins), \(now))
      """)
    return true
  }

  /// Records whether Apple has refunded a transaction, and when that was signed; also before a
  /// claim.
  func setState(
    _ hash: [UInt8], refundedAt: Instant?, signedAt: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let isKnown =
      try writer.execute(
        """
        UPDATE apple_transactions SET refunded_at = \(refundedAt), state_signed_at = \(signedAt)
        WHERE hash = \(hash)
        """) == 1
    guard !isKnown else { return }
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, coins, created_at, refunded_at, state_signed_at)
      VALUES (\(hash), 0, \(now), \(refundedAt), \(signedAt))
      """)
  }

  /// Records a notification; false if it was received before.
  func receive(_ notification: [UInt8], now: Instant, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO apple_notifications (hash, heard_at) VALUES (\(notification), \(now))
      ON CONFLICT (hash) DO NOTHING
      """) == 1
  }
}
