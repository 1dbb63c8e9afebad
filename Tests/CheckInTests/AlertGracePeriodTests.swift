import Core
import Foundation
import Testing

@testable import CheckIn

/// A user checked in on 2026-03-01 in the morning and then stopped; the contact is due an alert on
/// the fourth at nine, or at `due` of each test.
@Suite("Grace period of alerts after outages")
struct AlertGracePeriodTests {
  private let quiet = at("2026-03-02", "00:00")

  private func march(_ day: Int, _ time: String) -> Instant {
    at("2026-03-01", time).adding(seconds: .days(Int64(day - 1)))
  }

  private func outage(_ began: Instant, _ ended: Instant) -> Outage {
    Outage(from: began, until: ended, grace: ended.seconds(since: began), .outage)
  }

  private func end(
    _ outages: [Outage], due: Instant, now: Instant, quietSince: Instant? = nil
  ) -> Instant? {
    AlertGracePeriod(outages: outages)
      .end(forAlertDue: due, quietSince: quietSince ?? quiet, now: now)
  }

  /// Time of the alert if checked every quarter of an hour within the given hours.
  private func told(
    due: Instant, _ outages: (Instant) -> [Outage], whileOn moments: [Range<Instant>]
  ) -> Instant? {
    for on in moments {
      var now = on.lowerBound
      while now < on.upperBound {
        if max(due, end(outages(now), due: due, now: now) ?? due) <= now { return now }
        now = now.adding(seconds: .minutes(15))
      }
    }
    return nil
  }

  @Test("Alerts due in an outage, or in its grace period, wait for the length of the outage")
  func one() {
    for length in [Int64.hours(3), .hours(13), .days(3), .days(20)] {
      let only = outage(march(4, "08:00").adding(seconds: -length), march(4, "08:00"))
      for share in stride(from: Int64(0), to: 100, by: 7) {
        let inIt = only.began.adding(seconds: length * share / 100)
        let inGrace = only.ended.adding(seconds: length * share / 100)
        for due in [inIt, only.ended, inGrace] {
          for quietSince in [quiet, due.adding(seconds: -.days(2))] {
            #expect(end([only], due: due, now: inGrace, quietSince: quietSince) == only.graceUntil)
          }
        }
      }
      #expect(end([only], due: only.graceUntil, now: only.ended) == nil)
    }
  }

  @Test("As much as is configured is given back at the most")
  func configured() {
    var only = outage(march(3, "08:00"), march(4, "08:00"))
    only.graceUntil = march(4, "10:00")
    #expect(end([only], due: march(4, "09:00"), now: march(4, "08:30")) == march(4, "10:00"))
  }

  @Test("Without an outage nothing waits")
  func none() {
    let noon = march(4, "12:00")
    #expect(AlertGracePeriod.none.end(forAlertDue: noon, quietSince: quiet, now: noon) == nil)
  }

  @Test(
    "On a machine that is off every night an alert goes once it was on for as long as off",
    arguments: [
      // The hours of service, and the time of the alert that was due on the fourth at nine.
      ("06:00", "22:00", 4, "14:00"), ("08:00", "20:00", 5, "08:00"),
      ("08:00", "19:00", 5, "10:00"), ("09:00", "13:00", 9, "09:00"),
    ])
  func nights(on: String, off: String, day: Int, time: String) {
    let nights = (2...30).map { outage(march($0 - 1, off), march($0, on)) }
    let found = told(
      due: march(4, "09:00"), { now in nights.filter { $0.ended <= now } },
      whileOn: (2...30).map { march($0, on)..<march($0, off) })
    #expect(found == march(day, time))
  }

  @Test("A long outage and nights behind it hold no longer than the long one")
  func longAndNights() {
    let long = outage(march(-10, "08:00"), march(4, "08:00"))
    let nights = (5...40).map { outage(march($0 - 1, "19:00"), march($0, "08:00")) }
    let found = told(
      due: march(5, "09:00"), { now in [long] + nights.filter { $0.ended <= now } },
      whileOn: (4...40).map { march($0, "08:00")..<march($0, "19:00") })
    #expect(found == march(18, "08:00"))
  }

  @Test("Of two long outages with an hour between them the hour alone counts for the second")
  func two() {
    let outages = [
      outage(march(1, "08:00"), march(4, "08:00")), outage(march(4, "09:00"), march(7, "09:00")),
    ]
    #expect(end(outages, due: march(3, "09:00"), now: march(7, "09:00")) == march(10, "08:00"))
    // An alert that became due in the second outage waits for that one only.
    #expect(
      end([outages[1]], due: march(5, "09:00"), now: march(7, "09:00")) == march(10, "09:00"))
  }

  @Test("Hours of service before the last check-in count for nothing")
  func tapsBetween() {
    let outages = [
      outage(march(-9, "08:00"), march(1, "08:00")), outage(march(9, "12:00"), march(17, "12:00")),
    ]
    let (due, quietSince) = (march(10, "09:00"), march(8, "12:00"))
    #expect(
      end(outages, due: due, now: march(17, "12:00"), quietSince: quietSince)
        == march(24, "12:00"))
  }

  @Test("A hold by a restored backup or a clock set back applies in any case")
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

  @Test("Times before a restored backup count for nothing")
  func restored() {
    // A night of backup eleven days ago; then it was up again, and down for five days.
    let outages = [
      outage(march(3, "20:00"), march(4, "08:00")),
      Outage(
        began: march(4, "10:00"), ended: march(15, "12:00"), graceUntil: march(15, "13:00"),
        cause: .restore),
      outage(march(15, "13:00"), march(20, "13:00")),
    ]
    #expect(
      end(outages, due: march(4, "09:00"), now: march(20, "13:00")) == march(25, "12:00"))
  }
}
