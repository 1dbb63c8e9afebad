import Basics
import Secrets
import Testing
import Web

@testable import Accounts
@testable import App

@Suite("Guests")
struct GuestTests {
  private func code(shownTo guest: Browser) throws -> String { try guest.recoveryCode() }

  // MARK: Codes

  @Test(
    "A code is read as people type it",
    arguments: [
      "ABCDEFGHJKLMNPQR", "abcd-efgh-jklm-npqr", " ABCD EFGH JKLM NPQR ", "ＡＢＣＤ-efgh-jklm-npqr",
    ])
  func typed(text: String) {
    #expect(GuestCode(text)?.text == "ABCD-EFGH-JKLM-NPQR")
  }

  @Test(
    "What is no code is none",
    arguments: ["", "ABCD", "ABCD-EFGH-JKLM-NPQ1", "ABCD-EFGH-JKLM-NPQI", "ABCDEFGHJKLMNPQRS"])
  func noCode(text: String) {
    #expect(GuestCode(text) == nil)
  }

  @Test("A guest's code is shown once, and a new one ends the old one")
  func shownOnce() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let first = try code(shownTo: guest)
    #expect(!guest.get("/settings/recovery-code").text.contains(first))
    #expect(guest.post("/settings/recovery-code", ["recovery_code": first]).status == 303)
    let second = try code(shownTo: guest)
    let other = house.browser()
    #expect(other.post("/recover", ["recovery_code": first]).status == 422)
    #expect(other.post("/recover", ["recovery_code": second.lowercased()]).status == 303)
    #expect(other.get("/").status == 200)
  }

  @Test("A new code takes the old one, or that the guest says it is lost")
  func renewing() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let first = try code(shownTo: guest)
    for wrong in ["", "ABCD-EFGH-JKLM-NPQR"] {
      let answer = guest.post("/settings/recovery-code", ["recovery_code": wrong])
      #expect(answer.status == 422 && answer.shows("href=\"#recovery_code\""))
    }
    #expect(house.browser().post("/recover", ["recovery_code": first]).status == 303)
    #expect(guest.post("/settings/recovery-code", ["lost": "1"]).status == 303)
    #expect(house.browser().post("/recover", ["recovery_code": first]).status == 422)
    let second = try code(shownTo: guest)
    #expect(house.browser().post("/recover", ["recovery_code": second]).status == 303)
  }

  @Test("A code is stored as a slow hash with a salt, and found by its first letters")
  func stored() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let code = try #require(GuestCode(try self.code(shownTo: guest)))
    let stored = try house.database.read { reader in
      try reader.rows("SELECT selector, code_hash FROM guest_recovery_codes") {
        (selector: $0.bytes(0), hash: $0.text(1))
      }
    }
    #expect(stored.count == 1 && stored[0].hash.contains("$2b$"))
    #expect(stored[0].selector.count == 16)
    #expect(!stored[0].hash.contains(code.letters))
    let guests = house.house.features.accounts.services.guests
    // Another code that begins alike is found beside it, and is not taken for it.
    let other = try #require(GuestCode(code.letters.prefix(4) + "ABCDEFGHJKLM"))
    #expect(try guests.find(code) != nil)
    #expect(try guests.find(other) == nil)
  }

  @Test("A code of before still works, and has a slow hash afterwards")
  func rehashed() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let code = try self.code(shownTo: guest)
    let letters = try #require(GuestCode(code)).letters
    try house.database.write { writer in
      try writer.execute(
        "INSERT INTO guest_codes SELECT user_id, ?, made_at FROM guest_recovery_codes",
        Digests.sha256(Array("guest \(letters)".utf8)))
      try writer.execute("DELETE FROM guest_recovery_codes")
    }
    for _ in 1...2 {
      #expect(house.browser().post("/recover", ["recovery_code": code]).status == 303)
      #expect(try house.count("SELECT count(*) FROM guest_codes") == 0)
      #expect(try house.count("SELECT count(*) FROM guest_recovery_codes") == 1)
    }
  }

  @Test("Guessing codes is stopped after ten in a minute")
  func guessing() throws {
    let house = try TestHouse(limits: true)
    let stranger = house.browser()
    let wrong = "ABCD-EFGH-JKLM-NPQR"
    for _ in 1...10 {
      #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 422)
    }
    #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 429)
    house.clock.advance(seconds: 61)
    #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 422)
  }

  @Test("Six guests an hour from one address are one too many")
  func limit() throws {
    let house = try TestHouse(limits: true)
    for number in 1...5 { _ = try house.guest("Guest \(number)") }
    #expect(throws: Problem.self) { _ = try house.guest("One too many") }
  }

  @Test("A guest's session lasts a year from the last visit")
  func aYear() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    house.clock.advance(seconds: 364 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 200)
    house.clock.advance(seconds: 364 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 200)
    house.clock.advance(seconds: 366 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 303)
  }

  @Test("Pages of members send a guest to become one; a member has no recovery code")
  func doors() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    #expect(guest.post("/posts", ["content": "x"]).location?.hasPrefix("/become-a-member") == true)
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    #expect(sam.get("/settings/recovery-code").status == 404)
    #expect(sam.get("/become-a-member").location == "/")
    #expect(house.browser().get("/become-a-member").location?.hasPrefix("/sign-in") == true)
  }

  // MARK: Becoming a member

  @Test("A visitor goes on without an account to a part that is open to guests")
  func goingOn() throws {
    let house = try TestHouse()
    let visitor = house.browser()
    let way = try #require(visitor.get("/groups").location)
    #expect(way == "/sign-in?next=/groups&guest=1")
    let page = visitor.get(way)
    #expect(page.shows("action=\"/sign-in/guest\"") && page.shows("href=\"/join\""))
    #expect(page.shows("href=\"/recover\""))
    let wrong = visitor.post("/sign-in", ["email": "x", "next": "/groups", "guest": "1"])
    #expect(wrong.status == 422 && wrong.shows("action=\"/sign-in/guest\""))
    #expect(visitor.post("/sign-in/guest", ["next": "/groups"]).location == "/groups")
    #expect(visitor.get("/groups").status == 200)
    #expect(try house.count("SELECT count(*) FROM users WHERE role = 1") == 1)
    #expect(!house.browser().get("/sign-in?next=/pair").shows("action=\"/sign-in/guest\""))
  }

  @Test("Going on without an account makes five guests an hour for one address")
  func goingOnOften() throws {
    let house = try TestHouse(limits: true)
    let answers = (1...6).map { _ in
      let visitor = house.browser()
      _ = visitor.get("/sign-in?next=/groups&guest=1")
      return visitor.post("/sign-in/guest", ["next": "/groups"]).status
    }
    #expect(answers == [303, 303, 303, 303, 303, 429])
  }

  @Test("A guest corrects their name in the settings, and without a contact on the check-in page")
  func correctingName() throws {
    let house = try TestHouse()
    let guest = house.browser()
    #expect(guest.begin("Fay", contact: "kai@example.test").status == 303)
    #expect(guest.get("/settings").shows("href=\"/settings/profile\""))
    let page = guest.get("/settings/profile")
    #expect(page.status == 200 && !page.shows("name=\"avatar\""))
    #expect(guest.post("/settings/profile", ["display_name": "Fay 3"]).status == 303)
    #expect(try house.count("SELECT count(*) FROM users WHERE display_name = 'Fay 3'") == 1)
    try house.database.write { try $0.execute("DELETE FROM contact_mails") }
    try house.database.write { try $0.execute("DELETE FROM emergency_contacts") }
    let saved = guest.post("/checkin", ["display_name": "Fay 4", "contact_email": ""])
    #expect(saved.status == 303)
    #expect(try house.count("SELECT count(*) FROM users WHERE display_name = 'Fay 4'") == 1)
  }

  @Test("A guest who becomes a member stays the same person, with new sessions")
  func becoming() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let elsewhere = house.browser()
    elsewhere.post("/recover", ["recovery_code": try code(shownTo: guest)])
    let id = try #require(try house.people(named: "Gia").first)
    #expect(
      guest.post(
        "/become-a-member", ["email": "gia@example.test", "password": TestHouse.password]
      ).location == "/register/waiting")
    #expect(guest.get("/register/waiting").shows("gia@example.test"))
    let link = try house.link(to: "gia@example.test")
    let token = try #require(guest.get(link).value(of: "token"))
    #expect(guest.post("/verify", ["token": token]).location == "/")
    #expect(try house.people(named: "Gia") == [id])
    #expect(guest.get("/").shows("data-composer"))
    // The other device signs in anew.
    #expect(elsewhere.get("/become-a-member").location?.hasPrefix("/sign-in") == true)
    #expect(try house.signedIn("gia").get("/").status == 200)
    #expect(try house.count("SELECT count(*) FROM guest_recovery_codes") == 0)
  }

  @Test("Opened on another device, the guest becomes a member with the password chosen before")
  func becomingElsewhere() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let id = try #require(try house.people(named: "Gia").first)
    guest.post("/become-a-member", ["email": "gia@example.test", "password": TestHouse.password])
    let other = house.browser()
    let token = try #require(other.get(try house.link(to: "gia@example.test")).value(of: "token"))
    #expect(
      other.post("/verify", ["token": token]).location?.hasPrefix("/register/complete") == true)
    #expect(
      other.post("/register/complete", ["token": token, "password": TestHouse.password]).status
        == 303)
    #expect(try house.people(named: "Gia") == [id])
    #expect(guest.get("/become-a-member").location?.hasPrefix("/sign-in") == true)
  }

  @Test("A guest who registers a couple corrects no address before their own link was followed")
  func correctingAsGuest() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    _ = RegisterCoupleTests.register(guest)
    let answer = guest.post("/register/waiting", ["partner_email": "eve@example.test"])
    #expect(answer.location?.hasPrefix("/sign-in") == true)
    #expect(try house.mails(to: "eve@example.test").isEmpty)
  }

  @Test("An address that has an account gets a mail, and the page says the same")
  func knownAddress() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = try house.guest("Gia")
    let answer = guest.post(
      "/become-a-member", ["email": "sam@example.test", "password": TestHouse.password])
    #expect(answer.location == "/register/waiting")
    #expect(try house.mails(to: "sam@example.test").count == 1)
    #expect(try house.mails(to: "sam@example.test").first?.link == "/sign-in")
  }

  @Test("Wrong input comes back with what was typed but the password")
  func wrongInput() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let answer = guest.post("/become-a-member", ["email": "gia@", "password": "short"])
    #expect(answer.status == 422 && answer.shows("value=\"gia@\"") && !answer.shows("short\""))
  }

  // MARK: Languages

  @Test(
    "Every page of guests speaks the reader's language, with no name of a text left in it",
    arguments: Language.allCases)
  func languages(language: Language) throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = try house.guest("Gia")
    let visitor = house.browser()
    for browser in [guest, visitor] { browser.post("/language", ["language": language.rawValue]) }
    let text = { house.house.site.catalogues.text($0, in: language) }
    var pages = [
      ("recovery_code.title", guest.get("/settings/recovery-code")),
      ("recovery_code.renew", guest.get("/settings/recovery-code")),
      ("recover.title", visitor.get("/recover")),
      ("error.recovery_code", visitor.post("/recover", ["recovery_code": "ABCD"])),
      ("become_member.title", guest.get("/become-a-member")),
      ("error.email_empty", guest.post("/become-a-member", ["email": ""])),
      ("forget_me.everywhere_text", guest.get("/settings/delete")),
      ("error.recovery_code_other", guest.post("/settings/delete", ["recovery_code": "ABCD"])),
      ("settings.title", guest.get("/settings")),
    ]
    guest.signIn("sam@example.test", TestHouse.password)
    guest.post("/language", ["language": language.rawValue])
    pages.append(("merge.title", guest.get("/merge")))
    let keys = house.house.site.catalogues.keys
    for (title, page) in pages {
      #expect(page.shows(text(title)), "\(title)")
      #expect(page.shows("<html lang=\"\(language.rawValue)\""), "\(title)")
      #expect(keys.allSatisfy { !page.shows(">\($0)<") }, "\(title)")
    }
  }

  // MARK: Merging

  @Test("Signing in as a guest asks once whether to take along, and then the guest is gone")
  func merging() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = try house.guest("Gia")
    let other = house.browser()
    other.post("/recover", ["recovery_code": try code(shownTo: guest)])
    #expect(
      guest.signIn("sam@example.test", TestHouse.password).location?.hasPrefix("/merge") == true)
    #expect(guest.get("/merge").shows("Gia"))
    #expect(guest.post("/merge", ["take": "1", "next": "/"]).location == "/")
    #expect(other.get("/settings/recovery-code").location?.hasPrefix("/sign-in") == true)
    #expect(guest.get("/merge").location == "/")
    #expect(try house.count("SELECT count(*) FROM guest_recovery_codes") == 0)
  }

  @Test("Left behind, a guest is still opened by the code")
  func leaving() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = try house.guest("Gia")
    let code = try code(shownTo: guest)
    let old = guest.copy()
    guest.signIn("sam@example.test", TestHouse.password)
    #expect(old.get("/settings").status == 200)
    #expect(guest.post("/merge", ["take": "0", "next": "/about"]).location == "/about")
    #expect(old.get("/settings").status == 303)
    #expect(guest.post("/merge", ["take": "1"]).location == "/")
    #expect(house.browser().post("/recover", ["recovery_code": code]).status == 303)
  }

  @Test("The offer is for the one who signed in, on this browser, for half an hour")
  func offer() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = try house.guest("Gia")
    // Long enough ago that a visit would move the session's end on.
    house.clock.advance(seconds: 7200)
    let old = guest.copy()
    guest.signIn("sam@example.test", TestHouse.password)
    #expect(try house.signedIn("sam").get("/merge").location == "/")
    #expect(old.get("/settings").status == 200)
    house.clock.advance(seconds: 31 * 60)
    #expect(guest.get("/merge").location == "/")
    #expect(old.get("/settings").status == 303)
    guest.post("/merge", ["take": "1"])
    #expect(try house.people(named: "Gia").count == 1)
  }
}

extension Browser {
  /// The code that a guest is shown, once.
  func recoveryCode() throws -> String {
    let page = self.get("/settings/recovery-code").text
    let found = try #require(page.firstMatch(of: /<b>([A-Z]{4}(-[A-Z]{4}){3})<\/b>/))
    return String(found.output.1)
  }
}

extension TestHouse {
  /// A browser in which a new guest is signed in.
  func guest(_ name: String) throws -> Browser {
    let guests = house.features.accounts.guests
    let door = Route(.post, "/guest", .anyone, options: .withoutCSRF) { request, context in
      _ = try guests.begin(name: name, request, context)
      return .seeOther("/")
    }
    let first = Browser(
      try Application(
        site: house.site, routes: [door], log: RequestLog(descriptor: -1, keys: house.keys)))
    let answer = first.plainPost("/guest", [])
    guard answer.status == 303 else { throw Problem.tooMany(retryAfter: 1) }
    let browser = browser()
    browser.take(cookiesOf: first)
    return browser
  }

  /// The living people of a name.
  func people(named name: String) throws -> [ID<Person>] {
    try database.read {
      try $0.rows("SELECT id FROM users WHERE display_name = ? AND deleted_at IS NULL", name) {
        try $0.id(0)
      }
    }
  }
}
