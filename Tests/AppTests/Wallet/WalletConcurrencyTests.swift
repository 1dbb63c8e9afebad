import Core
import Database
import Dispatch
import FakeAppStore
import Foundation
import Synchronization
import Testing
import Web

@testable import App
@testable import Wallet

@Suite("A thousand at once on a handful of wallets")
struct WalletConcurrencyTests {
  /// Six wallets, and two instances on one folder, like two processes. The last user does nothing
  /// while all of that user's purchases are refunded.
  private struct Fixture: Sendable {
    let services: [WalletEnvironment]
    let people: [Viewer]
    let posts: [ID<PromotedPost>]
    let codes: [String]
    let receipts: [String]
    /// Refunds, and reversals of some of them.
    let notifications: [String]
    let now: Instant

    /// One of the many concurrent actions; expected refusals are ignored.
    func act(_ number: Int) throws {
      let services = services[number % 2]
      let place = (number + number / 10) % (people.count - 1)
      let person = people[place]
      do {
        switch number % 10 {
        case 0...3:
          // Each receipt is sent twice or more, sometimes by two users.
          let receipt = receipts[(number / 3) % receipts.count]
          _ = try ReceiptService(services: services).claim(receipt, by: person, now: now)
        case 4, 5:
          // Each code is typed by several users.
          let code = codes[(number / 10) % codes.count]
          _ = try VoucherService(services: services).redeem(code, by: person, now: now)
        case 6, 7:
          // Each notification is delivered more than once.
          let notificationText = notifications[(number / 5) % notifications.count]
          try ReceiptService(services: services).receive(
            notificationText, from: "192.0.2.1", now: now)
        default:
          _ = try PromotionService(services: services).promote(
            posts[place], for: .init(days: 3, coins: 30), by: person, now: now)
        }
      } catch let problem as Problem
        where ["insufficient_coins", "transaction_claimed", "validation_error", "invalid_receipt"]
        .contains(problem.code)
      {
        // Expected.
      }
    }
  }

  /// Time of a reversal: later than the refund, even if that was signed with a clock ahead.
  private static func reversal(_ now: Instant) -> Instant { now.adding(seconds: 60) }

  private static let names = ["ida", "ivo", "jon", "kai", "lea", "mia"]

  /// All users buy four packs, and half of them spend as much as possible. Then concurrently: of
  /// the purchases so far, Apple refunds every second one, and all of the last user's.
  private func fixture(_ shop: FakeShop) throws -> Fixture {
    let instance = shop.instance
    let now = instance.clock.now()
    let people = try Self.names.map { try instance.alone($0) }
    let posts = try Self.names.map { name in
      ID<PromotedPost>(String(try instance.signedIn(name).write("Look").suffix(36)))
    }.compactMap { $0 }
    let other = try instance.reopened()
    let admin = try instance.moderator("ada", as: .admin)
    let services = [instance.instance.features.wallet.services, other.features.wallet.services]
    // Users who posted are in a couple of one now.
    let viewers = try people.map { try #require(try instance.seen($0)) }
    var notifications: [String] = []
    for (place, viewer) in viewers.enumerated() {
      for pack in 0..<4 {
        let bought = shop.transaction("paid \(place) \(pack)")
        _ = try ReceiptService(services: services[0]).claim(
          try shop.apple.sign(bought.json), by: viewer, now: now)
        guard pack % 2 == 0 || viewer.id == viewers.last?.id else { continue }
        notifications.append(try bought.notification("REFUND", by: shop.apple))
        // Delivered sometimes in order, sometimes not.
        if place == 1 {
          var later = bought
          later.signedAt = Self.reversal(now)
          notifications.append(try later.notification("REFUND_REVERSED", by: shop.apple))
        }
      }
      guard place % 2 == 1 else { continue }
      for _ in 0..<6 {
        _ = try PromotionService(services: services[0]).promote(
          posts[place], for: .init(days: 3, coins: 30), by: viewer, now: now)
      }
    }
    // Some of the concurrent purchases are refunded, too, before or after the claim.
    notifications += try (0..<15).map {
      try shop.transaction("t\($0 * 7)").notification("REFUND", by: shop.apple)
    }
    return Fixture(
      services: services, people: viewers, posts: posts, codes: try instance.codes(60, by: admin),
      receipts: try (0..<120).map { try shop.apple.sign(shop.transaction("t\($0)").json) },
      notifications: notifications, now: now)
  }

  @Test("Balances equal the sums, never below nothing, one credit a transaction and a code")
  func together() throws {
    let shop = try FakeShop()
    let instance = shop.instance
    let fixture = try fixture(shop)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 1000) { number in
      do {
        try fixture.act(number)
      } catch {
        failures.withLock { $0.append("\(number): \(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try instance.walletProblems() == [])
    try instance.database.read { reader in
      try checkCredits(reader)
      try checkRefunds(reader, of: fixture.people, now: fixture.now)
      let spent = try reader.count("SELECT count(*) FROM coin_transactions WHERE type = 'spend'")
      let promised = try reader.rows("SELECT promoted_until FROM promotions") {
        Int(try $0.next(Instant.self).seconds(since: fixture.now)) / 86_400
      }
      #expect(promised.reduce(0, +) == spent * 3)
      #expect(spent > 20)
    }
  }

  /// One credit per transaction and code, and none without one.
  private func checkCredits(_ reader: ReadTransaction) throws {
    let bought = try reader.count(
      "SELECT count(*) FROM apple_transactions WHERE user_id IS NOT NULL")
    let paid = try reader.count("SELECT count(*) FROM coin_transactions WHERE type = 'purchase'")
    #expect(bought == paid)
    #expect(bought > 24 + 30)
    let used = try reader.count("SELECT count(*) FROM voucher_codes WHERE used_at IS NOT NULL")
    let granted = try reader.count("SELECT count(*) FROM coin_transactions WHERE type = 'grant'")
    #expect(used == granted)
    #expect(used > 20)
    let sources = try reader.count(
      "SELECT count(DISTINCT source) FROM coin_transactions WHERE type IN ('purchase', 'grant')")
    #expect(sources == paid + granted)
    #expect(
      try reader.count("SELECT count(*) FROM user_wallets WHERE balance < 0 OR owed < 0") == 0)
    let wrong = try reader.count(
      """
      SELECT count(*) FROM user_wallets w WHERE balance <> (SELECT sum(amount)
        FROM coin_transactions c WHERE c.user_id = w.user_id)
      """)
    #expect(wrong == 0)
  }

  /// All refunded coins were taken back or are owed.
  private func checkRefunds(_ reader: ReadTransaction, of people: [Viewer], now: Instant) throws {
    let wallets = try people.map { person in
      (
        given: try reader.count(
          """
          SELECT coalesce(sum(coins), 0) FROM apple_transactions
          WHERE user_id = \(person.id) AND refunded_at IS NOT NULL
          """),
        taken:
          -(try reader.count(
            """
            SELECT coalesce(sum(amount), 0) FROM coin_transactions
            WHERE user_id = \(person.id) AND type = 'refund'
            """)),
        owed: try reader.count("SELECT owed FROM user_wallets WHERE user_id = \(person.id)")
      )
    }
    for wallet in wallets { #expect(wallet.given == wallet.taken + wallet.owed) }
    // Two packs each at least, except for the user with refunds.
    for place in [0, 2, 3, 4] { #expect(wallets[place].given >= 100) }
    // 180 of 200 coins were spent.
    let last = try #require(wallets.last)
    #expect(last.given == 200 && last.taken == 20 && last.owed == 180)
    let refunded = try reader.count(
      "SELECT count(*) FROM apple_transactions WHERE user_id IS NOT NULL AND refunded_at > 0")
    #expect(12...27 ~= refunded)
    // In any order, the newest signature counts: two refunds were reversed.
    let reversed = try reader.values(
      """
      SELECT refunded_at FROM apple_transactions WHERE state_signed_at = \(Self.reversal(now))
      """, as: Instant?.self)
    #expect(reversed == [nil, nil])
  }
}

extension TestInstance {
  /// The user as later requests see it.
  func seen(_ person: Viewer) throws -> Viewer? {
    let couple = try database.read { reader in
      try reader.first(
        """
        SELECT couple_id, (SELECT name FROM couples c WHERE c.id = couple_id) FROM users
        WHERE id = \(person.id)
        """
      ) { (try $0.next(ID<Couple>.self), try $0.next(String.self)) }
    }
    return couple.map {
      Viewer(
        id: person.id, role: person.role, avatar: person.avatar,
        couple: Viewer.CoupleSummary(id: $0.0, name: $0.1, status: .single, partner: nil))
    }
  }
}
