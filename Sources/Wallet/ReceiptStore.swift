import Basics
import Database

/// Apple's transactions as hashes: each pays once, for one person, for ever.
struct ReceiptStore: Sendable {
  /// One that was seen before.
  struct Known: Sendable {
    /// Nil once the account is gone, and where the refund came before the purchase.
    let person: ID<Person>?
    let coins: Int
    let isRefunded: Bool
  }

  func find(_ hash: [UInt8], in writer: Writer) throws -> Known? {
    try writer.first(
      "SELECT user_id, coins, refunded_at FROM apple_transactions WHERE hash = ?", hash
    ) { Known(person: try $0.optionalID(0), coins: $0.int(1), isRefunded: !$0.isNull(2)) }
  }

  /// Notes who was paid for one.
  func claim(
    _ hash: [UInt8], coins: Int, by person: ID<Person>, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      "INSERT INTO apple_transactions (hash, user_id, coins, created_at) VALUES (?, ?, ?, ?)",
      hash, person, coins, now)
  }

  /// Notes one that nobody asked to be paid for before Apple gave the money back.
  func void(_ hash: [UInt8], now: Instant, in writer: Writer) throws {
    try writer.execute(
      """
      INSERT INTO apple_transactions (hash, coins, created_at, refunded_at) VALUES (?, 0, ?, ?)
      """, hash, now, now)
  }

  /// Notes that Apple gave the money back.
  func refund(_ hash: [UInt8], now: Instant, in writer: Writer) throws {
    try writer.execute(
      "UPDATE apple_transactions SET refunded_at = ? WHERE hash = ?", now, hash)
  }
}
