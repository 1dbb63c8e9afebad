import Core
import Database
import FakeAppStore
import Foundation
import Testing
import Web

@testable import App
@testable import Wallet

/// An instance that sells coins, with the fake store that signs purchases.
struct FakeShop {
  let apple: FakeAppStore
  let instance: TestInstance

  init(limits: Bool = false, variables: [String: String] = [:]) throws {
    apple = try FakeAppStore(now: TestInstance.start)
    let path = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID()).pem")
    try Data(apple.rootPEM.utf8).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    instance = try TestInstance(
      limits: limits,
      variables: [
        "PAIRSPOT_APPLE_ROOT_CERTIFICATE": path.path, "PAIRSPOT_APPLE_BUNDLE_ID": "app.pairspot",
      ].merging(variables) { $1 })
  }

  func transaction(_ id: String, _ change: (inout FakeTransaction) -> Void = { _ in })
    -> FakeTransaction
  {
    var transaction = FakeTransaction(id, at: instance.clock.now())
    change(&transaction)
    return transaction
  }

  /// The API's answer to a signed text.
  @discardableResult
  func claim(_ signed: String, as browser: TestClient) -> TestResponse {
    browser.call(.post, "/wallet/verify-receipt", "{\"signedTransaction\":\"\(signed)\"}")
  }

  /// Buys a pack; returns the API's answer.
  @discardableResult
  func buy(
    _ id: String, as browser: TestClient, _ change: (inout FakeTransaction) -> Void = { _ in }
  ) throws -> TestResponse {
    claim(try apple.sign(transaction(id, change).json), as: browser)
  }

  @discardableResult
  func notify(_ kind: String, _ transaction: FakeTransaction) throws -> TestResponse {
    notify(try transaction.notification(kind, by: apple))
  }

  /// The API's answer to a notification.
  @discardableResult
  func notify(_ notification: String, from peer: String = "127.0.0.1") -> TestResponse {
    let server = instance.browser()
    server.peer = peer
    return server.send(
      .post, "/api/v1/wallet/apple-notifications", headers: [.contentType: "application/json"],
      body: Array("{\"signedPayload\":\"\(notification)\"}".utf8))
  }
}

extension TestInstance {
  /// Codes created by an admin.
  func codes(_ count: Int, coins: Int = 50, days: Int = 10, by admin: TestClient) throws -> [String]
  {
    let page = admin.get("/admin/vouchers")
    let made = admin.post(
      "/admin/vouchers",
      [
        "batch": page.value(of: "batch") ?? "", "coins": "\(coins)", "count": "\(count)",
        "days": "\(days)",
      ])
    try #require(made.status == 200, "\(made.status)")
    let codes = made.text.matches(of: /[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}/).map { String($0.output) }
    try #require(codes.count == count)
    return codes
  }

  /// Path for ending the latest batch of vouchers.
  func endOfVouchers(by admin: TestClient) throws -> String {
    let link = admin.get("/admin/vouchers").text
      .firstMatch(of: /href="(\/admin\/vouchers\/[0-9a-f-]{36}\/end)"/)
    return String(try #require(link).output.1)
  }

  /// Adds coins to a wallet.
  func grant(_ coins: Int, to person: ID<Person>) throws {
    try instance.features.wallet.grant(coins, to: person, at: clock.now())
  }

  /// The doctor's findings about wallets.
  func walletProblems() throws -> [String] {
    try WalletDoctor.checks.flatMap { check in
      try check.find(database)
    }
  }
}

extension TestClient {
  var balance: Int? { call(.get, "/wallet").json["balance"] as? Int }

  /// Creates a public post and promotes it for three days.
  @discardableResult
  func promote(_ post: String, days: Int = 3) -> TestResponse {
    call(.post, "\(post)/promote", "{\"coins\":\(days * 10),\"days\":\(days)}")
  }
}

extension TestResponse {
  /// The reason of a rejected purchase.
  var reason: String? { fieldErrors["reason"] }

  /// The promoted posts of a page, in order.
  var promoted: [String] {
    text.components(separatedBy: "<article ").dropFirst()
      .filter { $0.contains("data-testid=\"promoted\"") }
      .compactMap { $0.firstMatch(of: /data-id="([0-9a-f-]{36})"/).map { String($0.output.1) } }
  }

  /// Every post of a page, in order.
  var posts: [String] {
    text.matches(of: /data-testid="post" data-id="([0-9a-f-]{36})"/).map { String($0.output.1) }
  }
}
