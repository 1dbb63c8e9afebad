import Foundation
import Testing

@testable import App

@Suite("Changing one's e-mail")
struct EmailSettingsTests {
  private static let new = "new@example.test"

  private func ask(
    _ browser: TestClient, _ email: String = Self.new, password: String = TestInstance.password
  ) -> TestResponse {
    browser.post("/settings/email", ["email": email, "current_password": password])
  }

  /// Opens a link and presses the button.
  private func press(_ browser: TestClient, _ link: String) -> TestResponse {
    browser.post("/settings/email/confirm", ["token": browser.get(link).value(of: "token") ?? ""])
  }

  @Test("Where a second factor is on, a new address takes a code")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(instance)
    #expect(sam.get("/settings/email").shows("name=\"code\""))
    let without = ask(sam)
    #expect(without.status == 422 && without.shows("value=\"\(Self.new)\""))
    func attempt(_ code: String) -> TestResponse {
      sam.post(
        "/settings/email",
        ["email": Self.new, "current_password": TestInstance.password, "code": code])
    }
    #expect(attempt(app.wrong).status == 422)
    #expect(try instance.mails(to: Self.new).isEmpty)
    #expect(attempt(app.next()).location == "/settings/email")
    #expect(try instance.mails(to: Self.new).count == 1)
  }

  @Test("The address changes only after the button behind the link; the old address gets a mail")
  func wholeWay() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(ask(sam, "NEW@example.test").location == "/settings/email")
    #expect(sam.get("/settings/email").shows("new@example.test"))
    let link = try instance.link(to: Self.new)
    // A mail scanner, which has no cookies, opens it twice.
    for _ in 1...2 {
      let shown = instance.browser().get(link)
      #expect(shown.status == 200 && !shown.shows("new@") && shown.shows("n…@example.test"))
    }
    #expect(instance.browser().signIn(Self.new, TestInstance.password).status == 422)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 303)
    #expect(try instance.mails(to: "sam@example.test").isEmpty)

    #expect(press(sam, link).location == "/settings/email")
    #expect(instance.browser().signIn(Self.new, TestInstance.password).status == 303)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 422)
    let changeMails = try instance.mails(to: "sam@example.test")
    #expect(changeMails.map(\.subject) == ["Your PairSpot email was changed"])
    #expect(changeMails.first?.visibleText.contains("n…@example.test") == true)
    #expect(try instance.mails(to: Self.new).count == 1)
    #expect(sam.get(link).status == 410)
    #expect(sam.get("/settings").shows(Self.new))
  }

  @Test("The link works in another browser too, once")
  func elsewhere() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = ask(try instance.signedIn("sam"))
    let link = try instance.link(to: Self.new)
    let (phone, late) = (instance.browser(), instance.browser())
    let token = try #require(late.get(link).value(of: "token"))
    #expect(press(phone, link).location == "/sign-in")
    #expect(late.post("/settings/email/confirm", ["token": token]).status == 410)
    #expect(try instance.mails(to: "sam@example.test").count == 1)
  }

  @Test("A link ends after 24 hours")
  func ends() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = ask(sam)
    let link = try instance.link(to: Self.new)
    let token = try #require(sam.get(link).value(of: "token"))
    instance.clock.advance(seconds: 24 * 3600 - 1)
    #expect(sam.get(link).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(sam.get(link).status == 410)
    #expect(sam.post("/settings/email/confirm", ["token": token]).status == 410)
    try instance.work()
    instance.clock.advance(seconds: 7 * 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM email_changes") == 0)
  }

  @Test("A newer wish ends the link of the one before")
  func newer() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = ask(sam)
    let first = try instance.link(to: Self.new)
    _ = ask(sam, "newer@example.test")
    #expect(sam.get(first).status == 410)
    #expect(press(sam, try instance.link(to: "newer@example.test")).status == 303)
  }

  @Test("Nothing reveals that an address has an account; its owner is mailed about the attempt")
  func taken() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.alone("eve")
    let (sam, eve) = (try instance.signedIn("sam"), try instance.signedIn("eve"))
    func shown(_ email: String) -> [String] {
      let answer = ask(sam, email)
      let page = sam.get("/settings/email")
      return ["\(answer.status) \(answer.location ?? "")", page.withoutStates]
        .map { $0.replacing(email, with: "X") }
    }
    #expect(shown("free@example.test") == shown("eve@example.test"))
    let mails = try instance.mails(to: "eve@example.test")
    #expect(mails.map(\.subject) == ["Someone tried to use your email on PairSpot"])
    #expect(mails.first?.text.contains("/settings/email/confirm") == false)
    #expect(eve.get("/settings").shows("eve@example.test"))
    #expect(instance.browser().signIn("eve@example.test", TestInstance.password).status == 303)
  }

  @Test("An address that another account has got in between is not taken from it")
  func race() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = ask(sam, "eve@example.test")
    let link = try instance.link(to: "eve@example.test")
    try instance.alone("eve")
    #expect(press(sam, link).status == 410)
    #expect(sam.get("/settings").shows("sam@example.test"))
    #expect(instance.browser().signIn("eve@example.test", TestInstance.password).status == 303)
  }

  @Test(
    "A wrong address or password is 422; the address typed stays, no mail goes out",
    arguments: [
      ("", TestInstance.password), ("nobody", TestInstance.password),
      (Self.new, "not the password"),
      (Self.new, ""), ("SAM@example.test", TestInstance.password), ("", ""),
    ])
  func wrong(email: String, password: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let answer = ask(try instance.signedIn("sam"), email, password: password)
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(answer.shows("value=\"\(email)\""))
    #expect(!answer.shows("value=\"\(TestInstance.password)\""))
    #expect(try instance.allMailsAfterWork().isEmpty)
    #expect(try instance.count("SELECT count(*) FROM email_changes") == 0)
  }

  @Test("A person may wish five times an hour")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for number in 1...5 { #expect(ask(sam, "n\(number)@example.test").status == 303) }
    #expect(ask(sam, "n6@example.test").status == 429)
    #expect(try instance.mails(to: "n6@example.test").isEmpty)
    instance.clock.advance(seconds: 3601)
    #expect(ask(sam, "n6@example.test").status == 303)
  }

  @Test("A fourth mail to one address within the hour is simply not sent")
  func flood() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for _ in 1...4 { #expect(ask(sam).status == 303) }
    #expect(try instance.mails(to: Self.new).count == 3)
  }

  @Test("A link for a new password that went to the old address opens nothing after the change")
  func oldReset() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    instance.browser().post("/reset", ["email": "sam@example.test"])
    let reset = try instance.link(to: "sam@example.test")
    _ = ask(sam)
    #expect(press(sam, try instance.link(to: Self.new)).status == 303)
    #expect(sam.get(reset).status == 410)
  }

  @Test(
    "A token that was made up opens nothing",
    arguments: ["", "x", String(repeating: "A", count: 43), "' OR 1=1 --"])
  func madeUp(token: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = ask(sam)
    #expect(sam.get("/settings/email/confirm?token=\(TestClient.encoded(token))").status == 410)
    #expect(sam.post("/settings/email/confirm", ["token": token]).status == 410)
  }

  @Test(
    "Neither the new address nor its link is in the database in plain text",
    .onSQLite("it reads the file"))
  func sealed() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = ask(try instance.signedIn("sam"), "secret-new@example.test")
    let link = try instance.link(to: "secret-new@example.test")
    let token = try #require(link.split(separator: "=").last.map(String.init))
    try instance.database.checkpoint()
    let path = instance.instance.configuration.databasePath
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      #expect(bytes.range(of: Data("secret-new".utf8)) == nil)
      #expect(bytes.range(of: Data(token.utf8)) == nil)
    }
  }

  @Test("A wish goes out with the person's export, and goes with the person")
  func participant() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    _ = ask(try instance.signedIn("sam"))
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(sam.id, from: reader) }
    }
    let change = try #require(files.first { $0.name == "email-change.json" })
    #expect(String(decoding: change.json, as: UTF8.self).contains(Self.new))
    try instance.purge(sam.id)
    #expect(try instance.count("SELECT count(*) FROM email_changes") == 0)
  }
}

extension TestInstance {
  fileprivate func allMailsAfterWork() throws -> [SentMail] {
    try work()
    return try allMails()
  }
}
