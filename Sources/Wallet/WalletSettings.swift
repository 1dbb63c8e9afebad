import Certificates

/// How Apple's shop is known here.
public struct AppStoreSettings: Sendable {
  /// One that signed itself: that is looked at where it is read.
  public let root: Certificate
  public let bundle: String
  /// "Production" or "Sandbox", as Apple calls them.
  public let environment: String
  /// Coins by product.
  public let products: [String: Int]

  public init(root: Certificate, bundle: String, environment: String, products: [String: Int]) {
    self.root = root
    self.bundle = bundle
    self.environment = environment
    self.products = products
  }
}

/// What the operator says of coins (docs/operator/settings.md).
public struct WalletSettings: Sendable {
  /// Nil: nobody buys anything here.
  public let apple: AppStoreSettings?
  /// What the app sells, for people to read, the smallest first.
  public let packs: [CoinPack]
  /// The cheapest first.
  public let prices: [PromotionPrice]
  /// Whether apps may redeem vouchers, which Apple forbids in an app from its shop.
  public let redeemsInApps: Bool

  public init(
    apple: AppStoreSettings?, packs: [CoinPack], prices: [PromotionPrice], redeemsInApps: Bool
  ) {
    self.apple = apple
    self.packs = packs
    self.prices = prices
    self.redeemsInApps = redeemsInApps
  }
}
