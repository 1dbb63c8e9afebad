import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Registering a couple")
struct RegisterCoupleTests {
  static func register(
    _ browser: TestClient, _ first: String = "ann@example.test",
    _ second: String = "ben@example.test"
  ) -> TestResponse {
    browser.post(
      "/register",
      [
        "email_a": first, "email_b": second, "couple_name": "Ann & Ben",
        "anniversary": "2020-02-29", "accept": "1",
      ])
  }

  /// Follows a link in a mail and completes the registration.
  @discardableResult
  static func complete(
    _ browser: TestClient, _ link: String, _ name: String, password: String = TestInstance.password
  ) throws -> TestResponse {
    let page = browser.get(link)
    try #require(page.status == 200)
    let token = try #require(page.value(of: "token"))
    try #require(page.shows("id=\"display_name\"") && page.shows("id=\"password\""))
    return browser.post(
      "/register/complete", ["token": token, "display_name": name, "password": password])
  }

  private func status(_ instance: TestInstance) throws -> String? {
    try instance.database.read { try $0.value("SELECT status FROM couples", as: String.self) }
  }

  @Test("Scanners that open a link change nothing, and its page has the form at once")
  func scanned() throws {
    let instance = try TestInstance()
    _ = Self.register(instance.browser())
    let link = try instance.link(to: "ann@example.test")
    for _ in 1...3 { #expect(instance.browser().get(link).shows("action=\"/register/complete\"")) }
    #expect(try instance.count("SELECT count(*) FROM users") == 0)
    #expect(try Self.complete(instance.browser(), link, "Ann").status == 303)
    #expect(instance.browser().get(link).status == 410)
  }

  @Test("The day is optional: no badge until it is set, and it can be taken away again")
  func withoutDay() throws {
    let instance = try TestInstance()
    let fields: [String: String] = [
      "email_a": "ann@example.test", "email_b": "ben@example.test", "couple_name": "Ann & Ben",
      "anniversary": "", "accept": "1",
    ]
    let ann = instance.browser()
    #expect(ann.get("/register").shows("You can add it later."))
    #expect(ann.post("/register", all: fields.map { ($0, $1) }).location == "/register/waiting")
    for name in ["ann", "ben"] {
      let link = try instance.link(to: "\(name)@example.test")
      try Self.complete(name == "ann" ? ann : instance.browser(), link, name.capitalized)
    }
    let post = try ann.write("Hello")
    let couple = try #require(
      ann.get(post).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/).map { String($0.output) })
    for page in ["/", post, couple, "/settings/calendar"] {
      let shown = ann.get(page)
      #expect(shown.status == 200 && !shown.shows("days together"), "\(page)")
      #expect(!shown.shows("Day 1"), "\(page)")
    }
    let json = ann.call(.get, couple).json
    #expect(json["anniversary"] is NSNull && json["days_together"] is NSNull)
    let change = ["couple_name": "Ann & Ben", "bio": ""]
    func edit(_ day: String) {
      let all = change.merging(["anniversary": day]) { $1 }
      #expect(ann.upload("\(couple)/edit", all.map { ($0, $1) }, files: []).status == 303)
    }
    edit("2022-01-08")
    #expect(ann.call(.get, couple).json["anniversary"] as? String == "2022-01-08")
    edit("")
    #expect(ann.call(.get, couple).json["anniversary"] is NSNull)
  }

  @Test("A corrected address is a button, which fills the form again without sending mails")
  func corrected() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let wrong = Self.register(browser, "ann@example,test", "ben@example.test")
    #expect(wrong.status == 422 && wrong.shows("Use ann@example.test</button>"))
    // Enter presses the first button, which is not the suggestion.
    let first = /<button class="visually-hidden"[^>]*><\/button><button [^>]*name="use_suggestion"/
    #expect(wrong.text.firstMatch(of: first) != nil)
    let fields: [(String, String)] = [
      ("email_a", "ann@example,test"), ("email_b", "ben @example.test"),
      ("couple_name", "Ann & Ben"), ("anniversary", ""), ("accept", "1"),
    ]
    let filled = browser.post("/register", all: fields + [("use_suggestion", "email_a")])
    #expect(filled.status == 200 && filled.shows("value=\"ann@example.test\""))
    #expect(filled.shows("value=\"ben @example.test\""))
    #expect(filled.value(of: "couple_name") == "Ann &amp; Ben")
    #expect(try instance.count("SELECT count(*) FROM registrations") == 0)
    // Nothing to correct: the form is sent as it is.
    let sent = browser.post(
      "/register/alone",
      [
        "email": "sam@example.test", "display_name": "Sam", "password": TestInstance.password,
        "accept": "1", "use_suggestion": "email",
      ])
    #expect(sent.status == 303)
  }

  @Test("The same address twice is said at once, however it is written")
  func same() throws {
    let instance = try TestInstance()
    for (first, second) in [
      ("ann@example.test", "ANN@example.test"), ("ann@example", "ann@example"), ("ann", " Ann "),
    ] {
      let answer = Self.register(instance.browser(), first, second)
      #expect(answer.status == 422 && answer.shows("a different address for your partner"))
    }
  }

  @Test("Both follow their links: pending after the first, active after the second")
  func both() throws {
    let instance = try TestInstance()
    let (ann, ben) = (instance.browser(), instance.browser())
    #expect(Self.register(ann).location == "/register/waiting")
    let waiting = ann.get("/register/waiting")
    #expect(waiting.shows("ann@example.test") && waiting.shows("ben@example.test"))

    let first = try Self.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    #expect(first.location == "/register/waiting")
    #expect(try status(instance) == "pending")
    #expect(ann.get("/register/waiting").shows("ben@example.test"))

    let second = try Self.complete(ben, instance.link(to: "ben@example.test"), "Ben")
    #expect(second.location == "/")
    #expect(try status(instance) == "active")
    #expect(ann.get("/register/waiting").location == "/")
    #expect(ben.get("/").shows("Ann &amp; Ben"))
    #expect(try instance.mails(to: "ann@example.test").count == 2)
    #expect(try instance.mails(to: "ben@example.test").count == 2)
  }

  @Test("A known address looks the same from outside; only the mails differ")
  func knownAddresses() throws {
    let (known, fresh) = (try TestInstance(), try TestInstance())
    try known.couple()
    let (first, second) = (known.browser(), fresh.browser())
    let (a, b) = (Self.register(first), Self.register(second))
    #expect(a.status == b.status && a.location == b.location)
    #expect(
      first.get("/register/waiting").withoutStates == second.get("/register/waiting").withoutStates)
    let subject = try #require(try known.mails(to: "ann@example.test").first?.subject)
    #expect(subject != (try fresh.mails(to: "ann@example.test").first?.subject))
    let mails = try known.mails(to: "ann@example.test") + known.mails(to: "ben@example.test")
    #expect(mails.count == 2)
    #expect(mails.allSatisfy { !$0.text.contains("/verify") })
  }

  @Test("A member alone is invited to pair instead of being asked to verify")
  func memberAlone() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    try instance.couple("Cy & Di", "cy", "di")
    _ = Self.register(instance.browser(), "ann@example.test", "cy@example.test")
    let invitation = try #require(try instance.mails(to: "ann@example.test").last)
    let rejection = try #require(try instance.mails(to: "cy@example.test").last)
    #expect(invitation.subject != rejection.subject)
    #expect(!invitation.text.contains("/verify") && !rejection.text.contains("/verify"))
  }

  @Test(
    "Wrong input is 422, with what was typed",
    arguments: [
      ("email_a", "no address"), ("email_b", "ann@example.test"), ("couple_name", ""),
      ("anniversary", "2099-01-01"), ("anniversary", "yesterday"), ("accept", ""),
    ])
  func wrongInput(field: String, value: String) throws {
    let instance = try TestInstance()
    var fields = [
      "email_a": "ann@example.test", "email_b": "ben@example.test", "couple_name": "Kept <name>",
      "anniversary": "2020-02-29", "accept": "1",
    ]
    fields[field] = value
    if field == "accept" { fields[field] = nil }
    let answer = instance.browser().post("/register", all: fields.sorted { $0.key < $1.key })
    #expect(answer.status == 422)
    #expect(answer.shows("error-summary"))
    #expect(answer.shows("value=\"ann@example.test\"") || field == "email_a")
    #expect(answer.shows("Kept &lt;name&gt;") || field == "couple_name")
    #expect(try instance.allMails().isEmpty)
  }

  @Test("Each empty field is named", arguments: Language.allCases)
  func nothingTyped(language: Language) throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    browser.post("/language", ["language": language.rawValue])
    let answer = browser.post("/register", ["couple_name": " "])
    let texts = instance.instance.site.catalogues
    for field in ["email_a", "email_b", "couple_name"] {
      let words = texts.text("error.\(field)_empty", in: language, [:], count: nil)
      #expect(answer.text.components(separatedBy: words).count == 2, "\(words)")
    }
    #expect(!answer.text.contains("_empty"))
  }

  @Test("Mails are sent again three times an hour, then 429 says when")
  func resending() throws {
    let instance = try TestInstance(limits: true)
    let browser = instance.browser()
    _ = Self.register(browser)
    for _ in 1...3 {
      browser.get("/register/waiting")
      #expect(browser.post("/register/waiting", ["resend": "1"]).status == 303)
    }
    #expect(!browser.get("/register/waiting").shows("name=\"resend\""))
    let fourth = browser.post("/register/waiting", ["resend": "1"])
    #expect(fourth.status == 429)
    #expect(Int(fourth.headers[.retryAfter] ?? "").map { (1...3601).contains($0) } == true)
    #expect(try instance.mails(to: "ben@example.test").count == 4)
    instance.clock.advance(seconds: 3601)
    #expect(browser.post("/register/waiting", ["resend": "1"]).status == 303)
  }

  @Test("One address registers five times an hour; another one isn't held up")
  func registering() throws {
    let instance = try TestInstance(limits: true)
    for number in 1...5 {
      let answer = Self.register(instance.browser(), "a\(number)@example.test", "b@example.test")
      #expect(answer.status == 303)
    }
    #expect(Self.register(instance.browser(), "a6@example.test", "b@example.test").status == 429)
    let elsewhere = instance.browser()
    elsewhere.peer = "203.0.113.9"
    #expect(Self.register(elsewhere, "a7@example.test", "b@example.test").status == 303)
  }

  @Test("Opening a link consumes nothing, completing uses it up")
  func oneUse() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = Self.register(ann)
    let link = try instance.link(to: "ann@example.test")
    for _ in 1...3 { #expect(instance.browser().get(link).status == 200) }
    #expect(try instance.database.read { try $0.count("SELECT count(*) FROM users") } == 0)
    let token = try #require(instance.browser().get(link).value(of: "token"))
    #expect(try Self.complete(ann, link, "Ann").status == 303)
    let other = instance.browser()
    #expect(other.get(link).status == 410)
    #expect(
      other.post(
        "/register/complete",
        ["token": token, "display_name": "Eve", "password": TestInstance.password]
      ).status == 410)
    #expect(try instance.database.read { try $0.count("SELECT count(*) FROM users") } == 1)
  }

  @Test("A link ends after 24 hours")
  func linkEnds() throws {
    let instance = try TestInstance()
    _ = Self.register(instance.browser())
    let link = try instance.link(to: "ann@example.test")
    instance.clock.advance(seconds: 24 * 3600 - 1)
    #expect(instance.browser().get(link).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(instance.browser().get(link).status == 410)
  }

  @Test("A confirmed partner corrects the other's address: the old link dies, the new one works")
  func correcting() throws {
    let instance = try TestInstance()
    let (ann, ben) = (instance.browser(), instance.browser())
    _ = Self.register(ann, "ann@example.test", "bem@example.test")
    try Self.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    let page = ann.get("/register/waiting").text
    let row = page.components(separatedBy: "waiting-partner").last?.components(separatedBy: "</ul>")
    let ways = try #require(row?.first)
    #expect(ways.contains("Resend link") && ways.contains("Change address"))
    let wrong = ann.post("/register/waiting", ["partner_email": "ben@"])
    #expect(wrong.status == 422 && wrong.shows("value=\"ben@\""))
    let same = ann.post("/register/waiting", ["partner_email": "ann@example.test"])
    #expect(same.status == 422)
    #expect(ann.post("/register/waiting", ["partner_email": "ben@example.test"]).status == 303)
    #expect(ben.get(try instance.link(to: "bem@example.test")).status == 410)
    try Self.complete(ben, instance.link(to: "ben@example.test"), "Ben")
    #expect(try status(instance) == "active")
  }

  @Test("The browser that registered may not correct an address before its link was followed")
  func correctingTooEarly() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    _ = Self.register(browser)
    browser.get("/register/waiting")
    let answer = browser.post("/register/waiting", ["partner_email": "eve@example.test"])
    #expect(answer.location?.hasPrefix("/sign-in") == true || answer.status == 401)
    #expect(!answer.shows("problem."))
    #expect(try instance.mails(to: "eve@example.test").isEmpty)
  }

  @Test("After 7 days a pending couple is removed, and the confirmed partner is single")
  func purge() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = Self.register(ann)
    try Self.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    instance.clock.advance(seconds: 7 * 86_400 - 60)
    try instance.work()
    #expect(try status(instance) == "pending")
    instance.clock.advance(seconds: 3700)
    try instance.work()
    #expect(try status(instance) == nil)
    let left = try instance.database.read { reader in
      try ["couples", "couple_members", "registrations", "registration_sides"].map {
        try reader.count("SELECT count(*) FROM \(name: $0)")
      }
    }
    #expect(left == [0, 0, 0, 0])
    #expect(ann.get("/").shows("data-composer"))
    #expect(ann.get("/register/waiting").location == "/")
  }

  @Test("A weak password is refused with the name that was typed")
  func weakPassword() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = Self.register(ann)
    for password in ["short", "password1", "ann@example.test", String(repeating: "字", count: 342)] {
      let answer = try Self.complete(
        ann, instance.link(to: "ann@example.test"), "Ann", password: password)
      #expect(answer.status == 422, "\(password)")
      #expect(answer.shows("value=\"Ann\"") && !answer.shows("value=\"\(password)\" type"))
    }
    #expect(try status(instance) == nil)
  }
}

extension TestResponse {
  /// The waiting page without tokens and sending times.
  var withoutStates: String {
    withoutTokens.replacing(/data-state="[^"]*"/, with: "")
      .replacing(/name="csrf-token" content="[^"]*"/, with: "")
  }
}
