import Basics
import Foundation
import Testing

@testable import App

@Suite("Bringing back an address that somebody else changed")
struct EmailUndoTests {
  private static let (old, new) = ("sam@example.test", "thief@example.test")

  /// Somebody who knows the password changes Sam's address; answers their browser and the link in
  /// the mail to the old one.
  private func stolen(_ house: TestHouse) throws -> (thief: Browser, link: String) {
    try house.alone("sam")
    let thief = try house.signedIn("sam")
    thief.post(
      "/settings/email", ["email": Self.new, "current_password": TestHouse.password])
    let link = try house.link(to: Self.new)
    let token = try #require(thief.get(link).value(of: "token"))
    #expect(thief.post("/settings/email/confirm", ["token": token]).status == 303)
    return (thief, try house.link(to: Self.old))
  }

  private func press(
    _ browser: Browser, _ link: String, password: String = TestHouse.password
  ) -> Answer {
    browser.post(
      "/settings/email/undo",
      ["token": browser.get(link).value(of: "token") ?? "", "current_password": password])
  }

  @Test("Who reads the old mailbox gets nothing without the password of then")
  func mailboxAlone() throws {
    let house = try TestHouse(limits: true)
    let (owner, link) = try stolen(house)
    let reader = house.browser()
    for wrong in ["", "not the password"] {
      let answer = press(reader, link, password: wrong)
      #expect(answer.status == 422 && answer.location == nil)
      #expect(answer.shows("href=\"#current_password\""))
    }
    // A password that was set since is not that of then.
    owner.post(
      "/settings/password",
      ["current_password": TestHouse.password, "password": "a lamp in the attic"])
    #expect(press(reader, link, password: "a lamp in the attic").status == 422)
    #expect(owner.get("/settings").shows(Self.new))
    let statuses = (1...12).map { _ in press(reader, link, password: "guess").status }
    #expect(statuses.last == 429)
    #expect(house.browser().signIn(Self.new, "a lamp in the attic").status == 303)
  }

  @Test("The link to an account that had no password opens nothing")
  func withoutPassword() throws {
    let house = try TestHouse()
    let (_, link) = try stolen(house)
    try house.database.write { try $0.execute("UPDATE email_undos SET password_hash = NULL") }
    #expect(press(house.browser(), link).status == 422)
  }

  /// Sets the new password that an answer leads to.
  private func choose(_ browser: Browser, _ answer: Answer) throws -> Answer {
    let form = browser.get(try #require(answer.location))
    let token = try #require(form.value(of: "token"))
    return browser.post("/reset/confirm", ["token": token, "password": "another sentence"])
  }

  @Test("The owner has the address and a new password, the thief is out and has neither")
  func wholeWay() throws {
    let house = try TestHouse()
    let (thief, link) = try stolen(house)
    let sam = house.browser()
    // A scanner of mail opens it first.
    for _ in 1...2 { #expect(house.browser().get(link).shows("s…@example.test")) }
    #expect(thief.get("/settings").shows(Self.new))
    let undone = press(sam, link)
    #expect(undone.location?.hasPrefix("/reset/confirm?token=") == true)
    #expect(thief.get("/settings").status == 303)
    for address in [Self.old, Self.new] {
      #expect(house.browser().signIn(address, TestHouse.password).status == 422)
    }
    #expect(try choose(sam, undone).location == "/sign-in")
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
    #expect(house.browser().signIn(Self.new, "another sentence").status == 422)
    let told = try house.mails(to: Self.new).first { $0.subject.contains("was undone") }
    #expect(
      told?.visibleText.contains("s…@example.test") == true
        && told?.text.contains("token=") == false)
    for browser in [house.browser(), sam] { #expect(press(browser, link).status == 410) }
  }

  @Test("Who closes the page before choosing a password gets another link by mail")
  func closed() throws {
    let house = try TestHouse()
    let (_, link) = try stolen(house)
    _ = press(house.browser(), link)
    house.clock.advance(seconds: 3600)
    let sam = house.browser()
    sam.post("/reset", ["email": Self.old])
    let token = try #require(sam.get(try house.link(to: Self.old)).value(of: "token"))
    sam.post("/reset/confirm", ["token": token, "password": "another sentence"])
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
  }

  @Test("What the thief changed besides, or deleted, is no obstacle")
  func further() throws {
    let house = try TestHouse()
    let (thief, link) = try stolen(house)
    house.clock.advance(seconds: 60)
    thief.post(
      "/settings/password",
      ["current_password": TestHouse.password, "password": "what the thief likes"])
    thief.post(
      "/settings/email", ["email": "far@example.test", "current_password": "what the thief likes"])
    let further = try house.link(to: "far@example.test")
    let token = try #require(thief.get(further).value(of: "token"))
    thief.post("/settings/email/confirm", ["token": token])
    let thiefsWayBack = try house.link(to: Self.new)
    thief.leave("what the thief likes")
    let sam = house.browser()
    let undone = press(sam, link)
    #expect(press(thief, thiefsWayBack).status == 410)
    _ = try choose(sam, undone)
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
    #expect(thief.comeBack("far@example.test", "what the thief likes").status == 422)
    #expect(try house.count("SELECT count(*) FROM deletions") == 0)
  }

  @Test("The link ends after 7 days, and brings nobody an address that is somebody else's by now")
  func ends() throws {
    let house = try TestHouse()
    let (_, link) = try stolen(house)
    let early = house.browser()
    let token = try #require(early.get(link).value(of: "token"))
    try house.alone("sam")
    let fields: KeyValuePairs = ["token": token, "current_password": TestHouse.password]
    #expect(early.post("/settings/email/undo", fields).status == 410)
    try house.database.write {
      try $0.execute("DELETE FROM sessions")
      try $0.execute(
        "UPDATE users SET deleted_at = 1 WHERE email_hash = ?", house.keysHash(Self.old))
    }
    house.clock.advance(seconds: 7 * 86_400 - 1)
    #expect(early.get(link).status == 200)
    house.clock.advance(seconds: 1)
    #expect(early.get(link).status == 410)
    #expect(early.post("/settings/email/undo", fields).status == 410)
    house.clock.advance(seconds: 7 * 3600)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM email_undos") == 0)
  }

  @Test("The earlier address is sealed, the link hashed, and both go with the person")
  func stored() throws {
    let house = try TestHouse()
    let (thief, link) = try stolen(house)
    let token = try #require(link.split(separator: "=").last)
    try house.database.checkpoint()
    let bytes = try Data(contentsOf: URL(filePath: house.house.configuration.databasePath))
    for secret in [Self.old, String(token)] {
      #expect(bytes.range(of: Data(secret.utf8)) == nil)
    }
    thief.leave()
    house.clock.advance(seconds: .days(31))
    try house.work()
    #expect(try house.count("SELECT count(*) FROM users") == 0)
    #expect(try house.count("SELECT count(*) FROM email_undos") == 0)
  }

  @Test("New keys open it too")
  func rotated() throws {
    let house = try TestHouse()
    let (_, link) = try stolen(house)
    _ = try KeyRotation(house.house).run()
    let browser = Browser(try house.reopened().application)
    #expect(press(browser, link).status == 303)
  }
}

extension TestHouse {
  fileprivate func keysHash(_ address: String) -> [UInt8] { house.keys.lookupHash(address) }
}
