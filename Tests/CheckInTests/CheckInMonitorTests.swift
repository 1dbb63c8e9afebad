import Core
import Foundation
import Testing

@testable import CheckIn

/// A date, and below a local time in a zone, from text.
func day(_ text: String) -> LocalDay { LocalDay(text)! }
func zone(_ name: String) -> TimeZone { TimeZone(identifier: name)! }
func at(_ text: String, _ time: String = "00:00", in name: String = "Asia/Taipei") -> Instant {
  let parts = time.split(separator: ":").compactMap { Int($0) }
  return day(text).instant(minute: parts[0] * 60 + parts[1], in: zone(name))
}

/// A user with a contact, last checked in on a day at 08:00.
func monitor(last: String, in name: String = "Asia/Taipei") -> CheckInMonitor {
  var monitor = CheckInMonitor(zone: zone(name))
  monitor.lastDay = day(last)
  monitor.lastTap = at(last, "08:00", in: name)
  monitor.hasContact = true
  return monitor
}

@Suite("Missed days and the moment of an alert")
struct CheckInMonitorTests {
  @Test(
    "The table of docs/developer/check-in.md",
    arguments: [
      ("2026-01-11", 0, false), ("2026-01-12", 1, false), ("2026-01-13", 2, true),
      ("2026-01-14", 3, true),
    ])
  func table(today: String, missed: Int, alert: Bool) {
    let monitor = monitor(last: "2026-01-10")
    #expect(monitor.missedDays(at(today, "12:00")) == missed)
    #expect(monitor.plan(at: at(today, "12:00")).steps.contains(.alert) == alert)
  }

  @Test("On the fourth day no one is alerted again; if no one was alerted yet, they are")
  func fourthDay() {
    var monitor = monitor(last: "2026-01-10")
    let fourth = at("2026-01-14", "12:00")
    #expect(monitor.plan(at: fourth).steps == [.alert])
    monitor.alertedAt = at("2026-01-13", "09:00")
    #expect(monitor.plan(at: fourth) == DueActions())
  }

  @Test("The third day is not over the line before the alert time")
  func alertTime() {
    let monitor = monitor(last: "2026-01-10")
    let nine = at("2026-01-13", "09:00")
    #expect(monitor.plan(at: nine.adding(seconds: -1)).steps.isEmpty)
    #expect(monitor.plan(at: nine.adding(seconds: -1)).next == nine)
    #expect(monitor.plan(at: nine).steps == [.alert])
  }

  @Test("Each threshold counts its own days", arguments: 2...7)
  func threshold(days: Int) {
    var monitor = monitor(last: "2026-01-10")
    monitor.threshold = days
    let due = day("2026-01-10").adding(days: days + 1).instant(minute: 540, in: monitor.zone)
    #expect(monitor.alertMoment() == due)
    #expect(monitor.missedDays(due) == days)
    #expect(monitor.plan(at: due.adding(seconds: -1)).steps.isEmpty)
    #expect(monitor.plan(at: due).steps == [.alert])
  }

  @Test("A user who never checked in is not monitored")
  func never() {
    var monitor = CheckInMonitor(zone: zone("Asia/Taipei"))
    monitor.hasContact = true
    monitor.countsFrom = day("2026-01-01")
    #expect(monitor.plan(at: at("2026-03-01")) == DueActions())
    #expect(monitor.missedDays(at("2026-03-01")) == 0)
  }

  @Test("Without a contact the alert stays due until there is one")
  func nobodyToTell() {
    var monitor = monitor(last: "2026-01-10")
    monitor.hasContact = false
    #expect(monitor.plan(at: at("2026-01-20", "12:00")) == DueActions())
    monitor.hasContact = true
    #expect(monitor.plan(at: at("2026-01-20", "12:00")).steps == [.alert])
  }

  @Test("Days before the first contact and before a return are not counted")
  func countsFrom() {
    var monitor = monitor(last: "2026-01-10")
    monitor.countsFrom = day("2026-01-20")
    #expect(monitor.missedDays(at("2026-01-20", "12:00")) == 0)
    #expect(monitor.alertMoment() == at("2026-01-23", "09:00"))
  }

  @Test("A pause holds for its last day too, and days count from its end")
  func pause() {
    var monitor = monitor(last: "2026-01-10")
    monitor.pausedUntil = day("2026-01-20")
    #expect(monitor.isPaused(at("2026-01-20", "23:59")))
    #expect(!monitor.isPaused(at("2026-01-21")))
    #expect(monitor.plan(at: at("2026-01-20", "12:00")).steps.isEmpty)
    #expect(monitor.alertMoment() == at("2026-01-23", "09:00"))
  }

  @Test("After an alert, the end of a later pause begins a new silence")
  func pauseAfterAlert() {
    var monitor = monitor(last: "2026-01-10")
    monitor.alertedAt = at("2026-01-13", "09:00")
    monitor.pausedUntil = day("2026-01-20")
    #expect(monitor.plan(at: at("2026-01-23", "09:00")).steps == [.alert])
    monitor.alertedAt = at("2026-01-23", "09:00")
    #expect(monitor.plan(at: at("2026-01-24", "09:00")).steps.isEmpty)
  }

  @Test("No alert within 48 real hours of a check-in, in any zones")
  func fortyEightHours() {
    // Checked in in Honolulu on the 10th at 23:00, then in Kiritimati, a day ahead at once.
    var monitor = monitor(last: "2026-01-10", in: "Pacific/Honolulu")
    monitor.lastTap = at("2026-01-10", "23:00", in: "Pacific/Honolulu")
    monitor.zone = zone("Pacific/Kiritimati")
    monitor.alertMinute = 0
    let plain = at("2026-01-13", "00:00", in: "Pacific/Kiritimati")
    #expect(plain < monitor.lastTap!.adding(seconds: .hours(48)))
    #expect(monitor.alertMoment() == monitor.lastTap!.adding(seconds: .hours(48)))
  }

  @Test("From Taipei to Los Angeles and back: no day is lost and none alerts early")
  func flight() {
    var monitor = monitor(last: "2026-01-10")
    // In Los Angeles it is still the 10th after landing.
    monitor.zone = zone("America/Los_Angeles")
    #expect(monitor.missedDays(at("2026-01-11", "06:00")) == 0)
    #expect(monitor.alertMoment() == at("2026-01-13", "09:00", in: "America/Los_Angeles"))
    // Back in Taipei, the days are those of Taipei.
    monitor.zone = zone("Asia/Taipei")
    #expect(monitor.alertMoment() == at("2026-01-13", "09:00"))
  }

  @Test("A check-in counts on its day, and not on the next")
  func checkedIn() {
    #expect(monitor(last: "2026-01-10").hasCheckedIn(at("2026-01-10", "23:59")))
    #expect(!monitor(last: "2026-01-10").hasCheckedIn(at("2026-01-11", "00:00")))
  }

  @Test("Negative missed days are none")
  func ahead() {
    let monitor = monitor(last: "2026-01-10")
    #expect(monitor.missedDays(at("2026-01-08", "12:00")) == 0)
    #expect(monitor.plan(at: at("2026-01-08", "12:00")).steps.isEmpty)
  }

  @Test("A clock that is set back alerts no one twice")
  func clockBack() {
    var monitor = monitor(last: "2026-01-10")
    monitor.alertedAt = at("2026-01-13", "09:00")
    #expect(monitor.plan(at: at("2026-01-12", "09:00")).steps.isEmpty)
    #expect(monitor.plan(at: at("2026-01-13", "09:00")).steps.isEmpty)
  }

  @Test("A late offline tap from before the alert does not make a second one")
  func lateTap() {
    var monitor = monitor(last: "2026-01-11")
    monitor.alertedAt = at("2026-01-13", "09:00")
    #expect(monitor.plan(at: at("2026-01-15", "12:00")).steps.isEmpty)
  }

  @Test("A tap after the alert begins a new silence in a zone further east too")
  func newSilenceInTheEast() {
    // Checked in on the evening of the 13th in Honolulu, where the alert was in the morning. In
    // Kiritimati, the destination, both were on the 14th.
    var monitor = monitor(last: "2026-01-13", in: "Pacific/Honolulu")
    monitor.lastTap = at("2026-01-13", "20:00", in: "Pacific/Honolulu")
    monitor.alertedAt = at("2026-01-13", "09:00", in: "Pacific/Honolulu")
    monitor.zone = zone("Pacific/Kiritimati")
    #expect(!monitor.isAlerted)
    let due = monitor.lastTap!.adding(seconds: .hours(48))
    #expect(monitor.plan(at: due.adding(seconds: -1)).steps.isEmpty)
    #expect(monitor.plan(at: due).steps == [.alert])
  }

  @Test("A tap after the alert begins a new silence")
  func newSilence() {
    var monitor = monitor(last: "2026-01-13")
    monitor.lastTap = at("2026-01-13", "10:00")
    monitor.alertedAt = at("2026-01-13", "09:00")
    #expect(monitor.plan(at: at("2026-01-16", "08:59")).steps.isEmpty)
    #expect(monitor.plan(at: at("2026-01-16", "09:00")).steps == [.alert])
  }
}

@Suite("Times of the day when the clocks change")
struct LocalTimeTests {
  @Test("A time in the gap is the next existing minute")
  func gap() {
    // Berlin, 29 March 2026: 02:00 becomes 03:00.
    #expect(
      at("2026-03-29", "02:30", in: "Europe/Berlin") == Instant(rfc3339: "2026-03-29T01:00:00Z"))
    #expect(
      at("2026-03-29", "03:00", in: "Europe/Berlin") == Instant(rfc3339: "2026-03-29T01:00:00Z"))
    #expect(
      at("2026-03-29", "01:45", in: "Europe/Berlin") == Instant(rfc3339: "2026-03-29T00:45:00Z"))
  }

  @Test("Of a time that comes twice it is the first")
  func twice() {
    // Berlin, 25 October 2026: 03:00 becomes 02:00.
    #expect(
      at("2026-10-25", "02:30", in: "Europe/Berlin") == Instant(rfc3339: "2026-10-25T00:30:00Z"))
    #expect(
      at("2026-10-25", "03:00", in: "Europe/Berlin") == Instant(rfc3339: "2026-10-25T02:00:00Z"))
  }

  @Test("A zone that changes at midnight has a first minute all the same")
  func midnight() {
    // Beirut, 29 March 2026: 00:00 becomes 01:00.
    #expect(
      day("2026-03-29").start(in: zone("Asia/Beirut")) == Instant(rfc3339: "2026-03-28T22:00:00Z"))
  }

  @Test("A whole day that a country left out is the minute after it")
  func samoa() {
    #expect(
      at("2011-12-30", "09:00", in: "Pacific/Apia") == Instant(rfc3339: "2011-12-30T10:00:00Z"))
    #expect(
      at("2011-12-31", "09:00", in: "Pacific/Apia") == Instant(rfc3339: "2011-12-30T19:00:00Z"))
  }

  @Test("Every quarter hour of a year reads back as itself, or as the minute after a gap")
  func roundTrip() {
    for name in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Taipei"] {
      let zone = zone(name)
      for offset in 0..<365 {
        let day = day("2026-01-01").adding(days: offset)
        for minute in stride(from: 0, to: 1440, by: 15) {
          let moment = day.instant(minute: minute, in: zone)
          let local =
            moment.milliseconds / 60_000 + Int64(zone.secondsFromGMT(for: moment.date)) / 60
          let wall = Int64(day.number) * 1440 + Int64(minute)
          #expect(local == wall || (local > wall && local - wall <= 60), "\(name) \(day) \(minute)")
        }
      }
    }
  }

  @Test("An alert on the days of both changes of clocks is at nine by the wall")
  func alertAcrossChanges() {
    var monitor = monitor(last: "2026-03-27", in: "Europe/Berlin")
    #expect(monitor.alertMoment() == Instant(rfc3339: "2026-03-30T07:00:00Z"))
    monitor = CheckInTests.monitor(last: "2026-10-23", in: "Europe/Berlin")
    #expect(monitor.alertMoment() == Instant(rfc3339: "2026-10-26T08:00:00Z"))
    // 02:30 does not exist on 29 March, and comes twice on 25 October.
    monitor = CheckInTests.monitor(last: "2026-03-26", in: "Europe/Berlin")
    monitor.alertMinute = 150
    #expect(monitor.alertMoment() == Instant(rfc3339: "2026-03-29T01:00:00Z"))
    monitor = CheckInTests.monitor(last: "2026-10-22", in: "Europe/Berlin")
    monitor.alertMinute = 150
    #expect(monitor.alertMoment() == Instant(rfc3339: "2026-10-25T00:30:00Z"))
  }
}

@Suite("Reminders and warnings")
struct ReminderTests {
  /// A member with reminders.
  private func member() -> CheckInMonitor {
    var monitor = monitor(last: "2026-01-10")
    monitor.canBeReminded = true
    return monitor
  }

  @Test("The evening before and the hour before, each once")
  func warnings() {
    var monitor = member()
    let evening = at("2026-01-12", "20:00")
    #expect(monitor.plan(at: at("2026-01-11")).next == evening)
    #expect(monitor.plan(at: evening).steps == [.warnInTheEvening])
    monitor.eveningFor = monitor.countedFrom
    #expect(monitor.plan(at: evening).steps.isEmpty)
    #expect(monitor.plan(at: evening).next == at("2026-01-13", "08:00"))
    #expect(monitor.plan(at: at("2026-01-13", "08:00")).steps == [.warnAnHourBefore])
    monitor.hourFor = monitor.countedFrom
    #expect(monitor.plan(at: at("2026-01-13", "08:00")).next == at("2026-01-13", "09:00"))
  }

  @Test("A worker that slept past the evening sends the warning that still helps")
  func late() {
    #expect(member().plan(at: at("2026-01-13", "08:15")).steps == [.warnAnHourBefore])
    #expect(member().plan(at: at("2026-01-13", "09:15")).steps == [.alert])
  }

  @Test("A guest has no mail: no warning, but the contacts are alerted")
  func guest() {
    var monitor = member()
    monitor.canBeReminded = false
    monitor.reminderMinute = 600
    #expect(monitor.plan(at: at("2026-01-12", "21:00")).steps.isEmpty)
    #expect(monitor.plan(at: at("2026-01-12", "21:00")).next == at("2026-01-13", "09:00"))
  }

  @Test("The daily word comes at its hour, once a day, and not when there was a tap")
  func daily() {
    var monitor = member()
    monitor.reminderMinute = 18 * 60
    #expect(monitor.plan(at: at("2026-01-10", "19:00")).next == at("2026-01-11", "18:00"))
    #expect(monitor.plan(at: at("2026-01-11", "18:00")).steps == [.remind])
    #expect(monitor.plan(at: at("2026-01-11", "18:00")).next == at("2026-01-12", "18:00"))
    monitor.remindedDay = day("2026-01-11")
    #expect(monitor.plan(at: at("2026-01-11", "18:01")).steps.isEmpty)
    #expect(monitor.plan(at: at("2026-01-11", "18:01")).next == at("2026-01-12", "18:00"))
  }

  @Test("A warning takes the place of the daily word of that hour, and of no later one")
  func skipped() {
    var monitor = member()
    monitor.reminderMinute = 18 * 60
    monitor.skipDueReminder(at: at("2026-01-12", "17:59"))
    #expect(monitor.remindedDay == nil)
    monitor.skipDueReminder(at: at("2026-01-12", "18:00"))
    #expect(monitor.remindedDay == day("2026-01-12"))
  }

  @Test("An hour before an alert one warning comes, not the evening's as well")
  func together() {
    let now = at("2026-01-13", "08:00")
    #expect(member().plan(at: now).steps == [.warnAnHourBefore])
    #expect(member().plan(at: now.adding(seconds: -1)).steps == [.warnInTheEvening])
  }

  @Test(
    "The daily word waits for its hour, however long ago the last one or the last pause was",
    arguments: ["2026-01-10", "2026-01-11", "2026-01-12", nil])
  func dailyAfter(before: String?) {
    var monitor = member()
    monitor.reminderMinute = 18 * 60
    monitor.hasContact = false
    let (now, hour) = (at("2026-01-13", "12:00"), at("2026-01-13", "18:00"))
    monitor.remindedDay = before.map(day)
    #expect(monitor.plan(at: now) == DueActions(next: hour))
    monitor.remindedDay = nil
    monitor.pausedUntil = before.map(day)
    #expect(monitor.plan(at: now) == DueActions(next: hour))
  }

  @Test("The last day of a pause has no daily word, and the next one has")
  func lastDayOfPause() {
    var monitor = member()
    monitor.reminderMinute = 18 * 60
    monitor.hasContact = false
    monitor.pausedUntil = day("2026-01-13")
    #expect(
      monitor.plan(at: at("2026-01-13", "18:00")) == DueActions(next: at("2026-01-14", "18:00")))
  }

  @Test("No daily reminder during a pause, nor for ever to a user who reads none")
  func noReminder() {
    var monitor = member()
    monitor.hasContact = false
    monitor.reminderMinute = 18 * 60
    monitor.pausedUntil = day("2026-01-20")
    #expect(monitor.plan(at: at("2026-01-15", "18:00")).steps.isEmpty)
    #expect(monitor.plan(at: at("2026-01-15", "18:00")).next == at("2026-01-21", "18:00"))
    monitor.pausedUntil = nil
    #expect(monitor.plan(at: at("2026-01-25", "18:00")).steps == [.remind])
    #expect(monitor.plan(at: at("2026-01-26", "18:00")) == DueActions())
  }
}

@Suite("An outage is not the user's fault")
struct OutageRuleTests {
  @Test("Alerts wait for the grace, and people are reminded first")
  func grace() {
    var monitor = monitor(last: "2026-01-10")
    monitor.canBeReminded = true
    let back = at("2026-01-13", "10:00")
    let until = at("2026-01-14", "10:00")
    #expect(monitor.plan(at: back, graceUntil: until).steps == [.remindAfterOutage])
    monitor.graceFor = monitor.countedFrom
    let warned = at("2026-01-14", "09:00")
    #expect(monitor.plan(at: back, graceUntil: until) == DueActions(next: warned))
    #expect(monitor.plan(at: warned, graceUntil: until).steps == [.warnAnHourBefore])
    monitor.hourFor = monitor.countedFrom
    #expect(monitor.plan(at: until, graceUntil: until).steps == [.alert])
  }

  @Test("A user who is due while alerts are held is checked then, and reminded first")
  func dueMeanwhile() {
    var monitor = monitor(last: "2026-01-10")
    monitor.canBeReminded = true
    monitor.eveningFor = monitor.countedFrom
    let (due, until) = (at("2026-01-13", "09:00"), at("2026-01-13", "20:00"))
    #expect(
      monitor.plan(at: at("2026-01-13", "07:00"), graceUntil: until) == DueActions(next: due))
    #expect(monitor.plan(at: due, graceUntil: until).steps == [.remindAfterOutage])
  }

  @Test("A user who is not due before the grace period ends gets no reminder")
  func notDue() {
    var monitor = monitor(last: "2026-01-12")
    monitor.canBeReminded = true
    let plan = monitor.plan(at: at("2026-01-13", "10:00"), graceUntil: at("2026-01-14", "10:00"))
    #expect(plan.steps.isEmpty && plan.next == at("2026-01-14", "20:00"))
  }

  @Test("While check-ins are impossible no alert is sent, and the check is repeated")
  func ongoing() throws {
    var monitor = monitor(last: "2026-01-10")
    for reminded in [true, false] {
      monitor.canBeReminded = reminded
      let now = at("2026-01-13", "10:00")
      let plan = monitor.plan(at: now, graceUntil: .distantFuture)
      #expect(plan.steps.isEmpty)
      let next = try #require(plan.next)
      #expect(next > now && next <= now.adding(seconds: .minutes(15)))
    }
  }
}

@Suite("Taps and streaks")
struct TapTests {
  private let taipei = zone("Asia/Taipei")

  @Test("A tap counts for the local day")
  func plain() throws {
    let tap = try CheckInAttempt(
      now: at("2026-01-10", "23:59"), offlineAt: nil, day: nil, zone: taipei)
    #expect(tap.day == day("2026-01-10") && !tap.isOffline)
    let next = try CheckInAttempt(
      now: at("2026-01-11", "00:00"), offlineAt: nil, day: nil, zone: taipei)
    #expect(next.day == day("2026-01-11"))
  }

  @Test("A day other than today is refused")
  func otherDay() {
    for claimed in ["2026-01-09", "2026-01-11"] {
      #expect(throws: CheckInAttempt.Rejection.notToday) {
        try CheckInAttempt(
          now: at("2026-01-10", "12:00"), offlineAt: nil, day: day(claimed), zone: taipei)
      }
    }
  }

  @Test("An offline tap is taken for 72 hours, and up to 10 minutes ahead")
  func offline() throws {
    let now = at("2026-01-13", "12:00")
    let oldest = now.adding(seconds: -.hours(72))
    let tap = try CheckInAttempt(now: now, offlineAt: oldest, day: nil, zone: taipei)
    #expect(tap.day == day("2026-01-10") && tap.isOffline)
    #expect(throws: CheckInAttempt.Rejection.notToday) {
      try CheckInAttempt(now: now, offlineAt: oldest.adding(seconds: -1), day: nil, zone: taipei)
    }
    let ahead = try CheckInAttempt(
      now: now, offlineAt: now.adding(seconds: .minutes(10)), day: nil, zone: taipei)
    #expect(ahead.moment == now)
    #expect(throws: CheckInAttempt.Rejection.notToday) {
      try CheckInAttempt(
        now: now, offlineAt: now.adding(seconds: .minutes(10) + 1), day: nil, zone: taipei)
    }
  }

  @Test(
    "Streaks",
    arguments: [
      ([], 0, 0), ([10], 1, 1), ([9], 1, 1), ([8], 0, 1), ([8, 9, 10], 3, 3),
      ([1, 2, 3, 4, 9, 10], 2, 4), ([1, 2, 3, 8], 0, 3),
    ])
  func streaks(days: [Int], current: Int, longest: Int) {
    let found = Streaks(days: days.map(LocalDay.init(number:)), today: LocalDay(number: 10))
    #expect(found.current == current && found.longest == longest && found.total == days.count)
  }
}
