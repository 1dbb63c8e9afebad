import Core

/// The kind of the identifier of a line of a wallet.
public enum CoinChange {}

/// The kind of the identifier of a post as this module knows it.
public enum PromotedPost {}

/// Why coins came or went (docs/developer/wallet.md).
public enum CoinReason: String, Sendable, CaseIterable {
  /// From Apple's shop.
  case purchase
  /// For a promotion.
  case spend
  /// By a voucher.
  case grant
  /// Taken back because Apple gave the money back; above 0 where Apple took that back again.
  case refund
}

/// One line of a wallet: what came or went, and what there was then.
struct LedgerEntry: Sendable {
  let id: ID<CoinChange>
  /// Its place in the wallet, from 1.
  let number: Int
  let reason: CoinReason
  /// Negative for what went.
  let amount: Int
  let balanceAfter: Int
  /// The post that was promoted, where it is that.
  let post: ID<PromotedPost>?
  /// For how many days, of a promotion.
  let days: Int?
  let createdAt: Instant
}

/// What is in a wallet.
struct Balance: Sendable, Equatable {
  var balance = 0
  /// What Apple gave back but the wallet no longer had.
  var owed = 0
}

/// What can be had for money, in the app alone.
public struct CoinPack: Sendable, Equatable {
  public let coins: Int
  /// As the shop says it: "$0.99".
  public let price: String

  public init(coins: Int, price: String) {
    self.coins = coins
    self.price = price
  }
}

/// What a promotion costs.
public struct PromotionPrice: Sendable, Equatable {
  public let days: Int
  public let coins: Int

  public init(days: Int, coins: Int) {
    self.days = days
    self.coins = coins
  }
}
