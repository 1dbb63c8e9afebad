import Core
import Database
import Foundation
import Testing

@testable import App
@testable import Wallet

@Suite("Coins")
struct WalletTests {
  private let instance: TestInstance
  private let sam: ID<Person>
  private let browser: TestClient

  init() throws {
    instance = try TestInstance()
    sam = try instance.alone("sam").id
    browser = try instance.signedIn("sam")
  }

  @Test("A wallet that was never used is empty, and says so")
  func empty() {
    let page = browser.get("/wallet")
    #expect(page.status == 200)
    #expect(page.shows("No transactions yet"))
    // Packs that can't be bought are not shown.
    #expect(!page.shows("$0.99") && !page.shows("$2.99"))
    #expect(page.headers[.cacheControl]?.contains("no-store") == true)
    #expect(browser.balance == 0)
  }

  @Test("Without the app's shop the wallet offers no packs")
  func noShop() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let page = try instance.signedIn("sam").get("/wallet")
    #expect(page.status == 200 && !page.shows("packs-list"))
    // Instead it says what coins are for, and that vouchers are redeemed here.
    #expect(page.shows("/wallet/redeem") && page.shows("which you can redeem here."))
  }

  @Test("Lines are never changed, removed or squeezed in, and a balance never set by hand")
  func appendOnly() throws {
    try instance.grant(50, to: sam)
    try instance.grant(20, to: sam)
    try instance.alone("kim")
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
      SELECT id, user_id, number, type, amount + 1, balance_after + 1, post_id, days, created_at,
        source
      FROM coin_transactions
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'grant', 10, 90, NULL, NULL, 0, randomblob(32) FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 4, 'grant', 10, 80, NULL, NULL, 0, randomblob(32) FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'spend', -100, -30, NULL, NULL, 0, NULL FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'grant', -10, 60, NULL, NULL, 0, randomblob(32) FROM user_wallets
      """,
      // Without a source, of zero, and with a receipt.
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'grant', 10, 80, NULL, NULL, 0, NULL FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'refund', 0, 70, NULL, NULL, 0, NULL FROM user_wallets
      """,
      """
      INSERT INTO coin_transactions
      SELECT randomblob(16), user_id, 3, 'spend', -10, 60, NULL, NULL, 0, randomblob(32) FROM user_wallets
      """,
    ] as [Query] {
      #expect(throws: StorageError.self, "\(statement)") {
        try instance.database.write { try $0.execute(statement) }
      }
    }
    #expect(browser.balance == 70)
    #expect(try instance.walletProblems() == [])
  }

  @Test("The list has pages, latest first, each line with the balance then")
  func paging() throws {
    for _ in 0..<45 { try instance.grant(1, to: sam) }
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

  @Test("Numbers are set apart by their thousands, in each language")
  func grouped() throws {
    let instance = try FakeShop(variables: [
      "PAIRSPOT_PROMOTION_PRICES": "3=1500", "PAIRSPOT_COIN_PACKS": "2500=$9",
      "PAIRSPOT_APPLE_PRODUCTS": "coins2500=2500",
    ]).instance
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    let admin = try instance.moderator("ada", as: .admin)
    try instance.grant(12_345, to: sam)
    _ = try instance.codes(2, coins: 1250, by: admin)
    let post = try browser.write("Look")
    for language in ["en", "zh-Hant", "zh-Hans"] {
      for one in [browser, admin] { one.post("/language", ["language": language]) }
      let wallet = browser.get("/wallet")
      for words in [">12,345<", ">+12,345<", "> 12,345<", ">2,500<"] {
        #expect(wallet.shows(words), "\(language): \(words)")
      }
      let promote = browser.get("\(post)/promote")
      for words in ["1,500", "12,345"] {
        #expect(promote.shows(words), "\(language): \(words)")
      }
      #expect(admin.get("/admin/vouchers").shows("1,250"))
      #expect(admin.post("/admin/vouchers", ["coins": "0"]).shows("10,000"))
      for page in [wallet, promote] {
        #expect(page.text.firstMatch(of: /[ >+](12345|1500|2500|10845)[ <]/) == nil)
      }
    }
  }

  @Test("One is one: of coins, days and promotions")
  func plurals() throws {
    let instance = try FakeShop(variables: [
      "PAIRSPOT_PROMOTION_PRICES": "1=1,2=2", "PAIRSPOT_COIN_PACKS": "1=$1",
      "PAIRSPOT_APPLE_PRODUCTS": "coins1=1",
    ]).instance
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    let admin = try instance.moderator("ada", as: .admin)
    #expect(browser.get("/wallet").shows("A promotion of 1 day costs 1 coin."))
    try instance.grant(1, to: sam)
    let wallet = browser.get("/wallet")
    #expect(wallet.shows("Enough for 1 promotion of 1 day."))
    #expect(wallet.shows(">coin<") && !wallet.shows(">coins<"))
    try instance.grant(1, to: sam)
    #expect(browser.get("/wallet").shows("Enough for 2 promotions of 1 day each."))
    let page = browser.get("\(try browser.write("Look"))/promote")
    for words in ["1 day<", "1 coin<", "2 days<", "2 coins<"] { #expect(page.shows(words)) }
    _ = try instance.codes(1, coins: 1, by: admin)
    #expect(admin.get("/admin/vouchers").shows("1 × 1 coin<"))
  }

  @Test("A wallet asks the database as often for many promoted posts as for one")
  func statements() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    try instance.grant(1000, to: sam)
    func asked() -> Int {
      let before = log.count
      #expect(browser.get("/wallet").status == 200)
      return log.count - before
    }
    browser.promote(try browser.write("Post 0"))
    let one = asked()
    for number in 1..<20 { browser.promote(try browser.write("Post \(number)")) }
    #expect(asked() == one)
    for number in 1..<20 { #expect(browser.get("/wallet").shows("“Post \(number)”")) }
  }

  @Test("A promoted post is named where it is still seen, by its words if it has any")
  func named() throws {
    try instance.grant(100, to: sam)
    let (gone, wordless) = (try browser.write("Going"), try browser.writeWithPicture(""))
    for post in [gone, wordless] { #expect(browser.promote(post).status == 200) }
    let page = browser.get("/wallet")
    #expect(page.shows("“Going”") && page.shows("href=\"\(wordless)\">Post without text"))
    browser.post("\(gone)/delete")
    #expect(browser.get("/wallet").shows("Post no longer available"))
  }

  @Test("The export has every line")
  func export() throws {
    try instance.grant(50, to: sam)
    let files = try instance.database.read { try WalletParticipant().export(sam, from: $0) }
    let text = String(decoding: try #require(files.first).json, as: UTF8.self)
    #expect(text.contains("\"balance\" : 50") && text.contains("\"type\" : \"grant\""))
  }

  @Test("Guests have no wallet, and each wallet is visible to its user only")
  func others() throws {
    try instance.grant(50, to: sam)
    let guest = try instance.guest("Gia")
    #expect(guest.call(.get, "/wallet").status == 403)
    #expect(guest.get("/wallet").location?.hasPrefix("/become-a-member") == true)
    try instance.alone("kim")
    #expect(try instance.signedIn("kim").balance == 0)
  }

  @Test("The price list and the packs are the operator's")
  func configured() throws {
    let instance = try TestInstance(variables: [
      "PAIRSPOT_PROMOTION_PRICES": "1=5, 2=9", "PAIRSPOT_COIN_PACKS": "80=€ 1",
    ])
    let settings = instance.instance.configuration.wallet
    #expect(settings.prices == [.init(days: 1, coins: 5), .init(days: 2, coins: 9)])
    #expect(settings.packs == [.init(coins: 80, price: "€ 1")])
    let mixed = try TestInstance(variables: [
      "PAIRSPOT_PROMOTION_PRICES": "9=90,3=30,6=60", "PAIRSPOT_COIN_PACKS": "150=$3,50=$1",
    ]).instance.configuration.wallet
    #expect(mixed.prices.map(\.coins) == [30, 60, 90])
    #expect(mixed.packs.map(\.coins) == [50, 150])
    for (name, value) in [
      ("PAIRSPOT_PROMOTION_PRICES", "3"), ("PAIRSPOT_PROMOTION_PRICES", "3=0"),
      ("PAIRSPOT_PROMOTION_PRICES", "3=30,3=40"), ("PAIRSPOT_COIN_PACKS", "many=$1"),
      ("PAIRSPOT_APPLE_PRODUCTS", "coins"), ("PAIRSPOT_APPLE_ENVIRONMENT", "Moon"),
      ("PAIRSPOT_APPLE_ROOT_CERTIFICATE", "/nowhere.pem"),
    ] {
      #expect(throws: Configuration.Invalid.self, "\(name)=\(value)") {
        try TestInstance(variables: [name: value])
      }
    }
  }
}

@Suite("Vouchers")
struct VoucherTests {
  private let instance: TestInstance
  private let admin: TestClient
  private let sam: TestClient

  init() throws {
    instance = try TestInstance()
    admin = try instance.moderator("ada", as: .admin)
    try instance.alone("sam")
    sam = try instance.signedIn("sam")
  }

  @Test("A code works once, typed in any way")
  func once() throws {
    let codes = try instance.codes(2, by: admin)
    let entered = codes[0].lowercased().replacing("-", with: " ")
    #expect(sam.post("/wallet/redeem", ["code": entered]).location == "/wallet")
    #expect(sam.balance == 50)
    let again = sam.post("/wallet/redeem", ["code": codes[0]])
    #expect(again.status == 422)
    #expect(again.shows("You’ve already used this code.") && again.shows(codes[0]))
    let answer = sam.call(.post, "/wallet/redeem", "{\"code\":\"\(codes[1])\"}")
    #expect(answer.json["balance"] as? Int == 100)
    #expect(answer.json["credited"] as? Int == 50)
    #expect(sam.call(.post, "/wallet/redeem", "{\"code\":\"\(codes[1])\"}").status == 422)
    #expect(try instance.walletProblems() == [])
  }

  @Test("A refused code has a reason: used by oneself differs from used by another user")
  func reasons() throws {
    let code = try instance.codes(1, by: admin)[0]
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    func said(_ code: String, to browser: TestClient) -> [String: String] {
      let answer = browser.call(.post, "/wallet/redeem", "{\"code\":\"\(code)\"}")
      #expect(answer.status == 422 && answer.code == "validation_error")
      return answer.fieldErrors
    }
    #expect(said("AAAA-BBBB-CCCC-DDDD", to: sam)["reason"] == "unknown")
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 303)
    #expect(
      said(code, to: sam) == ["code": "You’ve already used this code.", "reason": "used_by_you"])
    #expect(
      said(code, to: kim) == ["code": "This code was already used.", "reason": "used"])
    #expect(kim.post("/wallet/redeem", ["code": code]).shows("This code was already used."))
    let old = try instance.codes(1, days: 1, by: admin)[0]
    instance.clock.advance(seconds: .days(2))
    #expect(said(old, to: try instance.signedIn("kim"))["reason"] == "expired")
  }

  @Test("Codes are stored as hashes alone, and shown once")
  func hashed() throws {
    let code = try #require(try instance.codes(1, by: admin).first)
    #expect(!admin.get("/admin/vouchers").shows(code))
    let plain = code.replacing("-", with: "")
    let stored = try instance.database.read { reader in
      try reader.values("SELECT code_hash FROM voucher_codes", as: [UInt8].self)
    }
    #expect(stored.count == 1 && stored[0].count == 32)
    for file in try FileManager.default.contentsOfDirectory(atPath: instance.folder.path)
    where file.hasPrefix("pairspot.sqlite") {
      let bytes = try Data(contentsOf: instance.folder.appending(path: file))
      #expect(bytes.range(of: Data(plain.utf8)) == nil)
      #expect(bytes.range(of: Data(code.utf8)) == nil)
    }
  }

  @Test("Codes end: by their day, or by an admin")
  func ended() throws {
    let old = try instance.codes(1, days: 1, by: admin)[0]
    instance.clock.advance(seconds: 1)
    let withdrawn = try instance.codes(1, coins: 70, by: admin)[0]
    let end = try instance.endOfVouchers(by: admin)
    #expect(admin.post(end).location == "/admin/vouchers")
    #expect(admin.post(end).status == 404)
    #expect(admin.get(end).status == 404)
    #expect(sam.post("/wallet/redeem", ["code": withdrawn]).status == 422)
    instance.clock.advance(seconds: .days(1))
    #expect(sam.post("/wallet/redeem", ["code": old]).shows("This code has expired"))
    #expect(sam.balance == 0)
  }

  @Test("Before ending vouchers a page describes them and the effect; the log has them")
  func ending() throws {
    let codes = try instance.codes(3, coins: 1250, by: admin)
    sam.post("/wallet/redeem", ["code": codes[0]])
    let end = try instance.endOfVouchers(by: admin)
    let page = admin.get(end)
    for words in ["End these vouchers?", "3 × 1,250 coins", "1 of 3 used", "2 unused codes"] {
      #expect(page.shows(words), "\(words)")
    }
    // Asking for confirmation changes nothing.
    #expect(sam.post("/wallet/redeem", ["code": codes[1]]).status == 303)
    #expect(admin.get(end).shows("1 unused code "))
    #expect(admin.post(end).status == 303)
    #expect(sam.post("/wallet/redeem", ["code": codes[2]]).status == 422)
    let id = String(end.dropFirst("/admin/vouchers/".count).prefix(36))
    let list = admin.get("/admin/vouchers")
    #expect(list.shows("Ended") && list.shows(id) && !list.shows(end))
    let log = admin.get("/admin/log").text.components(separatedBy: "<li ")
    for action in ["Ended vouchers", "Created vouchers"] {
      #expect(log.contains { [action, "3 × 1250", id].allSatisfy($0.contains) }, "\(action)")
    }
    #expect(sam.get(end).status == 404 && sam.post(end).status == 404)
  }

  @Test("Too many wrong codes are refused for a while")
  func guessing() throws {
    let instance = try TestInstance(limits: true)
    let admin = try instance.moderator("ada", as: .admin)
    instance.clock.advance(seconds: 61)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let code = try instance.codes(1, by: admin)[0]
    for _ in 0..<10 {
      #expect(sam.post("/wallet/redeem", ["code": "AAAA-BBBB-CCCC-DDDD"]).status == 422)
    }
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 429)
    instance.clock.advance(seconds: .hours(1) + 1)
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 303)
  }

  @Test("Apps get 403, unless the operator lets them")
  func apps() throws {
    let code = try instance.codes(1, by: admin)[0]
    let app = instance.client()
    app.login("sam")
    #expect(app.post("/wallet/redeem", ["code": code]).status == 403)
    #expect(sam.balance == 0)
    let open = try TestInstance(variables: ["PAIRSPOT_VOUCHERS_IN_APPS": "on"])
    try open.alone("kim")
    let other = open.client()
    other.login("kim")
    #expect(other.post("/wallet/redeem", ["code": code]).status == 422)
  }

  @Test("The same form sent twice makes no second batch; a wrong one names the errors")
  func making() throws {
    let page = admin.get("/admin/vouchers")
    let fields = [
      ("batch", page.value(of: "batch") ?? ""), ("coins", "50"), ("count", "3"), ("days", "9"),
    ]
    #expect(admin.post("/admin/vouchers", all: fields).status == 200)
    #expect(admin.post("/admin/vouchers", all: fields).location == "/admin/vouchers")
    #expect(try instance.count("SELECT count(*) FROM voucher_codes") == 3)
    let wrong = admin.post("/admin/vouchers", ["coins": "0", "count": "many", "days": "9"])
    #expect(wrong.status == 422)
    #expect(wrong.shows("from 1 to 10,000") && wrong.shows("value=\"many\""))
    #expect(admin.get("/admin/log").shows("3 × 50"))
  }

  @Test("The same form with other numbers makes another batch, that one once too, and says so")
  func otherNumbers() throws {
    let nonce = try #require(admin.get("/admin/vouchers").value(of: "batch"))
    func send(_ count: Int) -> TestResponse {
      admin.post(
        "/admin/vouchers",
        ["batch": nonce, "coins": "50", "count": "\(count)", "days": "9"])
    }
    for count in [3, 4] { #expect(send(count).status == 200) }
    for count in [3, 4] {
      #expect(send(count).location == "/admin/vouchers")
      #expect(admin.get("/admin/vouchers").shows("These codes were already created."))
    }
    #expect(!admin.get("/admin/vouchers").shows("These codes were already created."))
    #expect(try instance.count("SELECT count(*) FROM vouchers") == 2)
    #expect(try instance.count("SELECT count(*) FROM voucher_codes") == 7)
    // Another admin's form is a different one.
    let other = try instance.moderator("abe", as: .admin)
    let fields: KeyValuePairs = ["batch": nonce, "coins": "50", "count": "3", "days": "9"]
    #expect(other.post("/admin/vouchers", fields).status == 200)
    #expect(try instance.walletProblems() == [])
  }

  @Test("The list of batches has pages, latest first, each of them once")
  func paging() throws {
    #expect(!admin.get("/admin/vouchers").shows("If you’ve lost them"))
    for number in 1...(VoucherPages.pageSize + 5) {
      instance.clock.advance(seconds: 1)
      let fields: KeyValuePairs = ["coins": "\(number)", "count": "1", "days": "9"]
      let made = admin.post("/admin/vouchers", fields)
      try #require(made.status == 200)
    }
    var seen: [Int] = []
    var sizes: [Int] = []
    var path: String? = "/admin/vouchers"
    while let next = path {
      let page = admin.get(next)
      let found = page.text.matches(of: /1 × (\d+) coins?</).compactMap { Int($0.output.1) }
      seen += found
      sizes.append(found.count)
      path = page.text.firstMatch(of: /href="(\/admin\/vouchers\?before=[0-9a-f-]{36})"/)
        .map { String($0.output.1) }
    }
    #expect(sizes == [VoucherPages.pageSize, 5])
    #expect(seen == Array((1...(VoucherPages.pageSize + 5)).reversed()))
    #expect(admin.get("/admin/vouchers?before=nonsense").status == 200)
  }

  @Test("An admin who lost the codes is advised to end the batch")
  func lost() throws {
    let words = [
      "en": "Codes are only shown once. If you’ve lost them, end them and create new ones.",
      "zh-Hant": "兌換碼只會顯示一次。若已遺失，請停用那一批，再產生新的。",
      "zh-Hans": "兑换码只会显示一次。如果已经遗失，请停用那一批，再生成新的。",
    ]
    let code = try instance.codes(1, by: admin)[0]
    let end = try instance.endOfVouchers(by: admin)
    for (language, said) in words {
      admin.post("/language", ["language": language])
      #expect(admin.get("/admin/vouchers").shows(said), "\(language)")
      #expect(admin.get(end).shows(said), "\(language)")
    }
    // A batch with all codes used can be ended without loss.
    #expect(sam.post("/wallet/redeem", ["code": code]).status == 303)
    for (language, said) in words {
      admin.post("/language", ["language": language])
      #expect(!admin.get(end).shows(said), "\(language)")
    }
  }

  @Test("A form that is sent twice uses its code once, and says both times that it worked")
  func twice() throws {
    let codes = try instance.codes(2, by: admin)
    let nonce = try #require(sam.get("/wallet/redeem").value(of: "nonce"))
    let fields: KeyValuePairs = ["nonce": nonce, "code": codes[0]]
    for _ in 0..<2 {
      #expect(sam.post("/wallet/redeem", fields).location == "/wallet")
      #expect(sam.get("/wallet").shows("Coins added to your wallet"))
      #expect(sam.balance == 50)
    }
    // The code is accepted in any notation.
    let entered = codes[0].lowercased().replacing("-", with: "")
    #expect(sam.post("/wallet/redeem", ["nonce": nonce, "code": entered]).status == 303)
    // Another form is not a repetition, and another code is not either.
    let other = try #require(sam.get("/wallet/redeem").value(of: "nonce"))
    #expect(other != nonce)
    let again = sam.post("/wallet/redeem", ["nonce": other, "code": codes[0]])
    #expect(again.status == 422 && again.shows("You’ve already used this code."))
    #expect(sam.post("/wallet/redeem", ["nonce": nonce, "code": codes[1]]).status == 303)
    #expect(sam.balance == 100)
    // Nor can another user's nonce be reused.
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    #expect(kim.post("/wallet/redeem", fields).shows("This code was already used."))
    #expect(kim.balance == 0)
    #expect(try instance.walletProblems() == [])
  }

  @Test("Only admins make codes")
  func doors() throws {
    #expect(sam.get("/admin/vouchers").status == 404)
    #expect(sam.post("/admin/vouchers", ["coins": "50", "count": "1", "days": "1"]).status == 404)
    let moderator = try instance.moderator("mo")
    #expect(moderator.get("/admin/vouchers").status == 404)
  }
}
