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
