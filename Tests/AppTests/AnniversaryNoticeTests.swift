import Basics
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Days to celebrate, as notices and in a calendar")
struct AnniversaryNoticeTests {
  /// Ann and Ben, whose 100th day is the second one after the first of a test.
  private func house() throws -> (TestHouse, ann: Browser, ben: Browser) {
    let house = try TestHouse()
    try house.couple()
    let since = LocalDay(TestHouse.start, in: .gmt).adding(days: 3 - 100)
    try house.database.write { try $0.execute("UPDATE couples SET anniversary = ?", since) }
    return (house, try house.signedIn("ann"), try house.signedIn("ben"))
  }

  @Test("Both are told the day before, in the morning where they are, and once")
  func told() throws {
    let (house, ann, ben) = try house()
    try house.database.write {
      try $0.execute(
        "UPDATE users SET time_zone = 'America/Los_Angeles' WHERE display_name = 'Ben'")
    }
    // 08:00 in Taipei on 2 March; the 100th day is the 4th.
    try house.work()
    #expect(ann.notices() == [] && ben.notices() == [])
    house.clock.advance(seconds: 24 * 3600)
    try house.work()
    #expect(ann.notices() == [])
    house.clock.advance(seconds: 3600)
    try house.work()
    #expect(ann.notices() == ["Tomorrow is day 100 of you two."] && ben.notices() == [])
    // 09:00 in Los Angeles on the 3rd is 17:00 UTC.
    house.clock.advance(seconds: 16 * 3600)
    try house.work()
    #expect(ben.notices() == ["Tomorrow is day 100 of you two."])
    house.clock.advance(seconds: 3600)
    try house.work()
    #expect(ann.notices().count == 1 && ben.notices().count == 1)
  }

  @Test(
    "The link of a calendar is shown once, works without signing in, and dies when it is renewed")
  func calendar() throws {
    let (house, ann, _) = try house()
    #expect(ann.post("/settings/calendar", ["button": "make"]).status == 303)
    func link() throws -> String {
      let found = ann.get("/settings/calendar").text
        .firstMatch(of: /(\/couples\/[0-9a-f-]{36}\/anniversary\.ics\?token=[\w-]{43})/)
      return String(try #require(found).output.1)
    }
    let first = try link()
    #expect(!ann.get("/settings/calendar").shows("token="))
    let answer = house.browser().get(first)
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "text/calendar; charset=utf-8")
    #expect(answer.shows("SUMMARY:Ann & Ben: day 100\r\n"))
    #expect(answer.shows("DTSTART;VALUE=DATE:20260304\r\n"))
    #expect(house.browser().get(first).text == answer.text)
    #expect(
      try house.count("SELECT count(*) FROM calendar_links WHERE length(token_hash) = 32") == 1)
    ann.post("/settings/calendar", ["button": "make"])
    let second = try link()
    #expect(house.browser().get(first).status == 404 && house.browser().get(second).status == 200)
    ann.post("/settings/calendar", ["button": "remove"])
    #expect(house.browser().get(second).status == 404)
    #expect(house.browser().get(String(second.prefix { $0 != "?" })).status == 404)
  }

  @Test("When two part the link shows nothing any more; who is alone has no such page")
  func parted() throws {
    let (house, ann, ben) = try house()
    try house.alone("sam")
    #expect(try house.signedIn("sam").get("/settings/calendar").status == 404)
    ann.post("/settings/calendar", ["button": "make"])
    let link = try #require(
      ann.get("/settings/calendar").text.firstMatch(of: /\/couples\/[^"]*token=[\w-]{43}/)?.output)
    #expect(ben.get(String(link)).status == 200)
    let password = ["current_password": TestHouse.password]
    #expect(ben.post("/settings/part", all: password.map { ($0.key, $0.value) }).status == 303)
    #expect(house.browser().get(String(link)).status == 404)
  }
}
