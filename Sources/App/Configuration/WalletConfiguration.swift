import Certificates
import Foundation
import Wallet

/// The operator's settings of coins.
extension ConfigurationReader {
  mutating func wallet() -> WalletSettings {
    let products = products()
    let packs = packs()
    check(packs, against: products)
    return WalletSettings(
      isOn: choice("PAIRSPOT_COINS", ["on", "off"], "on") == "on",
      apple: appStore(products),
      packs: packs,
      prices: prices(),
      redeemsInApps: choice("PAIRSPOT_VOUCHERS_IN_APPS", ["on", "off"], "off") == "on")
  }

  /// The coin packs, the smallest first.
  private mutating func packs() -> [CoinPack] {
    let list = pairs("PAIRSPOT_COIN_PACKS", "50=$0.99,150=$2.99")
    let packs = list.compactMap { coins, price -> CoinPack? in
      guard let coins = Int(coins), 1...1_000_000 ~= coins, !price.isEmpty else { return nil }
      return CoinPack(coins: coins, price: price)
    }
    if packs.count != list.count || packs.isEmpty || Set(packs.map(\.coins)).count != packs.count {
      note("PAIRSPOT_COIN_PACKS: must be like 50=$0.99,150=$2.99, each number once")
    }
    return packs.sorted { $0.coins < $1.coins }
  }

  /// Reports packs that cannot be bought, since the pages would offer them. Products without a pack
  /// are fine: a product that is no longer sold is still owed to its earlier buyers.
  private mutating func check(_ packs: [CoinPack], against products: [String: Int]) {
    let isForSale =
      isSet("PAIRSPOT_APPLE_ROOT_CERTIFICATE")
      || isSet("PAIRSPOT_APPLE_PRODUCTS") && isSet("PAIRSPOT_COIN_PACKS")
    let given = Set(products.values)
    // Products that can't be read have an error of their own.
    guard isForSale, !given.isEmpty else { return }
    for pack in packs where !given.contains(pack.coins) {
      note(
        "PAIRSPOT_COIN_PACKS: PAIRSPOT_APPLE_PRODUCTS has no product with \(pack.coins) coins")
    }
  }

  /// Nil, which disables buying, unless there is a root certificate to trust.
  private mutating func appStore(_ products: [String: Int]) -> AppStoreSettings? {
    let environment = choice(
      "PAIRSPOT_APPLE_ENVIRONMENT", ["Production", "Sandbox"], "Production")
    let bundle = text("PAIRSPOT_APPLE_BUNDLE_ID", "")
    guard let path = file("PAIRSPOT_APPLE_ROOT_CERTIFICATE") else { return nil }
    if bundle.isEmpty { note("PAIRSPOT_APPLE_BUNDLE_ID: missing") }
    guard let pem = try? String(contentsOfFile: path, encoding: .utf8),
      let root = Certificate(pem: pem)
    else {
      note("PAIRSPOT_APPLE_ROOT_CERTIFICATE: \(path) contains no PEM certificate on P-256 or P-384")
      return nil
    }
    // Checked once, here: only the end of a chain is compared with it.
    guard root.isSelfSigned else {
      note(
        "PAIRSPOT_APPLE_ROOT_CERTIFICATE: \(path) is not a root certificate: it is not self-signed"
      )
      return nil
    }
    return AppStoreSettings(
      root: root, bundle: bundle, environment: environment, products: products)
  }

  /// Empty if any of them is invalid.
  private mutating func products() -> [String: Int] {
    var found: [String: Int] = [:]
    let list = pairs("PAIRSPOT_APPLE_PRODUCTS", "coins50=50,coins150=150")
    for (product, coins) in list {
      guard !product.isEmpty, let coins = Int(coins), 1...1_000_000 ~= coins else { continue }
      found[product] = coins
    }
    guard found.count == list.count, !found.isEmpty else {
      note("PAIRSPOT_APPLE_PRODUCTS: must be like coins50=50,coins150=150, each product once")
      return [:]
    }
    return found
  }

  /// Days and coins, the cheapest first.
  private mutating func prices() -> [PromotionPrice] {
    let list = pairs("PAIRSPOT_PROMOTION_PRICES", "3=30,6=60,9=90")
    let prices = list.compactMap { days, coins -> PromotionPrice? in
      guard let days = Int(days), let coins = Int(coins), 1...365 ~= days,
        1...1_000_000 ~= coins
      else { return nil }
      return PromotionPrice(days: days, coins: coins)
    }
    if prices.count != list.count || !(1...6 ~= prices.count)
      || Set(prices.map(\.days)).count != prices.count
    {
      note("PAIRSPOT_PROMOTION_PRICES: must be one to six pairs days=coins, like 3=30,6=60")
    }
    return prices.sorted { ($0.coins, $0.days) < ($1.coins, $1.days) }
  }

  /// "a=b,c=d", in the order of the setting.
  private func pairs(_ name: String, _ fallback: String) -> [(String, String)] {
    text(name, fallback).split(separator: ",").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        parts[0].trimmingCharacters(in: .whitespaces),
        parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      )
    }
  }
}
