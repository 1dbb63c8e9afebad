import Basics

/// The bounds of what an admin makes at once.
enum VoucherRules {
  static let coins = 1...10_000
  static let count = 1...500
  /// For how long they work, in days.
  static let days = 1...730
}

/// Codes that were made together.
struct Voucher: Sendable {
  let id: ID<Voucher>
  let coins: Int
  let count: Int
  let used: Int
  let expiresAt: Instant
  let createdAt: Instant
}
