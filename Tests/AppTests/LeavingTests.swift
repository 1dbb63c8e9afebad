import Accounts
import Basics
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Leaving, and coming back within 30 days")
struct LeavingTests {
  /// Everything of Ann's, and of the two, that somebody could find.
  private struct World {
    let house: TestHouse
    let couple: ID<Couple>
    let ann: Browser
    let ben: Browser
    let post: String
    let own: String
    let bens: String
    let pictures: [String]
    let avatars: [String]

    init() throws {
      house = try TestHouse()
      couple = try #require(try house.couple("The Two").first?.couple?.id)
      try house.couple("Cy & Di", "cy", "di")
      ann = try house.signedIn("ann")
      ben = try house.signedIn("ben")
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

    /// Every address that shows something of Ann's to who may see it.
    var places: [String] { [post, own] + pictures + avatars }

    /// What of Ann somebody finds anywhere.
    func found(by browser: Browser) -> [String] {
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

  @Test("The page says what ends with the account, of what a person has, guests too")
  func endings() throws {
    let house = try TestHouse()
    let sam = try house.checkedInMember()
    let page = sam.get("/settings/delete")
    #expect(page.shows("What ends with it") && page.shows("your 1 contact hears nothing"))
    #expect(!page.shows("group that you lead") && !page.shows("and your statistics"))
    let gia = house.browser()
    #expect(!gia.begin("Gia", contact: "kai@example.test").text.contains("error-summary"))
    #expect(gia.get("/settings/delete").shows("hears nothing any more"))
    try house.alone("kim")
    #expect(!(try house.signedIn("kim").get("/settings/delete")).shows("What ends with it"))
  }

  @Test("From that moment nobody finds anything, the partner included, and the partner stays")
  func hidden() throws {
    let world = try World()
    let watchers = [world.ben, try world.house.signedIn("cy"), world.house.browser()]
    for watcher in watchers { #expect(!world.found(by: watcher).isEmpty) }
    #expect(world.pictures.count >= 2 && !world.avatars.isEmpty)
    #expect(world.ann.leave().location == "/")
    for watcher in watchers { #expect(world.found(by: watcher) == []) }
    #expect(try world.house.coupleStatus(world.couple) == "single")
    #expect(world.ben.get(world.bens).shows("Words of his"))
    #expect(world.ben.get("/").shows("data-composer"))
    #expect(world.house.browser().get("/couples/\(world.couple)").shows("The Two"))
    #expect(world.house.browser().get("/couples/\(world.couple)").shows("Ben"))
    try world.ben.write("Words of one")
  }

  @Test("Who was alone is gone with profile and pictures")
  func alone() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    let post = try sam.writeWithPicture("Words of one")
    let profile = try #require(sam.get(post).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)).output
    sam.upload(
      "\(profile)/edit", [("couple_name", "Sam alone"), ("anniversary", ""), ("bio", "")],
      files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
    let visitor = house.browser()
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
    let world = try World()
    let house = world.house
    let before = world.found(by: world.ben)
    // What somebody was told of who has left is told no more; read, it isn't counted anyway.
    #expect(
      world.ben.post(
        "/notifications/read", ["up_to": world.ben.noticeIDs().first ?? ""]
      ).status == 303)
    _ = world.ben.get("/")
    let page = world.ben.get("/couples/\(world.couple)").withoutTokens
    world.ann.leave()
    house.clock.advance(seconds: .days(29))
    try house.work()
    let answer = world.ann.signIn("ann@example.test", TestHouse.password)
    #expect(answer.location == "/restore")
    let restoring = world.ann.get("/restore")
    // 2026-03-02 08:00 in Taipei, and 30 days.
    #expect(restoring.status == 200 && restoring.shows("1 April 2026"))
    #expect(world.ann.post("/restore").location == "/")
    #expect(world.ann.get("/").shows("data-composer"))
    #expect(try house.coupleStatus(world.couple) == "active")
    house.clock.set(TestHouse.start)
    #expect(world.found(by: world.ben) == before)
    #expect(world.ben.get("/couples/\(world.couple)").withoutTokens == page)
    house.clock.advance(seconds: .days(90))
    try house.work()
    #expect(try house.signedIn("ann").get(world.own).status == 200)
  }

  @Test("Both leave and come back, in either order", arguments: [["ann", "ben"], ["ben", "ann"]])
  func both(order: [String]) throws {
    let house = try TestHouse()
    let couple = try #require(try house.couple().first?.couple?.id)
    for name in ["ann", "ben"] { try house.signedIn(name).leave() }
    #expect(house.browser().get("/couples/\(couple)").status == 404)
    for name in order {
      #expect(house.browser().comeBack("\(name)@example.test").location == "/")
    }
    #expect(try house.coupleStatus(couple) == "active")
    #expect(
      try house.database.read {
        try $0.count("SELECT anniversary FROM couples WHERE id = ?", couple)
      } == 19_000)
    #expect(try problems(house) == [])
  }

  private func problems(_ house: TestHouse) throws -> [String] {
    try house.house.doctorChecks.flatMap { try $0.find(house.database) }
  }

  @Test("Whose place is taken meanwhile comes back alone")
  func placeTaken() throws {
    let house = try TestHouse()
    let couple = try #require(try house.couple().first?.couple?.id)
    let sam = try house.alone("sam")
    try house.signedIn("ann").leave()
    try house.database.write {
      try $0.execute(
        "UPDATE users SET couple_id = ?, couple_side = 1 WHERE id = ?", couple, sam.id)
      try $0.execute("UPDATE couples SET status = 'active' WHERE id = ?", couple)
      try $0.execute(
        "INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, 1)", couple,
        sam.id)
    }
    let ann = house.browser()
    #expect(ann.comeBack("ann@example.test").location == "/")
    #expect(!ann.get("/").shows("Ann &amp; Ben"))
    try ann.write("Words of one")
    #expect(try problems(house) == [])
  }

  @Test("A couple that waited for its second is given up, and its links with it")
  func pending() throws {
    let house = try TestHouse()
    let ann = house.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, house.link(to: "ann@example.test"), "Ann")
    let link = try house.link(to: "ben@example.test")
    ann.leave()
    #expect(house.browser().get(link).status == 410)
    #expect(try house.count("SELECT count(*) FROM couples") == 0)
    #expect(try house.count("SELECT count(*) FROM registrations") == 0)
    #expect(ann.comeBack("ann@example.test").location == "/")
    try ann.write("Words of one")
    #expect(try problems(house) == [])
  }

  // MARK: Asking

  @Test("It asks for the password, and nothing happens without it", arguments: ["", "wrong one"])
  func password(typed: String) throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    #expect(ann.get("/settings/delete").shows("Ben stays"))
    let answer = ann.leave(typed)
    #expect(answer.status == 422 && answer.shows("current_password_note"))
    #expect(typed.isEmpty || !answer.shows(typed))
    #expect(ann.get("/").shows("data-composer"))
  }

  @Test("The page is kept by no cache, and asks who is signed out to sign in")
  func door() throws {
    let house = try TestHouse()
    try house.alone("sam")
    for page in ["/settings/delete", "/settings/export"] {
      #expect(
        try house.signedIn("sam").get(page).headers[.cacheControl]?.contains("no-store") == true)
      #expect(house.browser().get(page).location?.hasPrefix("/sign-in") == true)
      #expect(house.browser().post(page).location?.hasPrefix("/sign-in") == true)
    }
  }

  @Test("Every device is signed out")
  func devices() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let (one, other) = (try house.signedIn("sam"), try house.signedIn("sam"))
    one.leave()
    for browser in [one, other] { #expect(!browser.get("/").shows("data-composer")) }
    #expect(try house.count("SELECT count(*) FROM sessions") == 0)
  }

  @Test("One mail says so; what waited is not sent, links are dead, and none follows")
  func mails() throws {
    let house = try TestHouse()
    try house.alone("sam")
    house.browser().post("/reset", ["email": "sam@example.test"])
    let link = try house.link(to: "sam@example.test")
    let sam = try house.signedIn("sam")
    house.browser().post("/reset", ["email": "sam@example.test"])
    // Mails are told apart by their moment.
    house.clock.advance(seconds: 1)
    sam.leave()
    let mails = try house.mails(to: "sam@example.test")
    #expect(mails.count == 2)
    let last = try #require(mails.last)
    #expect(last.subject == "Your PairSpot account was deleted")
    #expect(last.text.contains("1 April 2026") && last.link == "/sign-in")
    #expect(house.browser().get(link).status == 410)
    house.browser().post("/reset", ["email": "sam@example.test"])
    #expect(try house.mails(to: "sam@example.test").count == 2)
    house.clock.advance(seconds: 1)
    #expect(sam.comeBack("sam@example.test").location == "/")
    let back = try #require(try house.mails(to: "sam@example.test").last)
    #expect(back.subject == "Your PairSpot account is back")
  }

  // MARK: Coming back

  @Test("A wrong password is answered like an unknown address")
  func wrongPassword() throws {
    let house = try TestHouse()
    try house.alone("sam")
    try house.signedIn("sam").leave()
    let (wrong, unknown) = (house.browser(), house.browser())
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
    let house = try TestHouse()
    try house.alone("sam")
    try house.signedIn("sam").leave()
    house.clock.advance(seconds: .days(30) - 1)
    let browser = house.browser()
    #expect(browser.signIn("sam@example.test", TestHouse.password).location == "/restore")
    house.clock.advance(seconds: 1)
    #expect(browser.get("/restore").location == "/sign-in")
    #expect(browser.post("/restore").location == "/sign-in")
    #expect(house.browser().signIn("sam@example.test", TestHouse.password).status == 422)
  }

  @Test("The way back is open for ten minutes, in that browser, once")
  func cookie() throws {
    let house = try TestHouse()
    try house.alone("sam")
    try house.signedIn("sam").leave()
    let browser = house.browser()
    browser.signIn("sam@example.test", TestHouse.password)
    let made = try #require(browser.cookie("restore"))
    #expect(house.browser().get("/restore").location == "/sign-in")
    for forged in ["", "x", String(made.reversed()), "A" + made.dropFirst(), made + "A"]
    where forged != made {
      let other = house.browser()
      other.take(cookie: "restore", forged)
      #expect(other.post("/restore").location == "/sign-in", "\(forged)")
    }
    house.clock.advance(seconds: 599)
    #expect(browser.get("/restore").status == 200)
    house.clock.advance(seconds: 1)
    #expect(browser.post("/restore").location == "/sign-in")
    browser.signIn("sam@example.test", TestHouse.password)
    let second = try #require(browser.cookie("restore"))
    #expect(browser.post("/restore").location == "/")
    browser.leave()
    let copy = house.browser()
    copy.take(cookie: "restore", second)
    #expect(copy.post("/restore").location == "/sign-in")
    #expect(try house.count("SELECT count(*) FROM users WHERE deleted_at IS NULL") == 0)
  }

  @Test("Where the address has a new account, the old one waits and says why")
  func addressTaken() throws {
    let house = try TestHouse()
    try house.alone("sam")
    try house.signedIn("sam").leave()
    let browser = house.browser()
    browser.signIn("sam@example.test", TestHouse.password)
    #expect(browser.get("/restore").shows("Bring it back"))
    _ = try house.house.features.accounts.founding.found(
      [("Samantha", "sam@example.test")], password: "a different sentence", now: house.clock.now())
    let answer = browser.post("/restore")
    #expect(answer.status == 409 && answer.shows("Your address has a new account"))
    #expect(!answer.shows("Bring it back"))
    #expect(
      house.browser().signIn("sam@example.test", TestHouse.password).location == "/restore")
    let new = house.browser()
    #expect(new.signIn("sam@example.test", "a different sentence").location == "/")
    new.leave("a different sentence")
    #expect(browser.post("/restore").location == "/")
  }

  // MARK: Guests

  /// Presses one of the two buttons of a guest.
  private func forget(_ guest: Browser, _ how: String, code: String) -> Answer {
    guest.post("/settings/delete", all: [("recovery_code", code), (how, "1")])
  }

  @Test("A guest is gone everywhere at once and for good, by the recovery code")
  func guest() throws {
    let house = try TestHouse()
    let browser = try house.guest("Passer-by")
    let id = try #require(try house.people(named: "Passer-by").first)
    let code = try browser.recoveryCode()
    let page = browser.get("/settings/delete")
    #expect(page.shows("name=\"recovery_code\"") && !page.shows("current_password"))
    #expect(page.shows("href=\"/settings/recovery-code\""))
    browser.post("/settings/export")
    #expect(forget(browser, "everywhere", code: code.lowercased()).location == "/")
    #expect(browser.cookie("session") == nil && browser.cookie("device") == nil)
    #expect(
      try house.database.read { try $0.count("SELECT count(*) FROM users WHERE id = ?", id) } == 0)
    #expect(try house.count("SELECT count(*) FROM exports") == 0)
    #expect(try house.databaseBytes().range(of: Data("Passer-by".utf8)) == nil)
  }

  @Test(
    "Without a guest's own code nothing happens, whichever button",
    arguments: ["here", "everywhere"])
  func guestWithoutCode(how: String) throws {
    let house = try TestHouse()
    let (guest, other) = (try house.guest("Gia"), try house.guest("Hal"))
    let foreign = try other.recoveryCode()
    let old = try guest.recoveryCode()
    guest.post("/settings/recovery-code", ["lost": "1"])
    for code in ["", "   ", "ABCD", "ABCD-EFGH-JKLM-NPQR", foreign, old] {
      let answer = forget(guest, how, code: code)
      #expect(answer.status == 422 && answer.shows("href=\"#recovery_code\""), "\(code)")
      #expect(code.count < 5 || !answer.shows(code))
    }
    #expect(guest.get("/settings/delete").status == 200)
    #expect(try house.people(named: "Gia").count == 1)
    // Who lost it makes a new one, and goes on with that.
    #expect(forget(guest, how, code: try guest.recoveryCode()).location == "/")
  }

  @Test("Forgotten on one device, a guest is opened again by the code, and here on others")
  func guestHere() throws {
    let house = try TestHouse()
    let guest = try house.guest("Gia")
    let code = try guest.recoveryCode()
    let other = house.browser()
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
    let house = try TestHouse(limits: true)
    let guest = try house.guest("Gia")
    let code = try guest.recoveryCode()
    for _ in 1...10 {
      #expect(forget(guest, "everywhere", code: "ABCD-EFGH-JKLM-NPQR").status == 422)
    }
    #expect(forget(guest, "everywhere", code: code).status == 429)
    house.clock.advance(seconds: 3601)
    #expect(forget(guest, "everywhere", code: code).location == "/")
  }

  @Test("A guest's menu leads to being forgotten, not to signing out, which would lose all")
  func guestsMenu() throws {
    let house = try TestHouse()
    let gia = try house.guest("Gia")
    #expect(gia.get("/settings").shows("Forget me") && !gia.get("/settings").shows("Delete your"))
    let page = gia.get("/about")
    #expect(page.shows("href=\"/settings/delete\"") && !page.shows("action=\"/sign-out\""))
    try house.alone("sam")
    #expect(try house.signedIn("sam").get("/about").shows("action=\"/sign-out\""))
  }
}
