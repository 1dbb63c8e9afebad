import Database
import Testing

@testable import App
@testable import Wallet

@Suite("The doctor of coins")
struct WalletDoctorTests {
  private static let ann: Query = "(SELECT id FROM users WHERE display_name = 'Ann')"

  /// A line that continues Ann's last one, so that no trigger rejects it.
  private static func line(
    _ type: String, _ amount: Int, source: Query, insert: Query = "INSERT"
  ) -> Query {
    """
    \(insert) INTO coin_transactions (id, user_id, number, type, amount, balance_after, created_at,
      source)
    SELECT randomblob(16), user_id,
      1 + (SELECT max(number) FROM coin_transactions c WHERE c.user_id = w.user_id),
      \(type), \(amount), balance + \(amount), 0, \(source)
    FROM user_wallets w WHERE user_id = \(ann)
    """
  }

  /// A corruption from outside the application, and the doctor's finding.
  struct Corruption: CustomTestStringConvertible, Sendable {
    let statements: [Query]
    let found: [String]

    var testDescription: String { found.joined(separator: ", ") }

    init(_ statements: Query..., found: String...) {
      self.statements = statements
      self.found = found
    }
  }

  private static let harms = [
    Corruption("UPDATE user_wallets SET owed = 7 WHERE user_id = \(ann)", found: "owes 7 coins"),
    Corruption(
      "UPDATE apple_transactions SET refunded_at = 1",
      found: "owes 0 coins, but refunds require 50"),
    Corruption(line("refund", -10, source: "NULL"), found: "owes 0 coins, but refunds require -10"),
    Corruption(
      line("purchase", 50, source: "randomblob(32)"),
      found: "(50 coins) has no receipt"),
    Corruption(
      .dropTrigger("apple_transactions_stay"), "UPDATE apple_transactions SET coins = 40",
      found: "(50 coins) has no receipt", "did not credit 40 coins"),
    Corruption(
      """
      INSERT INTO apple_transactions (hash, user_id, coins, created_at)
      VALUES (randomblob(32), \(ann), 150, 0)
      """, found: "did not credit 150 coins"),
    Corruption(
      line("grant", 70, source: "randomblob(32)"), found: "(70 coins) has no code"),
    Corruption(
      "UPDATE voucher_codes SET used_at = NULL, used_by = NULL",
      found: "has no code", "has no code"),
    Corruption(
      "UPDATE voucher_codes SET used_at = 1, used_by = \(ann) WHERE used_at IS NULL",
      found: "credited no coins to wallet"),
    Corruption(
      "UPDATE vouchers SET coins = 1000", found: "has no code", "has no code"),
    Corruption(
      "UPDATE vouchers SET count = 1", found: "has 3 of 1 codes",
      "was used 2 times, but only 1 are allowed"),
    Corruption(
      "DROP INDEX coin_transactions_once", .dropTrigger("coin_transactions_fit"),
      line("grant", 50, source: "(SELECT code_hash FROM voucher_codes WHERE used_at > 0 LIMIT 1)"),
      found: "was credited 2 times"),
    Corruption(
      .dropTrigger("coin_transactions_keep"),
      "DELETE FROM coin_transactions WHERE type = 'grant' AND number = 3",
      found: "has 150 coins, but its transactions 100", "credited no coins to wallet"),
    Corruption(
      .dropTrigger("user_wallets_follow"),
      "UPDATE user_wallets SET balance = 9000 WHERE user_id = \(ann)",
      found: "has 9000 coins, but its transactions 150"),
  ]

  @Test("Names each thing that can't be, and nothing else", arguments: harms)
  func corruption(_ corruption: Corruption) throws {
    let shop = try FakeShop()
    let instance = shop.instance
    try instance.couple()
    let admin = try instance.moderator("ada", as: .admin)
    let browser = try instance.signedIn("ann")
    try shop.buy("1", as: browser)
    for code in try instance.codes(3, by: admin).prefix(2) {
      #expect(browser.post("/wallet/redeem", ["code": code]).status == 303)
    }
    #expect(try instance.walletProblems() == [])
    try instance.database.write { writer in
      for statement in corruption.statements { try writer.execute(statement) }
    }
    let problems = try instance.walletProblems()
    #expect(problems.count == corruption.found.count, "\(problems)")
    for words in corruption.found {
      #expect(problems.contains { $0.contains(words) }, "\(words): \(problems)")
    }
  }

  @Test("A receipt and a code are credited once, in all cases")
  func once() throws {
    let shop = try FakeShop()
    try shop.instance.couple()
    try shop.buy("1", as: try shop.instance.signedIn("ann"))
    for insert in ["INSERT", "INSERT OR REPLACE"] as [Query] {
      let again = Self.line(
        "purchase", 50, source: "(SELECT hash FROM apple_transactions)", insert: insert)
      #expect(throws: StorageError.self) {
        try shop.instance.database.write { try $0.execute(again) }
      }
    }
  }
}
