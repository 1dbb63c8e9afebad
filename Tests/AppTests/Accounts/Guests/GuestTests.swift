import Core
import Secrets
import Testing
import Web

@testable import Accounts
@testable import App

@Suite("Guests")
struct GuestTests {
  private func code(shownTo guest: TestClient) throws -> String { try guest.recoveryCode() }

  // MARK: Codes

  @Test("A guest's code is shown once, and a new one ends the old one")
  func shownOnce() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let first = try code(shownTo: guest)
    #expect(!guest.get("/settings/recovery-code").text.contains(first))
    #expect(guest.post("/settings/recovery-code", ["recovery_code": first]).status == 303)
    let second = try code(shownTo: guest)
    let other = instance.browser()
    #expect(other.post("/recover", ["recovery_code": first]).status == 422)
    #expect(other.post("/recover", ["recovery_code": second.lowercased()]).status == 303)
    #expect(other.get("/").status == 200)
  }

  @Test("A new code takes the old one, or that the guest says it is lost")
  func renewing() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let first = try code(shownTo: guest)
    for wrong in ["", "ABCD-EFGH-JKLM-NPQR"] {
      let answer = guest.post("/settings/recovery-code", ["recovery_code": wrong])
      #expect(answer.status == 422 && answer.shows("href=\"#recovery_code\""))
    }
    #expect(instance.browser().post("/recover", ["recovery_code": first]).status == 303)
    #expect(guest.post("/settings/recovery-code", ["lost": "1"]).status == 303)
    #expect(instance.browser().post("/recover", ["recovery_code": first]).status == 422)
    let second = try code(shownTo: guest)
    #expect(instance.browser().post("/recover", ["recovery_code": second]).status == 303)
  }

  @Test("A code is stored as a slow salted hash, and found by its first characters")
  func stored() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let code = try #require(GuestCode(try self.code(shownTo: guest)))
    let stored = try instance.database.read { reader in
      try reader.rows("SELECT selector, code_hash FROM guest_recovery_codes") {
        (selector: try $0.next([UInt8].self), hash: try $0.next(String.self))
      }
    }
    #expect(stored.count == 1 && stored[0].hash.contains("$2b$"))
    #expect(stored[0].selector.count == 16)
    #expect(!stored[0].hash.contains(code.characters))
    let guests = instance.instance.features.accounts.services.guests
    // A second code with the same prefix must not be confused with the first.
    let other = try #require(GuestCode(code.characters.prefix(4) + "ABCDEFGHJKLM"))
    #expect(try guests.find(code) != nil)
    #expect(try guests.find(other) == nil)
  }

  @Test("A code of before still works, and has a slow hash afterwards")
  func rehashed() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let code = try self.code(shownTo: guest)
    let characters = try #require(GuestCode(code)).characters
    try instance.database.write { writer in
      try writer.execute(
        """
        INSERT INTO guest_codes
        SELECT user_id, \(Digests.sha256(Array("guest \(characters)".utf8))), made_at
        FROM guest_recovery_codes
        """)
      try writer.execute("DELETE FROM guest_recovery_codes")
    }
    for _ in 1...2 {
      #expect(instance.browser().post("/recover", ["recovery_code": code]).status == 303)
      #expect(try instance.count("SELECT count(*) FROM guest_codes") == 0)
      #expect(try instance.count("SELECT count(*) FROM guest_recovery_codes") == 1)
    }
  }

  @Test("Guessing codes is stopped after ten in a minute")
  func guessing() throws {
    let instance = try TestInstance(limits: true)
    let stranger = instance.browser()
    let wrong = "ABCD-EFGH-JKLM-NPQR"
    for _ in 1...10 {
      #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 422)
    }
    #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 429)
    instance.clock.advance(seconds: 61)
    #expect(stranger.post("/recover", ["recovery_code": wrong]).status == 422)
  }

  @Test("Six guests an hour from one address are one too many")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    for number in 1...5 { _ = try instance.guest("Guest \(number)") }
    #expect(throws: Problem.self) { _ = try instance.guest("One too many") }
  }

  @Test("A guest's session lasts a year from the last visit")
  func aYear() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    instance.clock.advance(seconds: 364 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 200)
    instance.clock.advance(seconds: 364 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 200)
    instance.clock.advance(seconds: 366 * 86_400)
    #expect(guest.get("/settings/recovery-code").status == 303)
  }

  @Test("Pages of members send a guest to become one; a member has no recovery code")
  func doors() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    #expect(guest.post("/posts", ["content": "x"]).location?.hasPrefix("/become-a-member") == true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/settings/recovery-code").status == 404)
    #expect(sam.get("/become-a-member").location == "/")
    #expect(instance.browser().get("/become-a-member").location?.hasPrefix("/sign-in") == true)
  }

  // MARK: Becoming a member

  @Test("A visitor continues without an account to a part that is open to guests")
  func goingOn() throws {
    let instance = try TestInstance()
    let visitor = instance.browser()
    let way = try #require(visitor.get("/groups").location)
    #expect(way == "/sign-in?next=/groups&guest=1")
    let page = visitor.get(way)
    #expect(page.shows("action=\"/sign-in/guest\"") && page.shows("href=\"/join\""))
    #expect(page.shows("href=\"/recover\""))
    let wrong = visitor.post("/sign-in", ["email": "x", "next": "/groups", "guest": "1"])
    #expect(wrong.status == 422 && wrong.shows("action=\"/sign-in/guest\""))
    #expect(visitor.post("/sign-in/guest", ["next": "/groups"]).location == "/groups")
    #expect(visitor.get("/groups").status == 200)
    #expect(try instance.count("SELECT count(*) FROM users WHERE role = 1") == 1)
    #expect(!instance.browser().get("/sign-in?next=/pair").shows("action=\"/sign-in/guest\""))
  }

  @Test("Continuing without an account makes five guests an hour for one address")
  func goingOnOften() throws {
    let instance = try TestInstance(limits: true)
    let answers = (1...6).map { _ in
      let visitor = instance.browser()
      _ = visitor.get("/sign-in?next=/groups&guest=1")
      return visitor.post("/sign-in/guest", ["next": "/groups"]).status
    }
    #expect(answers == [303, 303, 303, 303, 303, 429])
  }

  @Test("A guest corrects their name in the settings, and without a contact on the check-in page")
  func correctingName() throws {
    let instance = try TestInstance()
    let guest = instance.browser()
    #expect(guest.begin("Fay", contact: "kai@example.test").status == 303)
    #expect(guest.get("/settings").shows("href=\"/settings/profile\""))
    let page = guest.get("/settings/profile")
    #expect(page.status == 200 && !page.shows("name=\"avatar\""))
    #expect(guest.post("/settings/profile", ["display_name": "Fay 3"]).status == 303)
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Fay 3'") == 1)
    try instance.database.write { try $0.execute("DELETE FROM contact_mails") }
    try instance.database.write { try $0.execute("DELETE FROM emergency_contacts") }
    let saved = guest.post("/checkin", ["display_name": "Fay 4", "contact_email": ""])
    #expect(saved.status == 303)
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Fay 4'") == 1)
  }

  @Test("A guest who becomes a member stays the same user, with new sessions")
  func becoming() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let elsewhere = instance.browser()
    elsewhere.post("/recover", ["recovery_code": try code(shownTo: guest)])
    let id = try #require(try instance.people(named: "Gia").first)
    #expect(
      guest.post(
        "/become-a-member", ["email": "gia@example.test", "password": TestInstance.password]
      ).location == "/register/waiting")
    #expect(guest.get("/register/waiting").shows("gia@example.test"))
    let link = try instance.link(to: "gia@example.test")
    let token = try #require(guest.get(link).value(of: "token"))
    #expect(guest.post("/verify", ["token": token]).location == "/checkin")
    #expect(guest.get("/checkin").shows("You’re a member now"))
    #expect(try instance.people(named: "Gia") == [id])
    #expect(guest.get("/").shows("data-composer"))
    // The other device must sign in again.
    #expect(elsewhere.get("/become-a-member").location?.hasPrefix("/sign-in") == true)
    #expect(try instance.signedIn("gia").get("/").status == 200)
    #expect(try instance.count("SELECT count(*) FROM guest_recovery_codes") == 0)
  }

  @Test(
    "A guest who becomes a member returns to the page that they came from, on this site only",
    arguments: [
      ("/posts/x?before=1", "/posts/x?before=1"), ("//evil.test", "/checkin"),
      ("https://evil.test", "/checkin"), ("/\\evil.test", "/checkin"), ("", "/checkin"),
    ])
  func returning(next: String, landing: String) throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let fields: KeyValuePairs = [
      "email": "gia@example.test", "password": TestInstance.password, "next": next,
    ]
    #expect(guest.post("/become-a-member", fields).location == "/register/waiting")
    let link = try instance.link(to: "gia@example.test")
    let token = try #require(guest.get(link).value(of: "token"))
    #expect(guest.post("/verify", ["token": token]).location == landing)
  }

  @Test("The page to become a member keeps the page to return to, also for who signs in instead")
  func keepingNext() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let page = guest.get("/become-a-member?next=/posts/x")
    #expect(page.value(of: "next") == "/posts/x" && page.shows("href=\"/sign-in?next=/posts/x\""))
    let wrong = guest.post("/become-a-member", ["email": "gia@", "next": "/posts/x"])
    #expect(wrong.status == 422 && wrong.value(of: "next") == "/posts/x")
    #expect(guest.get("/become-a-member?next=//evil.test").value(of: "next") == nil)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/become-a-member?next=/posts/x").location == "/posts/x")
    #expect(sam.get("/become-a-member?next=//evil.test").location == "/")
  }

  @Test("Opened on another device, the guest becomes a member with the password chosen before")
  func becomingElsewhere() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let id = try #require(try instance.people(named: "Gia").first)
    guest.post(
      "/become-a-member", ["email": "gia@example.test", "password": TestInstance.password])
    let other = instance.browser()
    let token = try #require(
      other.get(try instance.link(to: "gia@example.test")).value(of: "token"))
    #expect(
      other.post("/verify", ["token": token]).location?.hasPrefix("/register/complete") == true)
    #expect(
      other.post("/register/complete", ["token": token, "password": TestInstance.password]).status
        == 303)
    #expect(try instance.people(named: "Gia") == [id])
    #expect(guest.get("/become-a-member").location?.hasPrefix("/sign-in") == true)
  }

  @Test("A guest who registers a couple corrects no address before their own link was followed")
  func correctingAsGuest() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    _ = RegisterCoupleTests.register(guest)
    let answer = guest.post("/register/waiting", ["partner_email": "eve@example.test"])
    #expect(answer.location?.hasPrefix("/sign-in") == true)
    #expect(try instance.mails(to: "eve@example.test").isEmpty)
  }

  @Test("An address that has an account gets a mail, and the page says the same")
  func knownAddress() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = try instance.guest("Gia")
    let answer = guest.post(
      "/become-a-member", ["email": "sam@example.test", "password": TestInstance.password])
    #expect(answer.location == "/register/waiting")
    #expect(try instance.mails(to: "sam@example.test").count == 1)
    #expect(try instance.mails(to: "sam@example.test").first?.link == "/sign-in")
  }

  @Test("Wrong input comes back with the typed values except the password")
  func wrongInput() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let answer = guest.post("/become-a-member", ["email": "gia@", "password": "short"])
    #expect(answer.status == 422 && answer.shows("value=\"gia@\"") && !answer.shows("short\""))
  }

  // MARK: Languages

  @Test(
    "Every page of guests speaks the reader's language, with no name of a text left in it",
    arguments: Language.allCases)
  func languages(language: Language) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = try instance.guest("Gia")
    let visitor = instance.browser()
    for browser in [guest, visitor] { browser.post("/language", ["language": language.rawValue]) }
    let text = { instance.instance.site.catalogues.text($0, in: language) }
    var pages = [
      ("recovery_code.title", guest.get("/settings/recovery-code")),
      ("recovery_code.renew", guest.get("/settings/recovery-code")),
      ("recover.title", visitor.get("/recover")),
      ("error.recovery_code", visitor.post("/recover", ["recovery_code": "ABCD"])),
      ("become_member.title", guest.get("/become-a-member")),
      ("error.email_empty", guest.post("/become-a-member", ["email": ""])),
      ("guest_deletion.everywhere_text", guest.get("/settings/delete")),
      ("error.recovery_code_other", guest.post("/settings/delete", ["recovery_code": "ABCD"])),
      ("settings.title", guest.get("/settings")),
    ]
    guest.signIn("sam@example.test", TestInstance.password)
    guest.post("/language", ["language": language.rawValue])
    pages.append(("merge.title", guest.get("/merge")))
    let keys = instance.instance.site.catalogues.keys
    for (title, page) in pages {
      #expect(page.shows(text(title)), "\(title)")
      #expect(page.shows("<html lang=\"\(language.rawValue)\""), "\(title)")
      #expect(keys.allSatisfy { !page.shows(">\($0)<") }, "\(title)")
    }
  }

  // MARK: Merging

  @Test("Signing in as a guest asks once whether to take along, and then the guest is gone")
  func merging() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = try instance.guest("Gia")
    let other = instance.browser()
    other.post("/recover", ["recovery_code": try code(shownTo: guest)])
    #expect(
      guest.signIn("sam@example.test", TestInstance.password).location?.hasPrefix("/merge") == true)
    #expect(guest.get("/merge").shows("Gia"))
    #expect(guest.post("/merge", ["take": "1", "next": "/"]).location == "/")
    #expect(other.get("/settings/recovery-code").location?.hasPrefix("/sign-in") == true)
    #expect(guest.get("/merge").location == "/")
    #expect(try instance.count("SELECT count(*) FROM guest_recovery_codes") == 0)
  }

  @Test("Left behind, a guest is still opened by the code")
  func accountDeletion() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = try instance.guest("Gia")
    let code = try code(shownTo: guest)
    let old = guest.copy()
    guest.signIn("sam@example.test", TestInstance.password)
    #expect(old.get("/settings").status == 200)
    #expect(guest.post("/merge", ["take": "0", "next": "/about"]).location == "/about")
    #expect(old.get("/settings").status == 303)
    #expect(guest.post("/merge", ["take": "1"]).location == "/")
    #expect(instance.browser().post("/recover", ["recovery_code": code]).status == 303)
  }

  @Test("The offer is for the user who signed in, in this browser, for half an hour")
  func offer() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = try instance.guest("Gia")
    // Long enough for a visit to extend the session.
    instance.clock.advance(seconds: 7200)
    let old = guest.copy()
    guest.signIn("sam@example.test", TestInstance.password)
    #expect(try instance.signedIn("sam").get("/merge").location == "/")
    #expect(old.get("/settings").status == 200)
    instance.clock.advance(seconds: 31 * 60)
    #expect(guest.get("/merge").location == "/")
    #expect(old.get("/settings").status == 303)
    guest.post("/merge", ["take": "1"])
    #expect(try instance.people(named: "Gia").count == 1)
  }
}
