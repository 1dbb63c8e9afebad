import Accounts
import Core
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Leaving, and coming back within 30 days")
struct AccountDeletionTests {
  /// All content of Ann and of the couple that others could find.
  private struct Fixture {
    let instance: TestInstance
    let couple: ID<Couple>
    let ann: TestClient
    let ben: TestClient
    let post: String
    let own: String
    let bens: String
    let pictures: [String]
    let avatars: [String]

    init() throws {
      instance = try TestInstance()
      couple = try #require(try instance.couple("The Two").first?.couple?.id)
      try instance.couple("Cy & Di", "cy", "di")
      ann = try instance.signedIn("ann")
      ben = try instance.signedIn("ben")
      post = try ann.writeWithPicture("Words of hers")
      own = try ann.writeWithPicture("Words for two", visibility: "couple")
      bens = try ben.write("Words of his")
      ben.post("\(post)/like")
      ann.post("\(bens)/like")
      let profile = "/couples/\(couple)"
      ann.upload(
        "\(profile)/edit",
        [("couple_name", "The Two"), ("anniversary", "2020-01-01"), ("bio", "Us")],
        files: [("own_avatar", SmallPicture.png)])
      avatars = ann.get(profile).pictures.filter { $0.contains("/avatar/") }
      pictures =
        ann.get(post).pictures.filter { $0.contains("/posts/") }
        + ann.get(own).pictures
        .filter { $0.contains("/posts/") }
    }

    /// All URLs that show content of Ann to those with access.
    var places: [String] { [post, own] + pictures + avatars }

    /// URLs and lists in which a user finds content of Ann.
    func found(by browser: TestClient) -> [String] {
      let shown = places.filter { browser.get($0).status == 200 }
      let named = ["/", "/couples/\(couple)", bens].filter { page in
        let answer = browser.get(page)
        return ["Words of hers", "Words for two", ">Ann<", "Ann &amp;"].contains {
          answer.shows($0)
        }
      }
      return shown + named
    }
  }

  @Test("The page lists everything deleted with the account, for guests too")
  func endings() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    let page = sam.get("/settings/delete")
    #expect(page.shows("What ends") && page.shows("your 1 emergency contact is no longer alerted"))
    #expect(!page.shows("group you lead") && !page.shows("and your statistics"))
    let gia = instance.browser()
    #expect(!gia.begin("Gia", contact: "kai@example.test").text.contains("error-summary"))
    #expect(gia.get("/settings/delete").shows("your 1 emergency contact is no longer alerted"))
    try instance.alone("kim")
    #expect(!(try instance.signedIn("kim").get("/settings/delete")).shows("What ends"))
  }

  @Test("At once no viewer finds anything, the partner included, and the partner's account stays")
  func hidden() throws {
    let fixture = try Fixture()
    let watchers = [fixture.ben, try fixture.instance.signedIn("cy"), fixture.instance.browser()]
    for watcher in watchers { #expect(!fixture.found(by: watcher).isEmpty) }
    #expect(fixture.pictures.count >= 2 && !fixture.avatars.isEmpty)
    #expect(fixture.ann.leave().location == "/account-deleted")
    for watcher in watchers { #expect(fixture.found(by: watcher) == []) }
    #expect(try fixture.instance.coupleStatus(fixture.couple) == "single")
    #expect(fixture.ben.get(fixture.bens).shows("Words of his"))
    #expect(fixture.ben.get("/").shows("data-composer"))
    #expect(fixture.instance.browser().get("/couples/\(fixture.couple)").shows("The Two"))
    #expect(fixture.instance.browser().get("/couples/\(fixture.couple)").shows("Ben"))
    try fixture.ben.write("Words of one")
  }

  @Test("A single member is gone with profile and pictures")
  func alone() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let post = try sam.writeWithPicture("Words of one")
    let profile = try #require(sam.get(post).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)).output
    sam.upload(
      "\(profile)/edit", [("couple_name", "Sam alone"), ("anniversary", ""), ("bio", "")],
      files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
    let visitor = instance.browser()
    let places =
      [post, String(profile)] + visitor.get(post).pictures
      + visitor.get(String(profile)).pictures
    #expect(places.count >= 4)
    for place in places { #expect(visitor.get(place).status == 200, "\(place)") }
    sam.leave()
    for place in places { #expect(visitor.get(place).status == 404, "\(place)") }
    #expect(sam.comeBack("sam@example.test").location == "/")
    for place in places { #expect(visitor.get(place).status == 200, "\(place)") }
  }

  @Test("On day 29 all comes back: posts, pictures, the couple and its day")
  func restored() throws {
    let fixture = try Fixture()
    let instance = fixture.instance
    let before = fixture.found(by: fixture.ben)
    // Notices caused by a deleted user are not shown; the read one isn't counted in any case.
    #expect(
      fixture.ben.post(
        "/notifications/read", ["up_to": fixture.ben.noticeIDs().first ?? ""]
      ).status == 303)
    _ = fixture.ben.get("/")
    let page = fixture.ben.get("/couples/\(fixture.couple)").withoutTokens
    fixture.ann.leave()
    instance.clock.advance(seconds: .days(29))
    try instance.work()
    let answer = fixture.ann.signIn("ann@example.test", TestInstance.password)
    #expect(answer.location == "/restore")
    let restoring = fixture.ann.get("/restore")
    // 2026-03-02 08:00 in Taipei, and 30 days.
    #expect(restoring.status == 200 && restoring.shows("1 April 2026"))
    #expect(fixture.ann.post("/restore").location == "/")
    #expect(fixture.ann.get("/").shows("data-composer"))
    #expect(try instance.coupleStatus(fixture.couple) == "active")
    instance.clock.set(TestInstance.start)
    #expect(fixture.found(by: fixture.ben) == before)
    #expect(fixture.ben.get("/couples/\(fixture.couple)").withoutTokens == page)
    instance.clock.advance(seconds: .days(90))
    try instance.work()
    #expect(try instance.signedIn("ann").get(fixture.own).status == 200)
  }

  @Test("Both leave and come back, in either order", arguments: [["ann", "ben"], ["ben", "ann"]])
  func both(order: [String]) throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple?.id)
    for name in ["ann", "ben"] { try instance.signedIn(name).leave() }
    #expect(instance.browser().get("/couples/\(couple)").status == 404)
    for name in order {
      #expect(instance.browser().comeBack("\(name)@example.test").location == "/")
    }
    #expect(try instance.coupleStatus(couple) == "active")
    #expect(
      try instance.database.read {
        try $0.count("SELECT anniversary FROM couples WHERE id = \(couple)")
      } == 19_000)
    #expect(try problems(instance) == [])
  }

  private func problems(_ instance: TestInstance) throws -> [String] {
    try instance.instance.doctorChecks.flatMap { try $0.find(instance.database) }
  }

  @Test("A member whose place in the couple is taken is restored as single")
  func placeTaken() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple?.id)
    let sam = try instance.alone("sam")
    try instance.signedIn("ann").leave()
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET couple_id = \(couple), couple_side = 1 WHERE id = \(sam.id)")
      try $0.execute("UPDATE couples SET status = 'active' WHERE id = \(couple)")
      try $0.execute(
        """
        INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (\(couple), \(sam.id), 1)
        """)
    }
    let ann = instance.browser()
    #expect(ann.comeBack("ann@example.test").location == "/")
    #expect(!ann.get("/").shows("Ann &amp; Ben"))
    try ann.write("Words of one")
    #expect(try problems(instance) == [])
  }

  @Test("A couple that waited for its second is given up, and its links with it")
  func pending() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    let link = try instance.link(to: "ben@example.test")
    ann.leave()
    #expect(instance.browser().get(link).status == 410)
    #expect(try instance.count("SELECT count(*) FROM couples") == 0)
    #expect(try instance.count("SELECT count(*) FROM registrations") == 0)
    #expect(ann.comeBack("ann@example.test").location == "/")
    try ann.write("Words of one")
    #expect(try problems(instance) == [])
  }

  // MARK: Confirmation

  @Test("It asks for the password, and nothing happens without it", arguments: ["", "wrong one"])
  func password(entered: String) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(ann.get("/settings/delete").shows("Ben keeps their account"))
    let answer = ann.leave(entered)
    #expect(answer.status == 422 && answer.shows("current_password_note"))
    #expect(entered.isEmpty || !answer.shows(entered))
    #expect(ann.get("/").shows("data-composer"))
  }

  @Test("The page is in no cache, and sends signed-out visitors to sign in")
  func door() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    for page in ["/settings/delete", "/settings/export"] {
      #expect(
        try instance.signedIn("sam").get(page).headers[.cacheControl]?.contains("no-store") == true)
      #expect(instance.browser().get(page).location?.hasPrefix("/sign-in") == true)
      #expect(instance.browser().post(page).location?.hasPrefix("/sign-in") == true)
    }
  }

  @Test("Every device is signed out")
  func devices() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (one, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    one.leave()
    for browser in [one, other] { #expect(!browser.get("/").shows("data-composer")) }
    #expect(try instance.count("SELECT count(*) FROM sessions") == 0)
  }

  @Test("One mail confirms it; waiting mail is not sent, links are dead, and none follows")
  func mails() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    instance.browser().post("/reset", ["email": "sam@example.test"])
    let link = try instance.link(to: "sam@example.test")
    let sam = try instance.signedIn("sam")
    instance.browser().post("/reset", ["email": "sam@example.test"])
    // Mails are distinguished by their time.
    instance.clock.advance(seconds: 1)
    sam.leave()
    let mails = try instance.mails(to: "sam@example.test")
    #expect(mails.count == 2)
    let last = try #require(mails.last)
    #expect(last.subject == "Your PairSpot account was deleted")
    #expect(last.text.contains("1 April 2026") && last.link == "/sign-in")
    #expect(instance.browser().get(link).status == 410)
    instance.browser().post("/reset", ["email": "sam@example.test"])
    #expect(try instance.mails(to: "sam@example.test").count == 2)
    instance.clock.advance(seconds: 1)
    #expect(sam.comeBack("sam@example.test").location == "/")
    let back = try #require(try instance.mails(to: "sam@example.test").last)
    #expect(back.subject == "Your PairSpot account was restored")
  }

  // MARK: Restoring

  @Test("A wrong password is answered like an unknown address")
  func wrongPassword() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    let (wrong, unknown) = (instance.browser(), instance.browser())
    let first = wrong.signIn("sam@example.test", "not the password")
    let second = unknown.signIn("eve@example.test", "not the password")
    #expect(first.status == 422 && second.status == 422)
    #expect(
      first.withoutTokens.replacing("sam@", with: "")
        == second.withoutTokens.replacing("eve@", with: ""))
    #expect(wrong.cookie("restore") == nil)
  }

  @Test("After 30 × 24 h the address is unknown, even before the purge")
  func tooLate() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    instance.clock.advance(seconds: .days(30) - 1)
    let browser = instance.browser()
    #expect(browser.signIn("sam@example.test", TestInstance.password).location == "/restore")
    instance.clock.advance(seconds: 1)
    #expect(browser.get("/restore").location == "/sign-in")
    #expect(browser.post("/restore").location == "/sign-in")
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).status == 422)
  }

  @Test("The page after a deletion says for an hour until when one can come back, there alone")
  func farewell() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/account-deleted").location == "/")
    #expect(sam.leave().location == "/account-deleted")
    for _ in 1...2 {
      let page = sam.get("/account-deleted")
      #expect(page.status == 200 && page.shows("Your account is deleted"))
      // 30 days after the clock's first day.
      #expect(page.shows("until 1 April 2026") && page.shows("href=\"/sign-in\""))
      #expect(page.headers[.cacheControl]?.contains("no-store") == true)
    }
    #expect(instance.browser().get("/account-deleted").location == "/sign-in")
    instance.clock.advance(seconds: 3600)
    #expect(sam.get("/account-deleted").location == "/sign-in")
  }

  @Test("The way back is open for ten minutes, in that browser, once")
  func cookie() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    let browser = instance.browser()
    browser.signIn("sam@example.test", TestInstance.password)
    let made = try #require(browser.cookie("restore"))
    #expect(instance.browser().get("/restore").location == "/sign-in")
    for forged in ["", "x", String(made.reversed()), "A" + made.dropFirst(), made + "A"]
    where forged != made {
      let other = instance.browser()
      other.take(cookie: "restore", forged)
      #expect(other.post("/restore").location == "/sign-in", "\(forged)")
    }
    instance.clock.advance(seconds: 599)
    #expect(browser.get("/restore").status == 200)
    instance.clock.advance(seconds: 1)
    #expect(browser.post("/restore").location == "/sign-in")
    browser.signIn("sam@example.test", TestInstance.password)
    let second = try #require(browser.cookie("restore"))
    #expect(browser.post("/restore").location == "/")
    browser.leave()
    let copy = instance.browser()
    copy.take(cookie: "restore", second)
    #expect(copy.post("/restore").location == "/sign-in")
    #expect(try instance.count("SELECT count(*) FROM users WHERE deleted_at IS NULL") == 0)
  }

  @Test("Where the address has a new account, the old one waits and says why")
  func addressTaken() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    try instance.signedIn("sam").leave()
    let browser = instance.browser()
    browser.signIn("sam@example.test", TestInstance.password)
    #expect(browser.get("/restore").shows("Restore</button>"))
    _ = try instance.instance.features.accounts.seeder.found(
      [("Samantha", "sam@example.test")], password: "a different sentence",
      now: instance.clock.now())
    let answer = browser.post("/restore")
    #expect(answer.status == 409 && answer.shows("Your email has a new account"))
    #expect(!answer.shows("Restore</button>"))
    #expect(
      instance.browser().signIn("sam@example.test", TestInstance.password).location == "/restore")
    let new = instance.browser()
    #expect(new.signIn("sam@example.test", "a different sentence").location == "/")
    new.leave("a different sentence")
    #expect(browser.post("/restore").location == "/")
  }

  // MARK: Guests

  /// Presses one of a guest's two buttons.
  private func forget(_ guest: TestClient, _ how: String, code: String) -> TestResponse {
    guest.post("/settings/delete", all: [("recovery_code", code), (how, "1")])
  }

  @Test(
    "A guest is gone everywhere at once and for good, by the recovery code",
    .onSQLite("it reads the file"))
  func guest() throws {
    let instance = try TestInstance()
    let browser = try instance.guest("Passer-by")
    let id = try #require(try instance.people(named: "Passer-by").first)
    let code = try browser.recoveryCode()
    let page = browser.get("/settings/delete")
    #expect(page.shows("name=\"recovery_code\"") && !page.shows("current_password"))
    #expect(page.shows("href=\"/settings/recovery-code\""))
    browser.post("/settings/export")
    #expect(forget(browser, "everywhere", code: code.lowercased()).location == "/")
    #expect(browser.cookie("session") == nil && browser.cookie("device") == nil)
    #expect(
      try instance.database.read { try $0.count("SELECT count(*) FROM users WHERE id = \(id)") }
        == 0)
    #expect(try instance.count("SELECT count(*) FROM exports") == 0)
    #expect(try instance.databaseBytes().range(of: Data("Passer-by".utf8)) == nil)
  }

  @Test(
    "Without a guest's own code nothing happens, whichever button",
    arguments: ["here", "everywhere"])
  func guestWithoutCode(how: String) throws {
    let instance = try TestInstance()
    let (guest, other) = (try instance.guest("Gia"), try instance.guest("Hal"))
    let foreign = try other.recoveryCode()
    let old = try guest.recoveryCode()
    guest.post("/settings/recovery-code", ["lost": "1"])
    for code in ["", "   ", "ABCD", "ABCD-EFGH-JKLM-NPQR", foreign, old] {
      let answer = forget(guest, how, code: code)
      #expect(answer.status == 422 && answer.shows("href=\"#recovery_code\""), "\(code)")
      #expect(code.count < 5 || !answer.shows(code))
    }
    #expect(guest.get("/settings/delete").status == 200)
    #expect(try instance.people(named: "Gia").count == 1)
    // A guest who has lost the code makes a new one.
    #expect(forget(guest, how, code: try guest.recoveryCode()).location == "/")
  }

  @Test("Forgotten on one device, a guest is opened again by the code, and here on others")
  func guestHere() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let code = try guest.recoveryCode()
    let other = instance.browser()
    other.post("/recover", ["recovery_code": code])
    let stolen = guest.copy()
    #expect(forget(guest, "here", code: code).location == "/")
    for name in ["session", "device", "guest_code"] { #expect(guest.cookie(name) == nil) }
    for browser in [guest, stolen] {
      #expect(browser.get("/settings/recovery-code").location?.hasPrefix("/sign-in") == true)
    }
    #expect(other.get("/settings/recovery-code").status == 200)
    #expect(guest.post("/recover", ["recovery_code": code]).status == 303)
    #expect(guest.get("/settings/recovery-code").status == 200)
  }

  @Test("Ten wrong codes in an hour are enough")
  func guestGuessing() throws {
    let instance = try TestInstance(limits: true)
    let guest = try instance.guest("Gia")
    let code = try guest.recoveryCode()
    for _ in 1...10 {
      #expect(forget(guest, "everywhere", code: "ABCD-EFGH-JKLM-NPQR").status == 422)
    }
    #expect(forget(guest, "everywhere", code: code).status == 429)
    instance.clock.advance(seconds: 3601)
    #expect(forget(guest, "everywhere", code: code).location == "/")
  }

  @Test("A guest's menu leads to being forgotten, not to signing out, which would lose all")
  func guestsMenu() throws {
    let instance = try TestInstance()
    let gia = try instance.guest("Gia")
    #expect(
      gia.get("/settings").shows("Sign out or delete your data")
        && !gia.get("/settings").shows("Delete your"))
    let page = gia.get("/about")
    #expect(page.shows("href=\"/settings/delete\"") && !page.shows("action=\"/sign-out\""))
    try instance.alone("sam")
    #expect(try instance.signedIn("sam").get("/about").shows("action=\"/sign-out\""))
  }
}
