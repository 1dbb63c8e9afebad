import Core

/// Type of the identifier of a wallet's line.
public enum CoinChange {}

/// Type of the identifier of a post in this module.
public enum PromotedPost {}

/// Reason of a change of coins (docs/developer/wallet.md).
public enum CoinReason: String, Sendable, CaseIterable {
  /// Bought in the App Store.
  case purchase
  /// Spent on a promotion.
  case spend
  /// From a voucher.
  case grant
  /// Taken back after a refund by Apple; positive if Apple reversed the refund.
  case refund
}

/// A line of a wallet: change and resulting balance.
struct LedgerEntry: Sendable {
  let id: ID<CoinChange>
  /// Sequence number in the wallet, from 1.
  let number: Int
  let reason: CoinReason
  /// Negative for coins spent or taken back.
  let amount: Int
  let balanceAfter: Int
  /// The promoted post, for a promotion.
  let post: ID<PromotedPost>?
  /// Length of a promotion in days.
  let days: Int?
  let createdAt: Instant
}

/// Balance of a wallet.
struct Balance: Sendable, Equatable {
  var balance = 0
  /// Refunded coins that the wallet no longer had.
  var debt = 0
}

/// A pack of coins, sold in the app only.
public struct CoinPack: Sendable, Equatable {
  public let coins: Int
  /// Display price: "$0.99".
  public let price: String

  public init(coins: Int, price: String) {
    self.coins = coins
    self.price = price
  }
}

/// Price of a promotion.
public struct PromotionPrice: Sendable, Equatable {
  public let days: Int
  public let coins: Int

  public init(days: Int, coins: Int) {
    self.days = days
    self.coins = coins
  }
}
