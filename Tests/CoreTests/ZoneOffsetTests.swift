import Core
import Foundation
import Testing

@Suite("Offsets of time zones")
struct ZoneOffsetTests {
  @Test(
    "An offset is the one that Foundation gives, in any order, and before and after clock changes",
    arguments: [
      "Asia/Taipei", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
      "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "Asia/Tehran",
      "Antarctica/Troll", "Europe/London", "Asia/Pyongyang", "UTC", "GMT",
    ])
  func sameAsFoundation(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    func compare(_ date: Date) {
      let offset = zone.offset(at: Instant(date: date))
      #expect(offset == Int64(zone.secondsFromGMT(for: date)), "\(date)")
    }
    // From 1890 to 2110, every 41 days, later and earlier ones in turn.
    let dates = (0..<1960).map { step in
      Date(timeIntervalSince1970: Double(-29_200 + step * 41) * 86_400 + 43_210)
    }
    for (early, late) in zip(dates, dates.reversed()) {
      compare(early)
      compare(late)
    }
    var change = zone.nextDaylightSavingTimeTransition(after: dates[0])
    for _ in 0..<300 {
      guard let moment = change else { break }
      for seconds in [-86_400.0, -1, -0.001, 0, 0.001, 1, 86_400] {
        compare(moment.addingTimeInterval(seconds))
      }
      change = zone.nextDaylightSavingTimeTransition(after: moment)
    }
  }

  @Test("A fixed offset and moments beyond all dates have an offset, too")
  func extremes() throws {
    let fixed = try #require(TimeZone(secondsFromGMT: 14 * 3600))
    for milliseconds in [Int64.min, -1, 0, 1, Int64.max] {
      #expect(fixed.offset(at: Instant(milliseconds: milliseconds)) == 14 * 3600)
      #expect(TimeZone.gmt.offset(at: Instant(milliseconds: milliseconds)) == 0)
    }
  }
}
