import Core
import FakeAppStore
import Foundation
import Testing
import Web

@testable import App
@testable import Wallet

@Suite("Coins bought at Apple's")
struct ReceiptTests {
  private let shop: FakeShop
  private let ann: TestClient
  private let sam: TestClient

  init() throws {
    shop = try FakeShop()
    try shop.instance.couple()
    try shop.instance.alone("sam")
    ann = try shop.instance.signedIn("ann")
    sam = try shop.instance.signedIn("sam")
  }

  private func person(_ name: String) throws -> String {
    try shop.instance.database.read { reader in
      try reader.first("SELECT id FROM users WHERE display_name = \(name)") {
        try $0.next(ID<Person>.self).description
      } ?? ""
    }
  }

  @Test("A purchase pays once, however often it is sent, and for one person alone")
  func once() throws {
    let signed = try shop.apple.sign(shop.transaction("1").json)
    let first = shop.claim(signed, as: ann)
    #expect(first.status == 200)
    #expect(first.json["balance"] as? Int == 50)
    #expect(first.json["credited"] as? Int == 50)
    let again = ann.call(
      .post, "/wallet/verify-receipt", "{\"signed_transaction\":\"\(signed)\"}")
    #expect(again.json["balance"] as? Int == 50)
    #expect(again.json["credited"] as? Int == 0)
    let other = shop.claim(signed, as: sam)
    #expect(other.status == 409)
    #expect(other.code == "transaction_claimed")
    #expect(sam.balance == 0)
    #expect(ann.balance == 50)
  }

  @Test("A forged receipt is a security event; one signed for another app is not")
  func securityEvent() throws {
    let counter = "pairspot_security_signature_refused_total"
    func metrics() -> String { shop.instance.instance.site.metrics.text(gauges: []) }
    #expect(try shop.buy("1", as: ann) { $0.product = "nothing" }.status == 422)
    #expect(!metrics().contains(counter))
    #expect(shop.claim("forged.by.hand", as: ann).status == 422)
    #expect(metrics().contains("\(counter) 1\n"))
  }

  @Test("The quantity multiplies, and each product has its coins")
  func quantity() throws {
    #expect(try shop.buy("1", as: ann) { $0.quantity = 3 }.json["balance"] as? Int == 150)
    #expect(try shop.buy("2", as: ann) { $0.product = "coins150" }.json["balance"] as? Int == 300)
    let own = try person("Ann")
    #expect(try shop.buy("3", as: ann) { $0.person = own }.status == 200)
    #expect(try shop.buy("4", as: ann) { $0.person = own.uppercased() }.status == 200)
  }

  @Test("An identifier may be one character or 64, and those of one length are different ones")
  func identifiers() throws {
    let longest = String(repeating: "1", count: 63)
    for (number, id) in ["7", "8", "\(longest)7", "\(longest)8"].enumerated() {
      #expect(try shop.buy(id, as: ann).json["balance"] as? Int == 50 * (number + 1))
      #expect(try shop.buy(id, as: ann).json["credited"] as? Int == 0)
    }
  }

  @Test("A request without a receipt names the missing field")
  func missing() {
    let answer = ann.call(.post, "/wallet/verify-receipt", "{}")
    #expect(answer.status == 422)
    #expect(answer.code == "validation_error")
  }

  /// Each forged receipt with the expected error.
  private func forged() throws -> [(reason: String, text: String)] {
    let (apple, now) = (shop.apple, shop.instance.clock.now())
    let good = shop.transaction("forged").json
    var options = FakeAppStore.Options(
      leafFrom: now.adding(seconds: -.days(10)), leafUntil: now.adding(seconds: -.days(1)))
    let ended = try apple.with(options, now: now)
    options.leafUntil = now.adding(seconds: .days(10))
    options.leafMarker = nil
    let unmarkedLeaf = try apple.with(options, now: now)
    options.leafMarker = "1.2.840.113635.100.6.11.1"
    options.intermediateMarker = nil
    let unmarkedMiddle = try apple.with(options, now: now)
    let other = try FakeAppStore(now: now)
    let parts = try apple.sign(good).split(separator: ".")
    let more = try apple.sign(shop.transaction("forged") { $0.quantity = 9 }.json)
      .split(separator: ".")
    func signed(_ change: (inout FakeTransaction) -> Void) throws -> String {
      try apple.sign(shop.transaction("forged", change).json)
    }
    let somebody = try person("Sam")
    return [
      ("wrong_root", try other.sign(good)),
      ("wrong_root", try other.sign(good, chain: [other.leaf, other.intermediate, apple.root])),
      ("chain", try other.sign(good, chain: [other.leaf, apple.intermediate, apple.root])),
      ("chain", try apple.sign(good, chain: [apple.leaf])),
      ("not_valid_at_signing", try ended.sign(good)),
      ("missing_marker", try unmarkedLeaf.sign(good)),
      ("missing_marker", try unmarkedMiddle.sign(good)),
      ("bundle", try signed { $0.bundle = "app.other" }),
      ("environment", try signed { $0.environment = "Sandbox" }),
      ("product", try signed { $0.product = "coins9000" }),
      ("quantity", try signed { $0.quantity = 0 }),
      ("quantity", try signed { $0.quantity = -3 }),
      ("quantity", try signed { $0.quantity = 1_000_000 }),
      ("revoked", try signed { ($0.id, $0.isRevoked) = ("revoked", true) }),
      ("other_person", try signed { $0.person = somebody }),
      ("other_person", try signed { $0.person = "nobody" }),
      ("signature", "\(parts[0]).\(more[1]).\(parts[2])"),
      ("algorithm", apple.unsigned(good)),
      ("algorithm", apple.signHS256(good)),
      ("algorithm", try apple.signRSA(good)),
      ("algorithm", try apple.sign(good, algorithm: "RS256")),
      ("signature", try apple.signRSA(good, algorithm: "ES256")),
      ("malformed", "nothing"),
      ("malformed", "a.b.c"),
      ("malformed", try apple.sign("{\"signedDate\":\(now.milliseconds)}")),
      ("malformed", try signed { $0.id = "" }),
      ("malformed", try signed { $0.id = String(repeating: "1", count: 65) }),
      // The limit is in bytes.
      ("malformed", try signed { $0.id = String(repeating: "é", count: 33) }),
    ]
  }

  @Test("Every forged receipt is refused with its reason, and pays nothing")
  func forgeries() throws {
    for (reason, text) in try forged() {
      let answer = shop.claim(text, as: ann)
      #expect(answer.status == 422, "\(reason)")
      #expect(answer.code == "invalid_receipt", "\(reason)")
      #expect(answer.reason == reason)
      #expect(answer.fieldErrors["signedTransaction"]?.isEmpty == false)
    }
    #expect(ann.balance == 0)
    // Only Apple's signed refund is recorded, which credits no one.
    #expect(try shop.instance.count("SELECT count(*) FROM apple_transactions") == 1)
    #expect(
      try shop.instance.count("SELECT count(*) FROM apple_transactions WHERE refunded_at > 0") == 1)
    // None of the forged ones used up the transaction.
    #expect(try shop.buy("forged", as: ann).json["credited"] as? Int == 50)
  }

  @Test("A receipt of a leaf that ended since it signed is as good as ever")
  func oldReceipt() throws {
    let signed = try shop.apple.sign(shop.transaction("old").json)
    shop.instance.clock.advance(seconds: .days(500))
    let answer = shop.claim(signed, as: try shop.instance.signedIn("ann"))
    #expect(answer.json["credited"] as? Int == 50)
  }

  @Test("A credited purchase gets its first answer when its product is no longer sold")
  func productGone() throws {
    let signed = try shop.apple.sign(shop.transaction("1").json)
    shop.claim(signed, as: ann)
    let services = shop.instance.instance.features.wallet.services
    let apple = try #require(services.settings.apple)
    let later = ReceiptService(
      services: WalletEnvironment(
        site: services.site, limits: services.limits,
        settings: WalletSettings(
          isOn: true,
          apple: AppStoreSettings(
            root: apple.root, bundle: apple.bundle, environment: apple.environment, products: [:]),
          packs: [], prices: services.settings.prices, redeemsInApps: false),
        posts: services.posts, log: services.log))
    let (owner, other) = (try viewer("Ann"), try viewer("Sam"))
    let now = shop.instance.clock.now()
    let again = try later.claim(signed, by: owner, now: now)
    #expect(again.balance == 50 && again.credited == 0)
    let claimed = #expect(throws: Problem.self) { try later.claim(signed, by: other, now: now) }
    #expect(claimed?.code == "transaction_claimed")
    let new = try shop.apple.sign(shop.transaction("2").json)
    let refused = #expect(throws: Problem.self) { try later.claim(new, by: owner, now: now) }
    #expect(refused?.code == "invalid_receipt")
  }

  private func viewer(_ name: String) throws -> Viewer {
    let id = try #require(ID<Person>(try person(name)))
    return Viewer(
      id: id, role: .member, avatar: Viewer.Avatar(name: name, avatar: nil), couple: nil)
  }

  @Test("Without a root of Apple's no purchase is possible")
  func notConfigured() throws {
    let instance = try TestInstance()
    try instance.alone("kim")
    let answer = try instance.signedIn("kim").call(
      .post, "/wallet/verify-receipt",
      "{\"signedTransaction\":\"\(shop.apple.sign(shop.transaction("1").json))\"}")
    #expect(answer.status == 422)
    #expect(answer.reason == "not_configured")
  }

  // MARK: Notifications

  @Test("A refund takes the coins back, once")
  func refund() throws {
    try shop.buy("1", as: ann)
    try shop.buy("2", as: ann)
    for kind in ["REFUND", "REFUND", "REVOKE"] {
      #expect(try shop.notify(kind, shop.transaction("1")).status == 200)
    }
    #expect(ann.balance == 50)
    // Claiming it again credits nothing.
    #expect(try shop.buy("1", as: ann).json["credited"] as? Int == 0)
    #expect(ann.balance == 50)
    #expect(try shop.instance.walletProblems() == [])
  }

  @Test("Without coins, a refund of what was sold before still counts")
  func refundWithoutCoins() throws {
    let shop = try FakeShop(variables: ["PAIRSPOT_COINS": "off"])
    let sam = try shop.instance.alone("sam")
    let services = shop.instance.instance.features.wallet.services
    let bought = try ReceiptService(services: services).claim(
      shop.apple.sign(shop.transaction("1").json), by: sam, now: shop.instance.clock.now())
    #expect(bought.balance == 50)
    #expect(try shop.notify("REFUND", shop.transaction("1")).status == 200)
    #expect(try shop.instance.count("SELECT balance FROM user_wallets") == 0)
    #expect(try shop.instance.walletProblems() == [])
  }

  @Test("Coins already spent are owed, and the next purchase pays them")
  func owed() throws {
    try shop.buy("1", as: ann)
    let post = try ann.write("Look")
    #expect(ann.promote(post).status == 200)
    try shop.notify("REFUND", shop.transaction("1"))
    #expect(ann.balance == 0)
    #expect(ann.get("/wallet").shows("Your next purchase pays back 30 coins"))
    #expect(try shop.buy("2", as: ann).json["balance"] as? Int == 20)
    let lines = ann.call(.get, "/wallet").list("transactions")
    #expect(lines.compactMap { $0["amount"] as? Int } == [-30, 50, -20, -30, 50])
    #expect(lines.compactMap { $0["balance_after"] as? Int } == [20, 50, 0, 20, 50])
    #expect(try shop.instance.walletProblems() == [])
  }

  @Test("A refund that comes before the purchase leaves nothing to pay out")
  func early() throws {
    try shop.notify("REFUND", shop.transaction("1"))
    let answer = try shop.buy("1", as: ann)
    #expect(answer.status == 422)
    #expect(answer.reason == "revoked")
    #expect(ann.balance == 0)
  }

  @Test("Other notifications are accepted without effect; forged ones are refused")
  func others() throws {
    try shop.buy("1", as: ann)
    for kind in ["TEST", "CONSUMPTION_REQUEST", "ONE_TIME_CHARGE", "SOMETHING_NEW"] {
      #expect(try shop.notify(kind, shop.transaction("1")).status == 200)
    }
    let other = try FakeAppStore(now: shop.instance.clock.now())
    let forged = try shop.transaction("1").notification("REFUND", by: other)
    let mixed = try shop.transaction("1") { $0.bundle = "app.other" }
      .notification("REFUND", by: shop.apple)
    for text in [forged, mixed, "nothing"] {
      let answer = shop.notify(text)
      #expect(answer.status == 422)
      #expect(answer.code == "invalid_receipt")
    }
    #expect(ann.balance == 50)
  }

  @Test("Too many notifications from one address are limited, and those of others are not")
  func tooMuch() throws {
    let shop = try FakeShop(limits: true)
    let refund = try shop.transaction("1").notification("REFUND", by: shop.apple)
    for _ in 1..<ReceiptService.notifications.maximum {
      #expect(shop.notify("nothing").status == 422)
    }
    #expect(shop.notify(refund).status == 200)
    for text in ["nothing", refund] {
      let answer = shop.notify(text)
      #expect(answer.status == 429 && answer.code == "rate_limited")
      #expect(answer.headers[.retryAfter] != nil)
    }
    #expect(shop.notify(refund, from: "192.0.2.9").status == 200)
    shop.instance.clock.advance(seconds: 61)
    #expect(shop.notify(refund).status == 200)
  }

  @Test("A purchase stays used when the account is purged: no one gets it again")
  func purged() throws {
    try shop.buy("1", as: ann)
    let id = try #require(ID<Person>(try person("Ann")))
    try shop.instance.purge(id)
    #expect(try shop.instance.count("SELECT count(*) FROM coin_transactions") == 0)
    #expect(try shop.instance.count("SELECT count(*) FROM user_wallets") == 0)
    #expect(try shop.buy("1", as: sam).code == "transaction_claimed")
    #expect(try shop.instance.walletProblems() == [])
  }
}

@Suite("Refunds that Apple takes back")
struct RefundReversedTests {
  private let shop: FakeShop
  private let ann: TestClient

  init() throws {
    shop = try FakeShop()
    try shop.instance.couple()
    ann = try shop.instance.signedIn("ann")
  }

  /// A notification signed a second after the previous one.
  private func notificationText(_ kind: String, _ id: String = "1") throws -> String {
    shop.instance.clock.advance(seconds: 1)
    return try shop.transaction(id).notification(kind, by: shop.apple)
  }

  private func checkWell() throws { #expect(try shop.instance.walletProblems() == []) }

  @Test("The coins come back, once, however often either is repeated")
  func once() throws {
    try shop.buy("1", as: ann)
    let (refund, undone) = (try notificationText("REFUND"), try notificationText("REFUND_REVERSED"))
    shop.notify(refund)
    #expect(ann.balance == 0)
    for text in [undone, undone, refund, undone, refund] {
      #expect(shop.notify(text).status == 200)
      #expect(ann.balance == 50)
    }
    let lines = ann.call(.get, "/wallet").list("transactions")
    #expect(lines.compactMap { $0["amount"] as? Int } == [50, -50, 50])
    #expect(lines.compactMap { $0["type"] as? String } == ["refund", "refund", "purchase"])
    let page = ann.get("/wallet")
    #expect(page.shows("Refund reversed") && page.shows("Reversed by Apple"))
    // Claiming the purchase again credits nothing.
    #expect(try shop.buy("1", as: ann).json["credited"] as? Int == 0)
    try checkWell()
  }

  @Test("A notification that is signed again is recognised by its id")
  func signedAnew() throws {
    try shop.buy("1", as: ann)
    let first = try shop.transaction("1").notification("REFUND", by: shop.apple, named: "one")
    shop.notify(first)
    shop.notify(try notificationText("REFUND_REVERSED"))
    shop.instance.clock.advance(seconds: 3600)
    let again = try shop.transaction("1").notification("REFUND", by: shop.apple, named: "one")
    #expect(again != first)
    #expect(shop.notify(again).status == 200)
    #expect(try shop.instance.signedIn("ann").balance == 50)
    try checkWell()
  }

  @Test("Given back once more, the money is a refund as before")
  func refundedAgain() throws {
    try shop.buy("1", as: ann)
    for balance in [0, 50, 0, 50] {
      shop.notify(try notificationText(balance == 0 ? "REFUND" : "REFUND_REVERSED"))
      #expect(ann.balance == balance)
    }
    try checkWell()
  }

  @Test("Coins owed for it are owed no longer, and none are added")
  func owed() throws {
    try shop.buy("1", as: ann)
    #expect(ann.promote(try ann.write("Look")).status == 200)
    shop.notify(try notificationText("REFUND"))
    #expect(ann.balance == 0)
    shop.notify(try notificationText("REFUND_REVERSED"))
    #expect(ann.balance == 20)
    #expect(!ann.get("/wallet").shows("Your next purchase pays back"))
    #expect(try shop.buy("2", as: ann).json["balance"] as? Int == 70)
    try checkWell()
  }

  @Test("Coins owed and paid by a later purchase come back too")
  func paid() throws {
    try shop.buy("1", as: ann)
    #expect(ann.promote(try ann.write("Look")).status == 200)
    shop.notify(try notificationText("REFUND"))
    #expect(try shop.buy("2", as: ann).json["balance"] as? Int == 20)
    shop.notify(try notificationText("REFUND_REVERSED"))
    #expect(ann.balance == 70)
    try checkWell()
  }

  @Test("Sent before its refund, it leaves nothing to take back, and the next refund is one")
  func outOfOrder() throws {
    try shop.buy("1", as: ann)
    let (refund, undone) = (try notificationText("REFUND"), try notificationText("REFUND_REVERSED"))
    for text in [undone, refund, undone, refund] {
      #expect(shop.notify(text).status == 200)
      #expect(ann.balance == 50)
    }
    shop.notify(try notificationText("REFUND"))
    #expect(ann.balance == 0)
    try checkWell()
  }

  @Test("A reversal without its refund does not cancel a later refund")
  func alone() throws {
    try shop.buy("1", as: ann)
    for _ in 0..<2 { shop.notify(try notificationText("REFUND_REVERSED")) }
    #expect(ann.balance == 50)
    let refund = try notificationText("REFUND")
    for _ in 0..<2 {
      shop.notify(refund)
      #expect(ann.balance == 0)
    }
    // Nor before a claim.
    for kind in ["REFUND_REVERSED", "REFUND"] { shop.notify(try notificationText(kind, "2")) }
    #expect(try shop.buy("2", as: ann).reason == "revoked")
    try checkWell()
  }

  /// All permutations.
  private func orders(_ texts: [String]) -> [[String]] {
    guard texts.count > 1 else { return [texts] }
    return texts.indices.flatMap { place in
      var rest = texts
      let first = rest.remove(at: place)
      return orders(rest).map { [first] + $0 }
    }
  }

  @Test("In any order, each of them sent twice, the newest counts")
  func orders() throws {
    var number = 0
    for (kinds, coins) in [
      (["REFUND", "REFUND_REVERSED"], 50), (["REFUND", "REFUND_REVERSED", "REFUND"], 0),
      (["REFUND", "REFUND_REVERSED", "REVOKE", "REFUND_REVERSED"], 50),
    ] {
      for order in orders(kinds.indices.map(String.init)) {
        number += 1
        let (bought, waiting) = ("bought \(number)", "waiting \(number)")
        let before = ann.balance ?? 0
        try shop.buy(bought, as: ann)
        for id in [bought, waiting] {
          let texts = try kinds.map { try notificationText($0, id) }
          for place in order + order { shop.notify(texts[Int(place) ?? 0]) }
        }
        #expect(ann.balance == before + coins, "\(kinds) \(order)")
        let credited = try shop.buy(waiting, as: ann).json["credited"] as? Int
        #expect(credited == (coins == 0 ? nil : 50), "\(kinds) \(order)")
        #expect(ann.balance == before + coins * 2)
      }
    }
    try checkWell()
  }

  @Test("Of two with the same time the refund counts, in either order")
  func sameMoment() throws {
    for (id, kinds) in [
      ("1", ["REFUND", "REFUND_REVERSED"]), ("2", ["REFUND_REVERSED", "REFUND"]),
    ] {
      try shop.buy(id, as: ann)
      for kind in kinds { try shop.notify(kind, shop.transaction(id)) }
      #expect(ann.balance == 0)
    }
    try checkWell()
  }

  @Test("A purchase refunded and reversed before the claim is credited once")
  func unclaimed() throws {
    for (id, kinds) in [
      ("1", ["REFUND", "REFUND_REVERSED"]), ("2", ["REFUND_REVERSED"]),
      ("3", ["REFUND_REVERSED", "REFUND", "REFUND_REVERSED"]),
    ] {
      for kind in kinds { shop.notify(try notificationText(kind, id)) }
      #expect(try shop.buy(id, as: ann).json["credited"] as? Int == 50)
      #expect(try shop.buy(id, as: ann).json["credited"] as? Int == 0)
    }
    #expect(ann.balance == 150)
    try checkWell()
  }

  @Test("The coins of a purged account are returned to no one")
  func purged() throws {
    try shop.buy("1", as: ann)
    shop.notify(try notificationText("REFUND"))
    try shop.instance.purge(try #require(try shop.instance.viewer("Ann")))
    #expect(shop.notify(try notificationText("REFUND_REVERSED")).status == 200)
    try shop.instance.alone("sam")
    let sam = try shop.instance.signedIn("sam")
    #expect(try shop.buy("1", as: sam).code == "transaction_claimed")
    #expect(sam.balance == 0)
    try checkWell()
  }
}

@Suite("Purchases that say themselves that Apple gave the money back")
struct RevokedReceiptTests {
  private let shop: FakeShop
  private let ann: TestClient
  private let sam: TestClient

  init() throws {
    shop = try FakeShop()
    try shop.instance.couple()
    try shop.instance.alone("sam")
    (ann, sam) = (try shop.instance.signedIn("ann"), try shop.instance.signedIn("sam"))
  }

  /// A purchase signed a second after the previous signature.
  private func signed(_ id: String, isRevoked: Bool = false) throws -> String {
    shop.instance.clock.advance(seconds: 1)
    return try shop.apple.sign(shop.transaction(id) { $0.isRevoked = isRevoked }.json)
  }

  private func checkWell() throws { #expect(try shop.instance.walletProblems() == []) }

  @Test("An older signature of it credits no one afterwards")
  func remembered() throws {
    let older = try signed("1")
    let revoked = try signed("1", isRevoked: true)
    for (text, browser) in [(revoked, ann), (older, ann), (older, sam), (revoked, sam)] {
      let answer = shop.claim(text, as: browser)
      #expect(answer.status == 422 && answer.code == "invalid_receipt")
      #expect(answer.reason == "revoked")
    }
    #expect(ann.balance == 0 && sam.balance == 0)
    try checkWell()
  }

  @Test("A call with a key keeps that as well, however often it is repeated")
  func withKey() throws {
    let older = try signed("1")
    let revoked = try signed("1", isRevoked: true)
    for text in [revoked, revoked] {
      let answer = ann.call(
        .post, "/wallet/verify-receipt", "{\"signedTransaction\":\"\(text)\"}",
        headers: [.idempotencyKey: "k"])
      #expect(answer.status == 422)
    }
    #expect(shop.claim(older, as: ann).status == 422)
    #expect(ann.balance == 0)
  }

  @Test("It takes credited coins back, once, whichever user sends it")
  func paid() throws {
    let older = try signed("1")
    shop.claim(older, as: ann)
    #expect(ann.balance == 50)
    let revoked = try signed("1", isRevoked: true)
    let other = shop.claim(revoked, as: sam)
    #expect(other.status == 409 && other.code == "transaction_claimed")
    for text in [revoked, older, revoked] {
      let answer = shop.claim(text, as: ann)
      #expect(answer.status == 200)
      #expect(answer.json["credited"] as? Int == 0)
      #expect(answer.json["balance"] as? Int == 0)
    }
    // Apple's server sends the same later.
    shop.instance.clock.advance(seconds: 1)
    try shop.notify("REFUND", shop.transaction("1"))
    let lines = ann.call(.get, "/wallet").list("transactions")
    #expect(lines.compactMap { $0["amount"] as? Int } == [-50, 50])
    try checkWell()
  }

  @Test("Once Apple took that back an old one says nothing any more")
  func reversed() throws {
    shop.claim(try signed("1"), as: ann)
    let revoked = try signed("1", isRevoked: true)
    shop.claim(revoked, as: ann)
    #expect(ann.balance == 0)
    shop.instance.clock.advance(seconds: 1)
    try shop.notify("REFUND_REVERSED", shop.transaction("1"))
    #expect(ann.balance == 50)
    #expect(shop.claim(revoked, as: ann).json["balance"] as? Int == 50)
    // Nor before a claim: the same text credits nothing, a newer one does.
    let waiting = try signed("2", isRevoked: true)
    #expect(shop.claim(waiting, as: ann).reason == "revoked")
    shop.instance.clock.advance(seconds: 1)
    try shop.notify("REFUND_REVERSED", shop.transaction("2"))
    #expect(shop.claim(waiting, as: ann).reason == "revoked")
    #expect(shop.claim(try signed("2"), as: ann).json["credited"] as? Int == 50)
    #expect(ann.balance == 100)
    try checkWell()
  }

  @Test("A purchase that doesn't speak of the refund lifts none, even one signed later")
  func silent() throws {
    shop.claim(try signed("1"), as: ann)
    shop.instance.clock.advance(seconds: 1)
    try shop.notify("REFUND", shop.transaction("1"))
    try shop.notify("REFUND", shop.transaction("2"))
    #expect(shop.claim(try signed("1"), as: ann).json["balance"] as? Int == 0)
    #expect(shop.claim(try signed("2"), as: ann).reason == "revoked")
    #expect(ann.balance == 0)
    try checkWell()
  }
}
