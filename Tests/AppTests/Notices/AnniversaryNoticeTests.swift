import Core
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Days to celebrate, as notices and in a calendar")
struct AnniversaryNoticeTests {
  /// Ann and Ben, whose 100th day is the third day of a test.
  private func instance() throws -> (TestInstance, ann: TestClient, ben: TestClient) {
    let instance = try TestInstance()
    try instance.couple()
    let since = LocalDay(TestInstance.start, in: .gmt).adding(days: 3 - 100)
    try instance.database.write { try $0.execute("UPDATE couples SET anniversary = \(since)") }
    return (instance, try instance.signedIn("ann"), try instance.signedIn("ben"))
  }

  @Test("Both are notified the day before, in the morning of their zone, and once")
  func told() throws {
    let (instance, ann, ben) = try instance()
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET time_zone = 'America/Los_Angeles' WHERE display_name = 'Ben'")
    }
    // 08:00 in Taipei on 2 March; the 100th day is the 4th.
    try instance.work()
    #expect(ann.notices() == [] && ben.notices() == [])
    instance.clock.advance(seconds: 24 * 3600)
    try instance.work()
    #expect(ann.notices() == [])
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(ann.notices() == ["Tomorrow is your day 100 together."] && ben.notices() == [])
    // 09:00 in Los Angeles on the 3rd is 17:00 UTC.
    instance.clock.advance(seconds: 16 * 3600)
    try instance.work()
    #expect(ben.notices() == ["Tomorrow is your day 100 together."])
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(ann.notices().count == 1 && ben.notices().count == 1)
  }

  @Test(
    "The link of a calendar is shown once, works without signing in, and dies when it is renewed")
  func calendar() throws {
    let (instance, ann, _) = try instance()
    #expect(ann.post("/settings/calendar", ["button": "make"]).status == 303)
    func link() throws -> String {
      let found = ann.get("/settings/calendar").text
        .firstMatch(of: /(\/couples\/[0-9a-f-]{36}\/anniversary\.ics\?token=[\w-]{43})/)
      return String(try #require(found).output.1)
    }
    let first = try link()
    #expect(!ann.get("/settings/calendar").shows("token="))
    let answer = instance.browser().get(first)
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "text/calendar; charset=utf-8")
    #expect(answer.shows("SUMMARY:Ann & Ben: day 100\r\n"))
    #expect(answer.shows("DTSTART;VALUE=DATE:20260304\r\n"))
    #expect(instance.browser().get(first).text == answer.text)
    #expect(
      try instance.count("SELECT count(*) FROM calendar_links WHERE length(token_hash) = 32") == 1)
    ann.post("/settings/calendar", ["button": "make"])
    let second = try link()
    #expect(
      instance.browser().get(first).status == 404 && instance.browser().get(second).status == 200)
    ann.post("/settings/calendar", ["button": "remove"])
    #expect(instance.browser().get(second).status == 404)
    #expect(instance.browser().get(String(second.prefix { $0 != "?" })).status == 404)
  }

  @Test("What ends the link asks first")
  func asking() throws {
    let (_, ann, _) = try instance()
    ann.post("/settings/calendar", ["button": "make"])
    let page = ann.get("/settings/calendar")
    #expect(!page.shows("name=\"button\""))
    for (ask, words) in [("make", "Create a new link?"), ("remove", "Delete the calendar link?")] {
      #expect(page.shows("href=\"/settings/calendar?ask=\(ask)\""))
      let question = ann.get("/settings/calendar?ask=\(ask)")
      #expect(question.shows(words) && question.shows("data-dialog-content"))
      #expect(question.value(of: "button") == ask)
    }
    #expect(ann.get("/settings/calendar?ask=x").shows("?ask=remove"))
    ann.post("/settings/calendar", ["button": "remove"])
    #expect(ann.get("/settings/calendar").shows("value=\"make\""))
  }

  @Test("After a separation the link shows nothing; a single member has no such page")
  func parted() throws {
    let (instance, ann, ben) = try instance()
    try instance.alone("sam")
    #expect(try instance.signedIn("sam").get("/settings/calendar").status == 404)
    ann.post("/settings/calendar", ["button": "make"])
    let link = try #require(
      ann.get("/settings/calendar").text.firstMatch(of: /\/couples\/[^"]*token=[\w-]{43}/)?.output)
    #expect(ben.get(String(link)).status == 200)
    let password = ["current_password": TestInstance.password]
    #expect(ben.post("/settings/part", all: password.map { ($0.key, $0.value) }).status == 303)
    #expect(instance.browser().get(String(link)).status == 404)
  }
}
