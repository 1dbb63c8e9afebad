import Core
import Foundation
import Testing

@testable import App

@Suite("Restoring an address after a change by an attacker")
struct EmailUndoTests {
  private static let (old, new) = ("sam@example.test", "thief@example.test")

  /// An attacker with the password changes Sam's address; returns the attacker's browser and the
  /// link in the mail to the old address.
  private func stolen(_ instance: TestInstance) throws -> (thief: TestClient, link: String) {
    try instance.alone("sam")
    let thief = try instance.signedIn("sam")
    thief.post(
      "/settings/email", ["email": Self.new, "current_password": TestInstance.password])
    let link = try instance.link(to: Self.new)
    let token = try #require(thief.get(link).value(of: "token"))
    #expect(thief.post("/settings/email/confirm", ["token": token]).status == 303)
    return (thief, try instance.link(to: Self.old))
  }

  private func press(
    _ browser: TestClient, _ link: String, password: String = TestInstance.password
  ) -> TestResponse {
    browser.post(
      "/settings/email/undo",
      ["token": browser.get(link).value(of: "token") ?? "", "current_password": password])
  }

  @Test("A reader of the old mailbox gets nothing without the old password")
  func mailboxAlone() throws {
    let instance = try TestInstance(limits: true)
    let (owner, link) = try stolen(instance)
    let reader = instance.browser()
    for wrong in ["", "not the password"] {
      let answer = press(reader, link, password: wrong)
      #expect(answer.status == 422 && answer.location == nil)
      #expect(answer.shows("href=\"#current_password\""))
    }
    // A password set since then is not accepted.
    owner.post(
      "/settings/password",
      ["current_password": TestInstance.password, "password": "a lamp in the attic"])
    #expect(press(reader, link, password: "a lamp in the attic").status == 422)
    #expect(owner.get("/settings").shows(Self.new))
    let statuses = (1...12).map { _ in press(reader, link, password: "guess").status }
    #expect(statuses.last == 429)
    #expect(instance.browser().signIn(Self.new, "a lamp in the attic").status == 303)
  }

  @Test("The link to an account that had no password opens nothing")
  func withoutPassword() throws {
    let instance = try TestInstance()
    let (_, link) = try stolen(instance)
    try instance.database.write { try $0.execute("UPDATE email_undos SET password_hash = NULL") }
    #expect(press(instance.browser(), link).status == 422)
  }

  /// Sets a new password on the page that an answer redirects to.
  private func choose(_ browser: TestClient, _ answer: TestResponse) throws -> TestResponse {
    let form = browser.get(try #require(answer.location))
    let token = try #require(form.value(of: "token"))
    return browser.post("/reset/confirm", ["token": token, "password": "another sentence"])
  }

  @Test("The owner has the address and a new password, the thief is out and has neither")
  func wholeWay() throws {
    let instance = try TestInstance()
    let (thief, link) = try stolen(instance)
    let sam = instance.browser()
    // A mail scanner opens it first.
    for _ in 1...2 { #expect(instance.browser().get(link).shows("s…@example.test")) }
    #expect(thief.get("/settings").shows(Self.new))
    let undone = press(sam, link)
    #expect(undone.location?.hasPrefix("/reset/confirm?token=") == true)
    #expect(thief.get("/settings").status == 303)
    for address in [Self.old, Self.new] {
      #expect(instance.browser().signIn(address, TestInstance.password).status == 422)
    }
    #expect(try choose(sam, undone).location == "/sign-in")
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
    #expect(instance.browser().signIn(Self.new, "another sentence").status == 422)
    let changeMails = try instance.mails(to: Self.new).first {
      $0.subject.contains("was changed back")
    }
    #expect(
      changeMails?.visibleText.contains("s…@example.test") == true
        && changeMails?.text.contains("token=") == false)
    for browser in [instance.browser(), sam] { #expect(press(browser, link).status == 410) }
  }

  @Test("Closing the page before choosing a password sends another link by mail")
  func closed() throws {
    let instance = try TestInstance()
    let (_, link) = try stolen(instance)
    _ = press(instance.browser(), link)
    instance.clock.advance(seconds: 3600)
    let sam = instance.browser()
    sam.post("/reset", ["email": Self.old])
    let token = try #require(sam.get(try instance.link(to: Self.old)).value(of: "token"))
    sam.post("/reset/confirm", ["token": token, "password": "another sentence"])
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
  }

  @Test("Other changes and deletions by the attacker are no obstacle")
  func further() throws {
    let instance = try TestInstance()
    let (thief, link) = try stolen(instance)
    instance.clock.advance(seconds: 60)
    thief.post(
      "/settings/password",
      ["current_password": TestInstance.password, "password": "what the thief likes"])
    thief.post(
      "/settings/email", ["email": "far@example.test", "current_password": "what the thief likes"])
    let further = try instance.link(to: "far@example.test")
    let token = try #require(thief.get(further).value(of: "token"))
    thief.post("/settings/email/confirm", ["token": token])
    let thiefsWayBack = try instance.link(to: Self.new)
    thief.leave("what the thief likes")
    let sam = instance.browser()
    let undone = press(sam, link)
    #expect(press(thief, thiefsWayBack).status == 410)
    _ = try choose(sam, undone)
    #expect(sam.signIn(Self.old, "another sentence").location == "/")
    #expect(thief.comeBack("far@example.test", "what the thief likes").status == 422)
    #expect(try instance.count("SELECT count(*) FROM deletions") == 0)
  }

  @Test("The link expires after 7 days and never restores an address of another account")
  func ends() throws {
    let instance = try TestInstance()
    let (_, link) = try stolen(instance)
    let early = instance.browser()
    let token = try #require(early.get(link).value(of: "token"))
    try instance.alone("sam")
    let fields: KeyValuePairs = ["token": token, "current_password": TestInstance.password]
    #expect(early.post("/settings/email/undo", fields).status == 410)
    try instance.database.write {
      try $0.execute("DELETE FROM sessions")
      try $0.execute(
        "UPDATE users SET deleted_at = 1 WHERE email_hash = \(instance.keysHash(Self.old))")
    }
    instance.clock.advance(seconds: 7 * 86_400 - 1)
    #expect(early.get(link).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(early.get(link).status == 410)
    #expect(early.post("/settings/email/undo", fields).status == 410)
    instance.clock.advance(seconds: 7 * 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM email_undos") == 0)
  }

  @Test(
    "The earlier address is sealed, the link hashed, and both go with the person",
    .onSQLite("it reads the file"))
  func stored() throws {
    let instance = try TestInstance()
    let (thief, link) = try stolen(instance)
    let token = try #require(link.split(separator: "=").last)
    try instance.database.checkpoint()
    let bytes = try Data(contentsOf: URL(filePath: instance.instance.configuration.databasePath))
    for secret in [Self.old, String(token)] {
      #expect(bytes.range(of: Data(secret.utf8)) == nil)
    }
    thief.leave()
    instance.clock.advance(seconds: .days(31))
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM users") == 0)
    #expect(try instance.count("SELECT count(*) FROM email_undos") == 0)
  }

  @Test("New keys open it too")
  func rotated() throws {
    let instance = try TestInstance()
    let (_, link) = try stolen(instance)
    _ = try KeyRotation(instance.instance).run()
    let browser = TestClient(try instance.reopened().application)
    #expect(press(browser, link).status == 303)
  }
}

extension TestInstance {
  fileprivate func keysHash(_ address: String) -> [UInt8] { instance.keys.lookupHash(address) }
}
