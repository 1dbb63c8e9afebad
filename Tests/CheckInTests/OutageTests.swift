import Core
import Foundation
import Testing

@testable import CheckIn

/// Handlers that send a heartbeat once a minute by the given clock.
private struct Heart {
  var known: [Outage] = []
  var last: Instant?

  mutating func beat(at now: Instant) {
    known = Outage.known(after: known, beat: now, last: last)
    last = now
  }

  /// Sends heartbeats for this number of seconds; returns the last one.
  @discardableResult
  mutating func live(from start: Instant, for seconds: Int64) -> Instant {
    for minute in 0...(seconds / 60) { beat(at: start.adding(seconds: minute * 60)) }
    return last ?? start
  }

  /// Grace period of alerts after the last heartbeat, in s.
  var held: Int64 {
    guard let now = last else { return 0 }
    return known.filter {
      $0.graceUntil > now && $0.ended <= now.adding(seconds: Outage.minimumLength)
    }.map { $0.graceUntil.seconds(since: now) }.max() ?? 0
  }
}

private let noon = at("2026-03-04", "12:00")
private let minute: Int64 = 60

@Suite("Outages and clocks, as the beats of the handlers show them")
struct OutageTests {
  @Test(
    "An outage gives back its length, and a restart nothing",
    arguments: [
      (Int64.minutes(10), Int64(0)), (.hours(2), 0), (.hours(3), .hours(3)), (.days(3), .days(3)),
      (.days(30), .days(30)), (.days(90), .days(90)), (.days(90) + 60, .hours(24)),
      // Longer absences get no more grace; they more likely mean a wrong clock.
      (.days(200), .hours(24)), (.days(9_000), .hours(24)),
    ])
  func outage(length: Int64, grace: Int64) {
    var heart = Heart()
    let end = heart.live(from: noon, for: .minutes(10))
    heart.beat(at: end.adding(seconds: length))
    #expect(heart.held == grace)
  }

  @Test("A clock that is set back later leaves an outage before it as it was")
  func outageBeforeAStepBack() {
    var heart = Heart()
    let end = heart.live(from: noon, for: .minutes(10))
    let back = end.adding(seconds: .days(3))
    heart.live(from: back, for: .hours(5))
    heart.beat(at: back.adding(seconds: .hours(2)))
    #expect(heart.held == .days(3) - .hours(2))
  }

  @Test(
    "A clock that begins years back, and then is right, holds alerts for a day at the most",
    arguments: [("1970-01-01", Int64.minutes(10)), ("2000-01-01", 0), ("2020-06-01", .days(1))],
    [Int64.minutes(20), .hours(12), .days(5)])
  func deadClock(begins: (day: String, later: Int64), away: Int64) {
    var heart = Heart()
    let stopped = heart.live(from: noon, for: .hours(1))
    let wrong = at(begins.day).adding(seconds: begins.later)
    heart.live(from: wrong, for: .minutes(10))
    heart.live(from: stopped.adding(seconds: away + 660), for: .minutes(5))
    if away < .hours(1) {
      #expect(heart.held == 0)
    } else {
      #expect(heart.held > 0 && heart.held <= .hours(24))
    }
    #expect(!heart.known.contains { $0.isStepBack })
  }

  @Test("Corrected in two steps it holds alerts no longer")
  func twoSteps() {
    var heart = Heart()
    let stopped = heart.live(from: noon, for: .hours(1))
    heart.live(from: at("2000-01-01"), for: .minutes(10))
    heart.live(from: at("2020-01-01"), for: .minutes(10))
    #expect(heart.held > 0 && heart.held <= .hours(24))
    heart.live(from: stopped.adding(seconds: .minutes(30)), for: .minutes(5))
    #expect(heart.held == 0)
  }

  @Test(
    "A first start years back holds alerts for a day at the most",
    arguments: ["1970-01-01", "2000-01-01", "2020-06-01"])
  func firstStart(day: String) {
    var heart = Heart()
    heart.live(from: at(day), for: .minutes(10))
    heart.live(from: noon, for: .minutes(1))
    #expect(heart.held > .hours(23) && heart.held <= .hours(24))
  }

  @Test(
    "A clock that ran ahead and is back holds alerts as long as it was wrong, a day at the most",
    arguments: [Int64.hours(3), .days(4), .days(365), .days(9_000)],
    [Int64.minutes(10), .hours(5), .days(2)])
  func ranAhead(by step: Int64, wrong: Int64) {
    var heart = Heart()
    let last = heart.live(from: noon, for: .hours(1))
    heart.live(from: last.adding(seconds: step + minute), for: wrong)
    heart.beat(at: last.adding(seconds: wrong + 2 * minute))
    // Never longer than the error of the clock.
    let grace = wrong < .hours(1) ? 0 : min(step, wrong, .hours(24))
    #expect(abs(heart.held - grace) <= 2 * minute)
    #expect(!heart.known.contains { $0.ended > last.adding(seconds: .days(3)) })
  }

  @Test(
    "A clock corrected soon after a real outage leaves its grace period",
    arguments: [
      Int64.minutes(2), .minutes(30), .hours(1), .hours(2), .hours(3), .hours(10), .hours(40),
    ])
  func putRightAfterOutage(step: Int64) {
    var heart = Heart()
    let last = heart.live(from: noon, for: .hours(1))
    let back = heart.live(from: last.adding(seconds: .hours(74)), for: .minutes(10))
    #expect(heart.held > .hours(73))
    heart.beat(at: back.adding(seconds: minute - step))
    #expect(heart.held >= .hours(74) - step - .minutes(15))
    #expect(heart.held <= .hours(74) + step)
  }

  @Test("A clock that is set back and stays there holds alerts for a day at the most, once")
  func setBack() {
    var heart = Heart()
    let last = heart.live(from: noon, for: .hours(1))
    let back = heart.live(from: last.adding(seconds: -.days(10)), for: .minutes(10))
    #expect(heart.held > .hours(23) && heart.held <= .hours(24))
    heart.live(from: back.adding(seconds: minute), for: .days(1))
    #expect(heart.held == 0)
    heart.live(from: back.adding(seconds: .days(1) + 2 * minute), for: .days(10))
    #expect(heart.held == 0 && heart.known.isEmpty)
  }

  @Test("A clock set back far before outages keeps at most a day of their grace")
  func setBackBehindOutages() {
    func after(_ days: Int64) -> Instant { noon.adding(seconds: .days(days)) }
    let over = Outage(from: noon, until: after(3), grace: .days(3), .outage)
    let latest = Outage(from: after(20), until: after(30), grace: .days(10), .outage)
    let known = Outage.known(
      after: [over, latest], beat: after(-10), last: after(31))
    let day = Outage(from: after(20), until: after(30), grace: .days(1), .outage)
    let back = Outage(from: after(31), until: after(-10), grace: .hours(24), .clock)
    #expect(Set(known) == [over, day, back])
  }

  @Test("A clock that was ahead and is partly corrected was no outage, and gives back a day")
  func putRightInPart() {
    let right = noon.adding(seconds: .days(10))
    let ahead = Outage(
      from: noon, until: noon.adding(seconds: .days(100)), grace: .hours(24), .clock)
    let known = Outage.known(
      after: [ahead], beat: right, last: ahead.ended.adding(seconds: .hours(1)))
    #expect(known == [Outage(from: noon, until: right, grace: .hours(24), .clock)])
  }

  @Test("The grace of a restored backup begins with the first beat, whenever that is")
  func restored() {
    for wait in [Int64.minutes(1), .days(1), .days(6)] {
      var heart = Heart()
      heart.known = [
        Outage(began: noon, ended: noon, graceUntil: .distantFuture, cause: .restore)
      ]
      heart.beat(at: noon.adding(seconds: wait))
      #expect(heart.held == .hours(24))
      heart.live(from: noon.adding(seconds: wait + minute), for: .hours(5))
      #expect(heart.held < .hours(20))
      // A clock that is ahead for a while does not end it earlier.
      let right = noon.adding(seconds: wait + .hours(6))
      heart.live(from: right.adding(seconds: .days(900)), for: .minutes(5))
      heart.live(from: right, for: .minutes(5))
      #expect(heart.held > .hours(18) && heart.held <= .hours(24))
    }
  }

  @Test("A service that is down at night holds alerts after a restore for a day of service")
  func restoredAndAwayAtNight() {
    var heart = Heart()
    heart.known = [Outage(began: noon, ended: noon, graceUntil: .distantFuture, cause: .restore)]
    var evening = heart.live(from: noon, for: .hours(11))
    for night in 1...3 {
      evening = heart.live(from: evening.adding(seconds: .hours(8)), for: .hours(16))
      #expect(heart.held == 0, "in the evening after \(night) nights")
    }
  }

  @Test("A clock that begins years back wakes no restored backup of before")
  func restoredLongAgo() {
    var heart = Heart()
    let long = noon.adding(seconds: -.days(50))
    heart.known = [Outage(from: long, until: long, grace: .hours(24), .restore)]
    let stopped = heart.live(from: noon, for: .hours(1))
    heart.live(from: at("1970-01-01"), for: .minutes(2))
    heart.live(from: stopped.adding(seconds: .minutes(5)), for: .minutes(5))
    #expect(heart.held == 0)
  }

  @Test(
    "A machine that is off at night sends alerts some day, also without a clock battery",
    arguments: [false, true], [Int64.hours(4), .hours(11)])
  func offAtNight(withoutBattery: Bool, on: Int64) throws {
    var heart = Heart()
    let due = at("2026-03-06", "09:00")
    var told: Instant?
    for morning in 0..<20 where told == nil {
      let start = at("2026-03-02", "09:00").adding(seconds: .days(Int64(morning)))
      if withoutBattery { heart.live(from: at("2000-01-01"), for: .minutes(2)) }
      for minute in 0..<(on / 60) where told == nil {
        let now = start.adding(seconds: minute * 60)
        heart.beat(at: now)
        let grace = AlertGracePeriod(outages: heart.known)
          .end(forAlertDue: due, quietSince: at("2026-03-03"), now: now)
        if max(due, grace ?? due) <= now { told = now }
      }
    }
    let found = try #require(told)
    // Twenty hours, four of them each day; thirteen, eleven of them on the first.
    let wanted = on == .hours(4) ? at("2026-03-11", "09:00") : at("2026-03-07", "11:00")
    #expect(abs(found.seconds(since: wanted)) <= .hours(1), "\(found)")
  }

  @Test("A clock that is set back into the outage of a night before makes nothing longer")
  func backIntoAnotherNight() {
    var heart = Heart()
    var evening = heart.live(from: noon, for: .hours(11))
    for _ in 1...4 {
      evening = heart.live(from: evening.adding(seconds: .hours(8)), for: .hours(16))
    }
    let later = heart.live(from: evening.adding(seconds: .hours(8)), for: .hours(5))
    let held = heart.held
    #expect(held == .hours(3))
    heart.live(from: later.adding(seconds: -.hours(81)), for: .minutes(10))
    heart.live(from: later.adding(seconds: .minutes(11)), for: .minutes(1))
    #expect(heart.held <= held && heart.held >= held - .minutes(15))
  }
}

@Suite("Future days in the monitor")
struct MonitorAheadTests {
  private func seen(_ monitor: CheckInMonitor, _ now: Instant, earlier: String? = nil)
    -> CheckInMonitor
  {
    monitor.seen(at: now) { limit in
      earlier.flatMap { day($0) <= limit ? (day($0), at($0, "08:00")) : nil }
    }
  }

  @Test(
    "A check-in counts for its day, as far as tomorrow; a later one for the day on which it is seen",
    arguments: [
      ("2026-03-04", "2026-03-04"), ("2026-03-05", "2026-03-05"), ("2026-03-06", "2026-03-04"),
      ("2029-03-04", "2026-03-04"),
    ])
  func lastDay(last: String, counts: String) {
    let known = seen(monitor(last: last), noon, earlier: "2026-03-02")
    #expect(known.countedFrom == day(counts))
    // And unchanged after its day has come.
    #expect(seen(monitor(last: last), at(last, "12:00")).countedFrom == day(last))
  }

  @Test("A user with only future days is counted from the day on which that was noticed")
  func onlyAhead() {
    let ahead = monitor(last: "2029-03-04")
    var first = seen(ahead, noon)
    #expect(first.countedFrom == day("2026-03-04"))
    #expect(first.plan(at: noon).next == at("2026-03-07", "09:00"))
    first.lastDay = ahead.lastDay
    #expect(
      seen(first, at("2026-03-07", "09:00")).plan(at: at("2026-03-07", "09:00")).steps == [.alert])
    // A clock that was years behind in between has no effect after the check-in counts.
    #expect(seen(first, at("2029-03-04", "12:00")).countedFrom == day("2029-03-04"))
  }

  @Test("Pauses and returns set in the future hold nothing back")
  func others() {
    var ahead = monitor(last: "2026-03-02")
    ahead.countsFrom = day("2029-03-01")
    ahead.pausedUntil = day("2029-04-01")
    ahead.remindedDay = day("2029-03-01")
    let known = seen(ahead, noon)
    #expect(known.countedFrom == day("2026-03-02") && known.remindedDay == nil)
    ahead.countsFrom = day("2026-03-05")
    ahead.pausedUntil = day("2026-05-03")
    #expect(seen(ahead, noon).countedFrom == day("2026-05-03"))
  }

  @Test("A check-in for tomorrow counts: after a flight west it is in the past")
  func tomorrow() {
    var ahead = monitor(last: "2026-03-02")
    ahead.countsFrom = day("2026-03-05")
    ahead.remindedDay = day("2026-03-05")
    let known = seen(ahead, noon)
    #expect(known.countsFrom == day("2026-03-05") && known.remindedDay == day("2026-03-05"))
    ahead.remindedDay = day("2026-03-03")
    #expect(seen(ahead, noon).remindedDay == day("2026-03-03"))
  }

  @Test("When a clock runs ahead once more, that counts from when it was seen this time")
  func aheadAgain() {
    var first = seen(monitor(last: "2026-04-04"), noon, earlier: "2026-03-03")
    #expect(first.aheadFrom == day("2026-03-04"))
    // The clock is right again, and days pass.
    first.lastDay = day("2026-06-10")
    var later = seen(first, at("2026-06-10", "12:00"))
    #expect(later.aheadFrom == nil)
    later.lastDay = day("2027-01-01")
    let again = seen(later, at("2026-06-12", "12:00"), earlier: "2026-06-10")
    #expect(again.countedFrom == day("2026-06-12"))
  }
}
