import Basics
import Database
import Foundation
import Testing

@testable import App
@testable import Wallet

@Suite("Coins")
struct WalletTests {
  private let house: TestHouse
  private let sam: ID<Person>
  private let browser: Browser

  init() throws {
    house = try TestHouse()
    sam = try house.alone("sam").id
    browser = try house.signedIn("sam")
  }

  @Test("A wallet that was never used is empty, and says so")
  func empty() {
    let page = browser.get("/wallet")
    #expect(page.status == 200)
    #expect(page.shows("Nothing came or went yet"))
    #expect(page.shows("$0.99") && page.shows("$2.99"))
    #expect(page.headers[.cacheControl]?.contains("no-store") == true)
    #expect(browser.balance == 0)
  }

  @Test("Lines are never changed, removed or squeezed in, and a balance never set by hand")
  func appendOnly() throws {
    try house.grant(50, to: sam)
    try house.grant(20, to: sam)
    try house.alone("kim")
    for statement in [
      "UPDATE coin_transactions SET amount = 99",
      "UPDATE coin_transactions SET created_at = 0",
      "DELETE FROM coin_transactions",
      "DELETE FROM user_wallets",
      "UPDATE user_wallets SET balance = 1000",
      "UPDATE user_wallets SET balance = 50",
      "UPDATE user_wallets SET owed = -1",
      "INSERT INTO user_wallets (user_id, balance) SELECT id, 5 FROM users WHERE id NOT IN (SELECT user_id FROM user_wallets) LIMIT 1",
      "INSERT OR REPLACE INTO user_wallets (user_id) SELECT user_id FROM user_wallets",
      """
      INSERT OR REPLACE INTO coin_transactions
      SELECT id, user_id, number, type, amount + 1, balance_after + 1, post_id, days, created_at
      FROM coin_transactions
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'grant', 10, 90, NULL, NULL, 0 FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 4, 'grant', 10, 80, NULL, NULL, 0 FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'spend', -100, -30, NULL, NULL, 0 FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'grant', -10, 60, NULL, NULL, 0 FROM user_wallets
      """,
    ] {
      #expect(throws: DatabaseFailure.self, "\(statement)") {
        try house.database.write { try $0.execute(statement) }
      }
    }
    #expect(browser.balance == 70)
    #expect(try house.walletProblems() == [])
  }

  @Test("The list goes on, the latest first, each line with what there was then")
  func paging() throws {
    for _ in 0..<45 { try house.grant(1, to: sam) }
    var seen: [Int] = []
    var path: String? = "/wallet?limit=20"
    while let next = path {
      let page = browser.call(.get, next)
      seen += page.list("transactions").compactMap { $0["balance_after"] as? Int }
      path = (page.json["next_cursor"] as? String).map { "/wallet?limit=20&cursor=\($0)" }
    }
    #expect(seen == Array((1...45).reversed()))
    let first = browser.get("/wallet")
    #expect(first.text.components(separatedBy: "coin-line").count == 21)
    let older = try #require(first.text.firstMatch(of: /href="(\/wallet\?before=\d+)"/))
    let second = browser.get(String(older.output.1))
    #expect(second.text.components(separatedBy: "coin-line").count == 21)
    #expect(browser.get("/wallet?before=nonsense").status == 200)
  }

  @Test("The export has every line")
  func export() throws {
    try house.grant(50, to: sam)
    let files = try house.database.read { try WalletParticipant().export(sam, from: $0) }
    let text = String(decoding: try #require(files.first).json, as: UTF8.self)
    #expect(text.contains("\"balance\" : 50") && text.contains("\"type\" : \"grant\""))
  }

  @Test("Guests have no wallet, and nobody sees another one's")
  func others() throws {
    try house.grant(50, to: sam)
    let guest = try house.guest("Gia")
    #expect(guest.call(.get, "/wallet").status == 403)
    #expect(guest.get("/wallet").location?.hasPrefix("/become-a-member") == true)
    try house.alone("kim")
    #expect(try house.signedIn("kim").balance == 0)
  }

  @Test("The price list and the packs are the operator's")
  func configured() throws {
    let house = try TestHouse(variables: [
      "PAIRSPOT_PROMOTION_PRICES": "1=5, 2=9", "PAIRSPOT_COIN_PACKS": "80=€ 1",
    ])
    let settings = house.house.configuration.wallet
    #expect(settings.prices == [.init(days: 1, coins: 5), .init(days: 2, coins: 9)])
    #expect(settings.packs == [.init(coins: 80, price: "€ 1")])
    for (name, value) in [
      ("PAIRSPOT_PROMOTION_PRICES", "3"), ("PAIRSPOT_PROMOTION_PRICES", "3=0"),
      ("PAIRSPOT_PROMOTION_PRICES", "3=30,3=40"), ("PAIRSPOT_COIN_PACKS", "many=$1"),
      ("PAIRSPOT_APPLE_PRODUCTS", "coins"), ("PAIRSPOT_APPLE_ENVIRONMENT", "Moon"),
      ("PAIRSPOT_APPLE_ROOT_CERTIFICATE", "/nowhere.pem"),
    ] {
      #expect(throws: Configuration.Wrong.self, "\(name)=\(value)") {
        try TestHouse(variables: [name: value])
      }
    }
  }
}

@Suite("Vouchers")
struct VoucherTests {
  private let house: TestHouse
  private let admin: Browser
  private let sam: Browser

  init() throws {
    house = try TestHouse()
    admin = try house.moderator("ada", as: .admin)
    try house.alone("sam")
    sam = try house.signedIn("sam")
  }

  @Test("A code works once, typed in any way")
  func once() throws {
    let codes = try house.codes(2, by: admin)
    let typed = codes[0].lowercased().replacing("-", with: " ")
    #expect(sam.post("/wallet/redeem", ["code": typed]).location == "/wallet")
    #expect(sam.balance == 50)
    let again = sam.post("/wallet/redeem", ["code": codes[0]])
    #expect(again.status == 422)
    #expect(again.shows("used already") && again.shows(codes[0]))
    let answer = sam.call(.post, "/wallet/redeem", "{\"code\":\"\(codes[1])\"}")
    #expect(answer.json["balance"] as? Int == 100)
    #expect(answer.json["credited"] as? Int == 50)
    #expect(sam.call(.post, "/wallet/redeem", "{\"code\":\"\(codes[1])\"}").status == 422)
    #expect(try house.walletProblems() == [])
  }

  @Test("Codes are stored as hashes alone, and shown once")
  func hashed() throws {
    let code = try #require(try house.codes(1, by: admin).first)
    #expect(!admin.get("/admin/vouchers").shows(code))
    let plain = code.replacing("-", with: "")
    let stored = try house.database.read { reader in
      try reader.rows("SELECT code_hash FROM voucher_codes") { $0.bytes(0) }
    }
    #expect(stored.count == 1 && stored[0].count == 32)
    for file in try FileManager.default.contentsOfDirectory(atPath: house.folder.path)
    where file.hasPrefix("pairspot.sqlite") {
      let bytes = try Data(contentsOf: house.folder.appending(path: file))
      #expect(bytes.range(of: Data(plain.utf8)) == nil)
      #expect(bytes.range(of: Data(code.utf8)) == nil)
    }
  }

  @Test("Codes end: by their day, or by an admin")
  func ended() throws {
    let old = try house.codes(1, days: 1, by: admin)[0]
    house.clock.advance(seconds: 1)
    let withdrawn = try house.codes(1, coins: 70, by: admin)[0]
    let id = try #require(
      admin.get("/admin/vouchers").text.firstMatch(of: /name="end" value="([^"]+)"/)?.output.1)
    #expect(admin.post("/admin/vouchers", ["end": String(id)]).status == 303)
    #expect(admin.post("/admin/vouchers", ["end": String(id)]).status == 404)
    #expect(sam.post("/wallet/redeem", ["code": withdrawn]).status == 422)
    house.clock.advance(seconds: .days(1))
    #expect(sam.post("/wallet/redeem", ["code": old]).shows("too old"))
    #expect(sam.balance == 0)
  }

  @Test("Who tries code after code is told to wait")
  func guessing() throws {
    let house = try TestHouse(limits: true)
    let admin = try house.moderator("ada", as: .admin)
    house.clock.advance(seconds: 61)
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    let code = try house.codes(1, by: admin)[0]
    for _ in 0..<10 {
      #expect(sam.post("/wallet/redeem", ["code": "AAAA-BBBB-CCCC-DDDD"]).status == 422)
    }
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 429)
    house.clock.advance(seconds: .hours(1) + 1)
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 303)
  }

  @Test("Apps get 403, unless the operator lets them")
  func apps() throws {
    let code = try house.codes(1, by: admin)[0]
    let app = house.client()
    app.login("sam")
    #expect(app.post("/wallet/redeem", ["code": code]).status == 403)
    #expect(sam.balance == 0)
    let open = try TestHouse(variables: ["PAIRSPOT_VOUCHERS_IN_APPS": "on"])
    try open.alone("kim")
    let other = open.client()
    other.login("kim")
    #expect(other.post("/wallet/redeem", ["code": code]).status == 422)
  }

  @Test("The same form sent twice makes no second batch; a wrong one says what is wrong")
  func making() throws {
    let page = admin.get("/admin/vouchers")
    let fields = [
      ("batch", page.value(of: "batch") ?? ""), ("coins", "50"), ("count", "3"), ("days", "9"),
    ]
    #expect(admin.post("/admin/vouchers", all: fields).status == 200)
    #expect(admin.post("/admin/vouchers", all: fields).location == "/admin/vouchers")
    #expect(try house.count("SELECT count(*) FROM voucher_codes") == 3)
    let wrong = admin.post("/admin/vouchers", ["coins": "0", "count": "many", "days": "9"])
    #expect(wrong.status == 422)
    #expect(wrong.shows("from 1 to 10000") && wrong.shows("value=\"many\""))
    #expect(admin.get("/admin/log").shows("3 × 50"))
  }

  @Test("Only admins make codes")
  func doors() throws {
    #expect(sam.get("/admin/vouchers").status == 404)
    #expect(sam.post("/admin/vouchers", ["coins": "50", "count": "1", "days": "1"]).status == 404)
    let moderator = try house.moderator("mo")
    #expect(moderator.get("/admin/vouchers").status == 404)
  }
}
