import Core
import Database
import FakeAppStore
import Testing

@testable import App
@testable import Wallet

@Suite("Stored data of Apple's transactions")
struct ReceiptRowsTests {
  private static func person(_ name: String) -> Query {
    "(SELECT id FROM users WHERE display_name = \(name))"
  }

  private func refuses(_ statement: Query, _ database: Database) {
    #expect(throws: StorageError.self, "\(statement)") {
      try database.write { try $0.execute(statement) }
    }
  }

  @Test("Rows can't be removed or replaced, nor user and coins changed")
  func stay() throws {
    let shop = try FakeShop()
    let database = shop.instance.database
    try shop.instance.couple()
    try shop.instance.alone("sam")
    let ann = try shop.instance.signedIn("ann")
    try shop.buy("1", as: ann)
    for statement in [
      "DELETE FROM apple_transactions",
      "UPDATE apple_transactions SET hash = randomblob(32)",
      "UPDATE OR REPLACE apple_transactions SET hash = randomblob(32)",
      "UPDATE apple_transactions SET coins = 40",
      "UPDATE apple_transactions SET coins = 0, user_id = NULL",
      "UPDATE apple_transactions SET user_id = NULL",
      "UPDATE apple_transactions SET user_id = \(Self.person("Sam"))",
      "INSERT OR REPLACE INTO apple_transactions (hash, coins, created_at) SELECT hash, 0, 0 FROM apple_transactions",
      "REPLACE INTO apple_transactions SELECT * FROM apple_transactions",
    ] as [Query] {
      refuses(statement, database)
    }
    #expect(try shop.buy("1", as: ann).json["credited"] as? Int == 0)
    #expect(ann.balance == 50)
    // A row created by a notification before the claim is credited once, and fixed from then on.
    try shop.notify("REFUND", shop.transaction("2"))
    let waiting: Query = "apple_transactions SET user_id = \(Self.person("Sam")), coins = 50"
    refuses("UPDATE apple_transactions SET hash = randomblob(32) WHERE coins = 0", database)
    try database.write { try $0.execute("UPDATE \(waiting) WHERE coins = 0") }
    refuses("UPDATE \(waiting) + 1 WHERE user_id = \(Self.person("Sam"))", database)
    #expect(try shop.instance.count("SELECT count(*) FROM apple_transactions") == 2)
  }

  @Test("The name alone goes with the account, and no other comes in its place")
  func purged() throws {
    let shop = try FakeShop()
    let database = shop.instance.database
    try shop.instance.couple()
    try shop.instance.alone("sam")
    try shop.buy("1", as: try shop.instance.signedIn("ann"))
    try shop.instance.purge(try #require(try shop.instance.viewer("Ann")))
    #expect(
      try shop.instance.count(
        "SELECT count(*) FROM apple_transactions WHERE user_id IS NULL AND coins = 50") == 1)
    for statement in [
      "UPDATE apple_transactions SET user_id = \(Self.person("Sam"))",
      "UPDATE apple_transactions SET coins = 0",
    ] as [Query] {
      refuses(statement, database)
    }
  }

  @Test("With new keys a receipt that was paid and a code that was used are known as before")
  func rotated() throws {
    let shop = try FakeShop()
    let instance = shop.instance
    try instance.couple()
    try instance.alone("sam")
    let admin = try instance.moderator("ada", as: .admin)
    let ann = try instance.signedIn("ann")
    let code = try instance.codes(1, coins: 70, by: admin)[0]
    let signed = try shop.apple.sign(shop.transaction("1").json)
    let refund = try shop.transaction("2").notification("REFUND", by: shop.apple)
    #expect(shop.claim(signed, as: ann).status == 200)
    #expect(ann.post("/wallet/redeem", ["code": code]).status == 303)
    shop.notify(refund)

    _ = try KeyRotation(instance.instance).run()
    let later = try instance.reopened()
    let (annLater, samLater) = (TestClient(later.application), TestClient(later.application))
    #expect(annLater.signIn("ann@example.test", TestInstance.password).status == 303)
    #expect(samLater.signIn("sam@example.test", TestInstance.password).status == 303)
    let again = shop.claim(signed, as: annLater)
    #expect(again.json["credited"] as? Int == 0)
    #expect(again.json["balance"] as? Int == 120)
    #expect(shop.claim(signed, as: samLater).code == "transaction_claimed")
    let refunded = try shop.apple.sign(shop.transaction("2").json)
    #expect(shop.claim(refunded, as: samLater).reason == "revoked")
    for (browser, reason) in [(annLater, "used_by_you"), (samLater, "used")] {
      let answer = browser.call(.post, "/wallet/redeem", "{\"code\":\"\(code)\"}")
      #expect(answer.status == 422 && answer.reason == reason)
    }
    #expect(annLater.balance == 120 && samLater.balance == 0)
    #expect(try instance.walletProblems() == [])
  }
}
