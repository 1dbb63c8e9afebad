import Foundation
import Testing

@testable import Core

@Suite("The time zone of a person")
struct PersonTimeZoneTests {
  @Test(
    "A name that a browser may give is read",
    arguments: [
      "Asia/Taipei", "Europe/Kyiv", "Europe/Kiev", "America/Argentina/Buenos_Aires", "UTC",
      "Etc/UTC", "GMT", "Etc/GMT+3", "Etc/GMT-14", "US/Pacific", "Asia/Calcutta",
      "America/Port-au-Prince", "Antarctica/DumontDUrville",
    ])
  func names(name: String) {
    #expect(TimeZone(named: name) != nil)
  }

  @Test(
    "An unknown name is refused",
    arguments: [
      "", "Asia/Taipei\0", "Asia/Taipei\0x", "\0", "Mars/Base", "asia/taipei", "GMT+8",
      "+08:00", "../../etc/passwd", "/etc/localtime", "Asia/Taipei ", " UTC", "Asia/台北", "Local",
      "Asia/" + String(repeating: "x", count: 60), String(repeating: "a", count: 1_000_000),
      String(repeating: "\u{FE0F}", count: 100_000),
    ])
  func noNames(name: String) {
    #expect(TimeZone(named: name) == nil)
  }

  @Test(
    "The user's choice precedes the browser's zone, and that the site's default",
    arguments: [
      ("Europe/Berlin", true, "Asia/Tokyo", "Europe/Berlin", .chosen),
      ("Europe/Berlin", false, "Asia/Tokyo", "Europe/Berlin", .reported),
      (nil, false, "Asia/Tokyo", "Asia/Tokyo", .reported),
      (nil, false, nil, "Asia/Taipei", .site),
      ("Mars/Base", true, "Asia/Tokyo", "Asia/Tokyo", .reported),
      ("Mars/Base", true, "Asia/Tokyo\0", "Asia/Taipei", .site),
    ] as [(String?, Bool, String?, String, PersonTimeZone.Source)])
  func rule(
    kept: String?, isChosen: Bool, browser: String?, name: String, source: PersonTimeZone.Source
  ) {
    let zone = PersonTimeZone(
      kept: kept.map { AccountTimeZone(name: $0, isChosen: isChosen) }, browser: browser,
      site: "Asia/Taipei")
    #expect(zone.name == name && zone.source == source && zone.zone.identifier == name)
  }

  @Test("Without any name that there is, it is UTC")
  func none() {
    let zone = PersonTimeZone(kept: nil, browser: "x", site: "y")
    #expect(zone.name == "UTC" && zone.zone.secondsFromGMT() == 0 && zone.source == .site)
  }

  @Test(
    "A traveller is asked where clocks show another time, unless they stay there with theirs",
    arguments: [
      ("Asia/Taipei", nil, "Europe/Berlin", true), ("Asia/Taipei", nil, "Asia/Shanghai", false),
      ("Asia/Taipei", "Europe/Berlin", "Europe/Berlin", false),
      ("Asia/Taipei", "Europe/Berlin", "Asia/Tokyo", true), ("Asia/Taipei", nil, nil, false),
      ("Asia/Taipei", nil, "Mars/Base", false), (nil, nil, "Europe/Berlin", false),
      ("Asia/Calcutta", nil, "Asia/Kolkata", false),
    ] as [(String?, String?, String?, Bool)])
  func travelling(kept: String?, declined: String?, browser: String?, asks: Bool) {
    let kept = kept.map { AccountTimeZone(name: $0, declined: declined) }
    let moment = Instant(milliseconds: 1_772_409_600_000)
    #expect(PersonTimeZone.asksToMove(from: kept, to: browser, at: moment) == asks)
  }
}
