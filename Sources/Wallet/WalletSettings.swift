import Certificates

/// The settings of the App Store.
public struct AppStoreSettings: Sendable {
  /// The trusted root, self-signed; verified when the settings are read.
  public let root: Certificate
  public let bundle: String
  /// "Production" or "Sandbox", Apple's names.
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

/// The operator's settings for coins (docs/operator/settings.md).
public struct WalletSettings: Sendable {
  /// Whether there are coins at all.
  public let isOn: Bool
  /// Nil if nothing is sold.
  public let apple: AppStoreSettings?
  /// The app's packs for display, smallest first.
  public let packs: [CoinPack]
  /// Cheapest first.
  public let prices: [PromotionPrice]
  /// Whether apps may redeem vouchers, which Apple forbids in an app from the App Store.
  public let redeemsInApps: Bool

  public init(
    isOn: Bool, apple: AppStoreSettings?, packs: [CoinPack], prices: [PromotionPrice],
    redeemsInApps: Bool
  ) {
    self.isOn = isOn
    self.apple = apple
    self.packs = packs
    self.prices = prices
    self.redeemsInApps = redeemsInApps
  }
}
