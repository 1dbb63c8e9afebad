import Basics
import Foundation
import Testing

@testable import CheckIn

@Suite("For how long an alert waits because of outages of ours")
struct AlertGraceTests {
  /// Times of the days that follow each other from 2026-03-01 on.
  private func march(_ day: Int, _ time: String) -> Instant {
    at("2026-03-" + (day < 10 ? "0\(day)" : "\(day)"), time)
  }

  private func outage(_ began: Instant, _ ended: Instant) -> Outage {
    Outage(from: began, until: ended, grace: ended.seconds(since: began), .outage)
  }

  private func end(_ outages: [Outage], due: Instant, now: Instant) -> Instant? {
    AlertGrace(outages: outages).end(forAlertDue: due, now: now)
  }

  @Test("What came due in an outage, or in the grace behind it, waits for as long as it was")
  func one() {
    let outages = [outage(march(3, "03:00"), march(3, "08:00"))]
    for due in [march(3, "05:00"), march(3, "08:00"), march(3, "09:00"), march(3, "12:59")] {
      for now in [march(3, "08:00"), march(3, "09:30"), march(3, "12:59")] {
        #expect(end(outages, due: due, now: now) == march(3, "13:00"))
      }
    }
    #expect(end(outages, due: march(3, "13:00"), now: march(3, "09:00")) == nil)
  }

  @Test("Without an outage nothing waits")
  func none() {
    #expect(AlertGrace.none.end(forAlertDue: noon, now: noon) == nil)
  }

  @Test(
    "On a machine that is off every night an alert goes once it was on for as long as off",
    arguments: [
      // When it is on, and when it tells of what was due on the third at nine.
      ("06:00", "22:00", 3, "14:00"), ("08:00", "20:00", 4, "08:00"),
      ("08:00", "19:00", 4, "10:00"), ("09:00", "13:00", 8, "09:00"),
    ])
  func nights(on: String, off: String, day: Int, time: String) {
    var outages: [Outage] = []
    var told: Instant?
    for today in 2...20 where told == nil {
      outages.append(outage(march(today - 1, off), march(today, on)))
      var now = march(today, on)
      while now < march(today, off), told == nil {
        let due = march(3, "09:00")
        if max(due, end(outages, due: due, now: now) ?? due) <= now { told = now }
        now = now.adding(seconds: .minutes(15))
      }
    }
    #expect(told == march(day, time))
  }

  @Test("Of two long outages with an hour between them the hour alone counts for the second")
  func two() {
    let outages = [
      outage(march(1, "08:00"), march(4, "08:00")), outage(march(4, "09:00"), march(7, "09:00")),
    ]
    #expect(
      end(outages, due: march(3, "09:00"), now: march(7, "09:00")) == march(10, "08:00"))
    // What came due in the second one only waits for all of it.
    #expect(
      end([outages[1]], due: march(5, "09:00"), now: march(7, "09:00")) == march(10, "09:00"))
  }

  @Test("What a restored backup or a clock that was set back holds is held whatever else was")
  func others() {
    let restored = Outage(
      began: march(1, "00:00"), ended: march(5, "12:00"), graceUntil: march(6, "12:00"),
      cause: .restore)
    let back = Outage(
      began: march(6, "00:00"), ended: march(5, "12:00"), graceUntil: march(6, "00:00"),
      cause: .clock)
    let night = outage(march(4, "20:00"), march(5, "08:00"))
    let now = march(5, "13:00")
    #expect(end([night, restored], due: march(4, "09:00"), now: now) == march(6, "12:00"))
    #expect(end([night, back], due: march(4, "21:00"), now: now) == march(6, "00:00"))
  }
}

private let noon = at("2026-03-04", "12:00")
