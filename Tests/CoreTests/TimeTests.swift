import Core
import Foundation
import Testing

@Suite struct TimeTests {
  @Test("Days count as the calendar does, through leap years and centuries")
  func calendar() throws {
    var day = try #require(LocalDay("1899-12-30"))
    for _ in 0..<60_000 {
      let parts = day.components
      #expect(LocalDay(day.description) == day)
      let next = day.adding(days: 1).components
      #expect((next.year, next.month, next.day) > (parts.year, parts.month, parts.day))
      day = day.adding(days: 1)
    }
    #expect(LocalDay("2000-02-29")?.number == 11016)
    #expect(LocalDay("1970-01-01")?.number == 0)
  }

  @Test(
    "An invalid day is refused",
    arguments: [
      "2023-02-29", "2023-13-01", "2023-00-10", "23-01-01", "2023-1-1", "", "2023-01-01 ",
    ])
  func noDay(text: String) {
    #expect(LocalDay(text) == nil)
  }

  @Test("A local day is the day on the wall, on both sides of midnight and of a clock change")
  func localDay() throws {
    let taipei = try #require(TimeZone(identifier: "Asia/Taipei"))
    let newYork = try #require(TimeZone(identifier: "America/New_York"))
    let instant = try #require(Instant(rfc3339: "2026-01-13T16:00:00Z"))
    #expect(LocalDay(instant, in: taipei).description == "2026-01-14")
    #expect(LocalDay(instant.adding(seconds: -1), in: taipei).description == "2026-01-13")
    let spring = try #require(Instant(rfc3339: "2026-03-08T06:59:59Z"))
    #expect(LocalDay(spring, in: newYork).description == "2026-03-08")
    let before = try #require(Instant(rfc3339: "1969-12-31T23:59:59Z"))
    #expect(LocalDay(before, in: .gmt).number == -1)
  }

  @Test("The minute of the day is the clock's, also on the day of a clock change")
  func minuteOfDay() throws {
    let newYork = try #require(TimeZone(identifier: "America/New_York"))
    let spring = try #require(Instant(rfc3339: "2026-03-08T12:30:00Z"))
    #expect(spring.minuteOfDay(in: newYork) == 8 * 60 + 30)
    let before = try #require(Instant(rfc3339: "1969-12-31T23:59:59Z"))
    #expect(before.minuteOfDay(in: .gmt) == 1439)
  }

  @Test("An instant is read and written as RFC 3339")
  func rfc3339() throws {
    let instant = try #require(Instant(rfc3339: "2026-01-13T01:05:00Z"))
    #expect(instant.milliseconds == 1_768_266_300_000)
    #expect(instant.rfc3339 == "2026-01-13T01:05:00Z")
    #expect(Instant(rfc3339: "yesterday") == nil)
  }
}
