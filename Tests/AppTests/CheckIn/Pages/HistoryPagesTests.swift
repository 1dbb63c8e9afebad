import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App
@testable import CheckIn

@Suite("The history shows a person's own days")
struct HistoryPagesTests {
  /// The instance's first day is 2026-03-02.
  private func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

  @Test("Without a check-in there is a first step, and no month to go to")
  func empty() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let page = sam.get("/checkin/history")
    #expect(page.status == 200 && page.shows("class=\"drawing\"") && !page.shows("<table"))
    #expect(page.shows("href=\"/checkin\""))
    #expect(sam.get("/checkin/history?month=2026-03").status == 200)
    #expect(sam.get("/checkin/history?month=2026-02").status == 404)
  }

  @Test("Every day of the month is described in words, with the streaks above")
  func month() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    instance.clock.advance(seconds: 9 * 86_400)
    // 2 and 3 March, 4 missed, 5 and 6 paused, 7 sent later, 8 to 10; today is the 11th.
    try instance.checkIns(
      of: sam, on: try ["02", "03", "08", "09", "10"].map { try day("2026-03-\($0)") })
    try instance.checkIns(of: sam, on: [try day("2026-03-07")], isOffline: true)
    try instance.database.write {
      try instance.checkIn.monitors.pause(
        sam, from: try day("2026-03-05"), until: try day("2026-03-06"), in: $0)
    }
    let page = try instance.signedIn("sam").get("/checkin/history")
    for words in [
      "2 March 2026: checked in", "4 March 2026: missed", "5 March 2026: paused",
      "6 March 2026: paused", "7 March 2026: sent later", "11 March 2026: not yet today",
    ] {
      #expect(page.shows(">\(words)<"), "\(words)")
    }
    #expect(page.shows(">1 March 2026<") && page.shows(">12 March 2026<"))
    #expect(page.shows("<b class=\"figure\">4</b> current streak"))
    #expect(page.shows("<b class=\"figure\">4</b> longest streak"))
    #expect(page.shows("<b class=\"figure\">6</b> total"))
    #expect(page.shows("2026: checked in on 6 of 10 days"))
    #expect(page.text.components(separatedBy: "aria-current=\"date\"").count == 2)
  }

  @Test("The ways to other months end where there is nothing more to see")
  func neighbours() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.checkIns(of: sam, on: [try day("2025-12-31")])
    let browser = try instance.signedIn("sam")
    let present = browser.get("/checkin/history")
    #expect(present.shows("href=\"/checkin/history?month=2026-02\" rel=\"prev\""))
    #expect(!present.shows("rel=\"next\"") && present.shows("?month=2025-12\">2025<"))
    let first = browser.get("/checkin/history?month=2025-12")
    #expect(first.shows("31 December 2025: checked in") && !first.shows("rel=\"prev\""))
    #expect(first.shows("month=2026-01\" rel=\"next\"") && first.shows("1 of 1 day<"))
  }

  @Test(
    "A month that is none, or that there is nothing to see of, is not there",
    arguments: [
      "", "2026", "2026-13", "2026-00", "2026-02", "2026-04", "0000-01", "9999-12", "10000-01",
      "2026-03-02", "-1-01", "%00", "2026-03%27--",
    ])
  func wrongMonths(text: String) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.checkIns(of: sam, on: [try day("2026-03-01")])
    #expect(try instance.signedIn("sam").get("/checkin/history?month=\(text)").status == 404)
  }

  @Test("Today is the day of the zone that the person lives in")
  func zone() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.checkIns(of: sam, on: [try day("2026-03-01")])
    // It is still 1 March there.
    try instance.database.write {
      try $0.execute("UPDATE users SET time_zone = 'America/New_York' WHERE id = \(sam)")
    }
    let page = try instance.signedIn("sam").get("/checkin/history")
    #expect(page.shows("1 March 2026: checked in") && !page.shows("not yet today"))
  }

  @Test("Days are visible to their owner only; guests have theirs; others sign in first")
  func others() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.couple()
    try instance.checkIns(of: sam, on: [try day("2026-03-01")])
    let ann = try instance.signedIn("ann")
    #expect(!ann.get("/checkin/history").shows("<table"))
    #expect(ann.get("/checkin/history.csv").text == "day,time,time_zone,offline\r\n")
    #expect(ann.get("/checkin/history.json").text == "[]\n")
    let guest = try instance.guest("Gia")
    try instance.checkIns(of: try instance.person("Gia"), on: [try day("2026-03-02")])
    #expect(guest.get("/checkin/history").shows("2 March 2026: checked in"))
    for path in ["", ".csv", ".json"] {
      let answer = instance.browser().get("/checkin/history\(path)")
      #expect(answer.status == 303 && answer.location?.hasPrefix("/sign-in") == true)
    }
  }

  @Test("Everything can be taken along, as files that no cache keeps")
  func files() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.checkIns(of: sam, on: try ["2024-02-29", "2026-03-01"].map(day))
    let browser = try instance.signedIn("sam")
    let csv = browser.get("/checkin/history.csv")
    #expect(csv.headers[.contentType] == "text/csv; charset=utf-8; header=present")
    #expect(
      csv.headers[.contentDisposition]
        == "attachment; filename=\"pairspot-check-ins-2026-03-02.csv\"")
    #expect(csv.headers[.cacheControl]?.contains("no-store") == true)
    #expect(
      csv.text == """
        day,time,time_zone,offline\r
        2024-02-29,08:00:00,Asia/Taipei,false\r
        2026-03-01,08:00:00,Asia/Taipei,false\r

        """)
    let json = browser.get("/checkin/history.json")
    #expect(json.headers[.contentType] == "application/json")
    let lines = try #require(
      try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [[String: Any]])
    #expect(lines.map { $0["day"] as? String } == ["2024-02-29", "2026-03-01"])
  }

  @Test("Ten years of days are shown and taken along by as many statements as one day")
  func tenYears() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    func statements(_ path: String) -> Int {
      let before = log.count
      #expect(browser.get(path).status == 200)
      return log.count - before
    }
    let paths = ["/checkin/history", "/checkin/history.csv"]
    try instance.checkIns(of: sam, on: [day("2026-03-02")])
    _ = paths.map(statements)
    let one = paths.map(statements)
    let today = try day("2026-03-02")
    try instance.checkIns(of: sam, on: (0..<3649).map { today.adding(days: $0 - 3649) })
    #expect(paths.map(statements) == one)
    let page = browser.get("/checkin/history")
    let csv = browser.get("/checkin/history.csv")
    #expect(page.shows("<b class=\"figure\">3650</b> longest streak"))
    #expect(csv.text.split(separator: "\r\n").count == 3651)
  }

  @Test("The calendar speaks the reader's language")
  func chinese() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.checkIns(of: sam, on: [try day("2026-03-01")])
    let browser = try instance.signedIn("sam")
    browser.post("/language", ["language": "zh-Hant"])
    let page = browser.get("/checkin/history")
    #expect(page.shows("2026年3月1日：已簽到") && page.shows("2026年3月</h2>"))
    #expect(page.shows("星期一"))
  }
}
