import Core
import Testing

@testable import App
@testable import CheckIn

@Suite("The feed asks for today's check-in")
struct HomeCheckInTests {
  private func isAsked(_ browser: TestClient) -> Bool {
    browser.get("/").shows("data-testid=\"check-in-due\"")
  }

  @Test("On the days after the first check-in, until the user has checked in")
  func due() throws {
    let instance = try TestInstance()
    try instance.alone("kim")
    #expect(!isAsked(try instance.signedIn("kim")))
    let sam = try instance.checkedInMember()
    #expect(!isAsked(sam))
    instance.clock.advance(seconds: 86_400)
    #expect(isAsked(sam))
    #expect(sam.tap().location == "/checkin")
    #expect(!isAsked(sam))
  }

  @Test("While the contacts are alerted it says so instead, and one tap ends the alert")
  func alerted() throws {
    let instance = try TestInstance()
    try instance.watched()
    try instance.goQuiet()
    let mei = try instance.signedIn("mei")
    let page = mei.get("/")
    #expect(page.shows("data-testid=\"home-alert\"") && !page.shows("check-in-due"))
    #expect(page.text.contains(/We alerted your contacts on \d+ March 2026, \d\d:\d\d\./))
    #expect(mei.tap().location == "/checkin")
    #expect(!mei.get("/").shows("home-alert"))
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
  }

  @Test("A check-in that ends an alert says that the contacts were told, for the rest of the day")
  func allClear() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let mei = try instance.signedIn("mei")
    #expect(!mei.get("/checkin").shows("data-testid=\"all-clear\""))
    mei.tap()
    #expect(mei.cookie("toast") == "toast.checked_in_all_clear")
    #expect(mei.get("/checkin").shows("We’ve told 2 contacts that you’re OK."))
    mei.tap()
    #expect(mei.cookie("toast") == "toast.checked_in_already")
    instance.clock.advance(seconds: 86_400)
    #expect(!(try instance.signedIn("mei").get("/checkin").shows("data-testid=\"all-clear\"")))
  }

  @Test("“I’m OK” ends an alert of a timer too, on a day with a check-in")
  func timerAlert() throws {
    let instance = try TestInstance()
    try instance.watched()
    let mei = try instance.signedIn("mei")
    mei.post("/checkin/timer", ["button": "start", "minutes": "15", "grace": "5"])
    instance.clock.advance(seconds: .minutes(21))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    #expect(mei.get("/").shows("data-testid=\"home-alert\""))
    #expect(!mei.get("/").shows("home-timer"))
    #expect(mei.tap().location == "/checkin")
    #expect(!mei.get("/").shows("home-alert"))
  }

  @Test("A running timer is shown first, with its end, until the user ends it")
  func timer() throws {
    let instance = try TestInstance()
    try instance.watched()
    let mei = try instance.signedIn("mei")
    #expect(!mei.get("/").shows("home-timer"))
    mei.post("/checkin/timer", ["button": "start", "minutes": "15", "grace": "5"])
    let first = /<ul class="home-today"[^>]*>\s*<li><a href="\/checkin\/timer"/
    #expect(mei.get("/").text.contains(first))
    #expect(mei.get("/").shows("Timer until 08:15"))
    instance.clock.advance(seconds: .minutes(16))
    #expect(mei.get("/").shows("Timer ended: 08:15"))
    mei.post("/checkin/timer", ["button": "end"])
    #expect(!mei.get("/").shows("home-timer"))
  }

  @Test("Not on older pages of the feed, nor in a pause, nor without a contact")
  func others() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    instance.clock.advance(seconds: 86_400)
    #expect(!sam.get("/?after=1-\(ID<Person>.random())").shows("check-in-due"))
    let today = LocalDay(instance.clock.now(), in: .gmt)
    try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET paused_until = \(today.adding(days: 3))")
    }
    #expect(!isAsked(sam))
    try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET paused_until = NULL")
    }
    #expect(isAsked(sam))
    let contact = try #require(
      sam.get("/checkin/contacts").text.firstMatch(of: /\/checkin\/contacts\/[0-9a-f-]{36}/))
    sam.post("\(contact.output)/remove")
    #expect(!isAsked(sam))
  }
}
