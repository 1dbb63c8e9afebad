import Core
import Foundation
import Testing

@testable import CheckIn

@Suite("The history shows the state of each day")
struct HistoryTests {
  private func month(_ text: String) -> Month { Month(day("\(text)-01")) }

  /// Today is 2026-11-21; first check-in on 2 November, 5–7 paused, 8 missed, 14 sent later.
  private func days() -> HistoryDays {
    let today = day("2026-11-21")
    let first = day("2026-11-02")
    let checkIns = (first.number...today.number - 1).map { LocalDay(number: $0) }
      .filter { !(5...8).contains($0.components.day) }
      .map { day in
        CheckIn(
          day: day, tappedAt: day.instant(minute: 521, in: zone("Asia/Taipei")),
          timeZone: "Asia/Taipei", isOffline: day.components.day == 14)
      }
    let pause = day("2026-11-05")...day("2026-11-07")
    return HistoryDays(checkIns, pauses: [pause], first: first, today: today)
  }

  // MARK: Days

  @Test(
    "Each day has its state",
    arguments: [
      ("2026-11-01", HistoryDays.State.before), ("2026-11-02", .checkedIn),
      ("2026-11-05", .paused), ("2026-11-07", .paused), ("2026-11-08", .missed),
      ("2026-11-14", .sentLater), ("2026-11-20", .checkedIn), ("2026-11-21", .open),
      ("2026-11-22", .future), ("2026-12-01", .future),
    ])
  func states(text: String, state: HistoryDays.State) throws {
    #expect(days().state(of: day(text)) == state)
  }

  @Test("A check-in on a paused day is a check-in; a pause that is to come is shown already")
  func pauses() throws {
    let today = day("2026-11-21")
    let checkIn = CheckIn(
      day: today, tappedAt: Instant(milliseconds: 0), timeZone: "GMT", isOffline: false)
    let days = HistoryDays(
      [checkIn], pauses: [today...today.adding(days: 2)], first: today, today: today)
    #expect(days.state(of: today) == .checkedIn)
    #expect(days.state(of: today.adding(days: 2)) == .paused)
    #expect(days.state(of: today.adding(days: 3)) == .future)
  }

  @Test("Without a check-in nothing was missed")
  func nothing() throws {
    let today = day("2026-11-21")
    let days = HistoryDays([], pauses: [], first: nil, today: today)
    #expect(days.state(of: today.adding(days: -1)) == .before)
    #expect(days.months == Month(today)...Month(today))
  }

  // MARK: Months

  @Test(
    "A month is read from its year and number, and from nothing else",
    arguments: [
      "", "2026", "2026-13", "2026-00", "2026-1", "2026-011", "2026-11-01", "26-11", "２０２６-11",
      "2026/11", " 2026-11", "2026-11 ", "-026-11", "abcd-ef",
    ])
  func noMonth(text: String) {
    #expect(Month(text) == nil)
  }

  @Test("Months follow each other over the ends of years and short Februaries")
  func following() throws {
    let january = month("2027-01")
    #expect(january.previous.description == "2026-12" && january.next.description == "2027-02")
    #expect(january.next.next.description == "2027-03" && january.last.description == "2027-01-31")
    #expect(month("2028-02").last.description == "2028-02-29")
    let year = january.daysOfYear
    #expect(year.lowerBound.description == "2027-01-01")
    #expect(year.upperBound.description == "2027-12-31")
  }

  @Test("Weeks begin on Monday, and hold the days of their month alone")
  func weeks() throws {
    let days = days()
    let calendar = try #require(MonthCalendar(month("2026-11"), of: days))
    #expect(calendar.weeks.count == 6 && calendar.weeks.allSatisfy { $0.count == 7 })
    #expect(calendar.weeks[0].compactMap { $0?.day.components.day } == [1])
    #expect(calendar.weeks[0][6] != nil)
    #expect(calendar.weeks[5].compactMap { $0?.day.components.day } == [30])
    #expect(calendar.weeks.joined().compactMap { $0 }.count == 30)
    #expect(calendar.weeks.joined().compactMap { $0 }.filter(\.isToday).map(\.state) == [.open])
  }

  @Test("Four full weeks are four rows")
  func fourWeeks() throws {
    // February 2027 begins on a Monday.
    let today = day("2027-02-10")
    let days = HistoryDays([], pauses: [], first: today, today: today)
    let calendar = try #require(MonthCalendar(Month(today), of: days))
    #expect(calendar.weeks.count == 4)
  }

  @Test("One can go from the first check-in's month to the present one, and no further")
  func bounds() throws {
    let today = day("2026-11-21")
    let days = HistoryDays([], pauses: [], first: day("2026-09-30"), today: today)
    func calendar(_ text: String) -> MonthCalendar? { MonthCalendar(month(text), of: days) }
    #expect(calendar("2026-08") == nil)
    #expect(calendar("2026-12") == nil)
    let first = try #require(calendar("2026-09"))
    #expect(first.earlier == nil && first.later?.description == "2026-10")
    let present = try #require(calendar("2026-11"))
    #expect(present.earlier?.description == "2026-10" && present.later == nil)
  }

  @Test("A flight west on New Year's Eve may leave a check-in in a future month")
  func ahead() throws {
    let today = day("2026-12-31")
    let first = day("2027-01-01")
    let days = HistoryDays([], pauses: [], first: first, today: today)
    #expect(MonthCalendar(Month(today), of: days) != nil)
    #expect(MonthCalendar(Month(first), of: days) == nil)
  }

  // MARK: The year

  @Test("The year counts from the first check-in to today, and sums its months")
  func year() throws {
    let days = days()
    let map = YearMap(around: Month(days.today), of: days)
    #expect(map.daysInAll == 20 && map.daysDone == 15)
    #expect(map.done.count == 15 && map.missed.count == 1 && map.paused.count == 3)
    let november = YearMap.MonthSum(
      month: Month(days.today), checkedIn: 15, missed: 1, paused: 3)
    #expect(map.months == [november])
    #expect(map.columns == 47)
  }

  @Test("A day is in the column of its week and the row of its weekday")
  func cells() throws {
    let days = days()
    let map = YearMap(around: Month(days.today), of: days)
    // 1 January 2026 is a Thursday; Sunday 8 November ends the 45th week.
    #expect(map.column(of: day("2026-01-01")) == 0)
    #expect(map.column(of: day("2026-01-05")) == 1)
    #expect(map.missed == [.init(column: 44, row: 6)])
  }

  @Test("A leap year that was checked in whole has 366 days of 366")
  func wholeYear() throws {
    let first = day("2028-01-01")
    let checkIns = (0..<366).map {
      CheckIn(
        day: first.adding(days: $0), tappedAt: Instant(milliseconds: 0), timeZone: "GMT",
        isOffline: false)
    }
    let days = HistoryDays(
      checkIns, pauses: [], first: first, today: day("2029-06-01"))
    let map = YearMap(around: month("2028-05"), of: days)
    #expect(map.daysDone == 366 && map.daysInAll == 366 && map.months.count == 12)
    #expect(map.columns == 53 && map.missed.isEmpty)
  }

  @Test("In January the map is not blown up")
  func january() throws {
    let today = day("2027-01-02")
    let days = HistoryDays([], pauses: [], first: today, today: today)
    let map = YearMap(around: Month(today), of: days)
    #expect(map.columns == YearMap.minimumColumns && map.daysInAll == 1 && map.daysDone == 0)
  }

  // MARK: Files

  private func checkIn(
    _ moment: String, _ name: String, isOffline: Bool = false
  ) throws -> CheckIn {
    let instant = try #require(Instant(rfc3339: moment))
    return CheckIn(
      day: LocalDay(instant, in: zone(name)), tappedAt: instant, timeZone: name,
      isOffline: isOffline)
  }

  @Test("The CSV has a header, a line a check-in, and times as clocks there showed them")
  func csv() throws {
    let file = HistoryExport.csv([
      try checkIn("2026-11-20T00:41:10Z", "Asia/Taipei"),
      try checkIn("2026-11-21T04:05:06Z", "America/Argentina/Buenos_Aires", isOffline: true),
    ])
    #expect(
      String(decoding: file, as: UTF8.self) == """
        day,time,time_zone,offline\r
        2026-11-20,08:41:10,Asia/Taipei,false\r
        2026-11-21,01:05:06,America/Argentina/Buenos_Aires,true\r

        """)
    #expect(HistoryExport.csv([]) == Array("day,time,time_zone,offline\r\n".utf8))
  }

  @Test("The JSON is an array of the same, which Foundation reads")
  func json() throws {
    struct Line: Decodable, Equatable {
      let day: String
      let time: String
      let timeZone: String
      let offline: Bool
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let bytes = HistoryExport.json([
      try checkIn("2026-11-20T00:41:10Z", "Asia/Taipei"),
      try checkIn("2026-11-20T23:59:59Z", "Asia/Kathmandu", isOffline: true),
    ])
    let read = try decoder.decode([Line].self, from: Data(bytes))
    #expect(
      read == [
        Line(day: "2026-11-20", time: "08:41:10", timeZone: "Asia/Taipei", offline: false),
        Line(day: "2026-11-21", time: "05:44:59", timeZone: "Asia/Kathmandu", offline: true),
      ])
    #expect(try decoder.decode([Line].self, from: Data(HistoryExport.json([]))).isEmpty)
  }

  @Test(
    "No field is taken for a formula, and none breaks out of its place",
    arguments: [
      ("Asia/Taipei", "Asia/Taipei"), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"),
      ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""),
      ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\r\nb", "\"a\r\nb\""),
      ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""), ("", ""),
    ])
  func fields(text: String, field: String) {
    #expect(HistoryExport.field(text) == field)
  }
}
