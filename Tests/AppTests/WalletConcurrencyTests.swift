import Accounts
import AppleStandIn
import Basics
import Database
import Dispatch
import Foundation
import Synchronization
import Testing
import Web

@testable import App
@testable import Wallet

@Suite("A thousand at once on a handful of wallets")
struct WalletConcurrencyTests {
  /// Five wallets, in two processes' worth of houses on one folder.
  private struct World: Sendable {
    let services: [WalletServices]
    let people: [Viewer]
    let posts: [ID<PromotedPost>]
    let codes: [String]
    let receipts: [String]
    let refunds: [String]
    let now: Instant

    /// One of the many things that happen; what may be refused is.
    func act(_ number: Int) throws {
      let services = services[number % 2]
      let person = people[number % people.count]
      do {
        switch number % 10 {
        case 0...3:
          // Each receipt is sent twice or more, by two people at times.
          let receipt = receipts[(number / 3) % receipts.count]
          _ = try ReceiptDesk(services: services).claim(receipt, by: person, now: now)
        case 4, 5:
          // Each code is typed by several people.
          let code = codes[(number / 10) % codes.count]
          _ = try VoucherDesk(services: services).redeem(code, by: person, now: now)
        case 6:
          let refund = refunds[number % refunds.count]
          try ReceiptDesk(services: services).hear(refund, now: now)
        default:
          _ = try PromotionDesk(services: services).promote(
            posts[number % people.count], for: .init(days: 3, coins: 30), by: person, now: now)
        }
      } catch let problem as Problem
        where ["insufficient_coins", "transaction_claimed", "validation_error", "invalid_receipt"]
        .contains(problem.code)
      {
        // As it should be.
      }
    }
  }

  @Test("Balances equal the sums, never below nothing, one credit a transaction and a code")
  func together() throws {
    let shop = try Shop()
    let house = shop.house
    let now = house.clock.now()
    let people = try ["ida", "ivo", "jon", "kai", "lea"].map { try house.alone($0) }
    let posts = try ["ida", "ivo", "jon", "kai", "lea"].map { name in
      ID<PromotedPost>(String(try house.signedIn(name).write("Look").suffix(36)))
    }
    let other = try house.reopened()
    let admin = try house.moderator("ada", as: .admin)
    // People who posted are in a couple of one by now.
    let viewers = try people.map { person in
      try #require(try house.seen(person))
    }
    let world = World(
      services: [house.house.features.wallet.services, other.features.wallet.services],
      people: viewers, posts: posts.compactMap { $0 },
      codes: try house.codes(60, by: admin),
      receipts: try (0..<120).map { try shop.apple.sign(shop.transaction("t\($0)").json) },
      refunds: try (0..<50).map {
        let text = try shop.transaction("t\($0 * 2)").notification("REFUND", by: shop.apple)
        return text
      }, now: now)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 1000) { number in
      do {
        try world.act(number)
      } catch {
        failures.withLock { $0.append("\(number): \(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try house.walletProblems() == [])
    try house.database.read { reader in
      let bought = try reader.count(
        "SELECT count(*) FROM apple_transactions WHERE user_id IS NOT NULL")
      let paid = try reader.count(
        "SELECT count(*) FROM coin_transactions WHERE type = 'purchase'")
      #expect(bought == paid)
      #expect(bought > 30)
      let used = try reader.count("SELECT count(*) FROM voucher_codes WHERE used_at IS NOT NULL")
      let granted = try reader.count(
        "SELECT count(*) FROM coin_transactions WHERE type = 'grant'")
      #expect(used == granted)
      #expect(used > 20)
      #expect(
        try reader.count("SELECT count(*) FROM user_wallets WHERE balance < 0 OR owed < 0") == 0)
      // Whatever Apple gave back was taken back, or is owed.
      let wrong = try reader.rows(
        """
        SELECT w.user_id FROM user_wallets w WHERE w.owed - coalesce((SELECT sum(amount)
            FROM coin_transactions c WHERE c.user_id = w.user_id AND c.type = 'refund'), 0)
          <> coalesce((SELECT sum(coins) FROM apple_transactions a
            WHERE a.user_id = w.user_id AND a.refunded_at IS NOT NULL), 0)
        """
      ) { $0.bytes(0) }
      #expect(wrong.isEmpty)
      let spent = try reader.count(
        "SELECT count(*) FROM coin_transactions WHERE type = 'spend'")
      let promised = try reader.rows("SELECT promoted_until FROM promotions") {
        Int($0.instant(0).seconds(since: now)) / 86_400
      }
      #expect(promised.reduce(0, +) == spent * 3)
      #expect(spent > 20)
    }
  }
}

extension TestHouse {
  /// A person as their requests show them now.
  func seen(_ person: Viewer) throws -> Viewer? {
    let couple = try database.read { reader in
      try reader.first(
        "SELECT couple_id, (SELECT name FROM couples c WHERE c.id = couple_id) FROM users WHERE id = ?",
        person.id
      ) { (try $0.id(0, Couple.self), $0.text(1)) }
    }
    return couple.map {
      Viewer(
        id: person.id, role: person.role, face: person.face,
        couple: Viewer.Pair(id: $0.0, name: $0.1, status: .single, partner: nil))
    }
  }
}
