import Core
import Foundation
import Testing

@testable import CheckIn

@Suite("Thresholds in hours")
struct HourThresholdTests {
  /// A user who tapped on 10 January at 08:00 in Taipei.
  private func tapped(hours: Int) -> CheckInMonitor {
    var monitor = monitor(last: "2026-01-10")
    monitor.thresholdHours = hours
    monitor.canBeReminded = true
    return monitor
  }

  @Test("An alert is due as many hours after the tap, at any time of the day", arguments: [8, 36])
  func due(hours: Int) {
    let monitor = tapped(hours: hours)
    let due = at("2026-01-10", "08:00").adding(seconds: .hours(Int64(hours)))
    #expect(monitor.alertMoment() == due)
    var warned = monitor
    warned.hourFor = warned.countedFrom
    #expect(warned.plan(at: due.adding(seconds: -1)) == DueActions(steps: [], next: due))
    #expect(warned.plan(at: due).steps == [.alert])
    #expect(monitor.isBelowThreshold(due.adding(seconds: -1)) && !monitor.isBelowThreshold(due))
  }

  @Test("The only warning comes an hour before")
  func warning() {
    let monitor = tapped(hours: 16)
    #expect(monitor.plan(at: at("2026-01-10", "20:30")).steps == [])
    #expect(monitor.plan(at: at("2026-01-10", "20:30")).next == at("2026-01-10", "23:00"))
    #expect(monitor.plan(at: at("2026-01-10", "23:00")).steps == [.warnAnHourBefore])
  }

  @Test("The record has the hours, or the missed days")
  func recorded() {
    let later = at("2026-01-13", "12:00")
    #expect(tapped(hours: 16).silenceLength(later) == "16h")
    #expect(monitor(last: "2026-01-10").silenceLength(later) == "2")
  }

  @Test("A later tap on the same day counts")
  func again() {
    var monitor = tapped(hours: 12)
    monitor.alertedAt = at("2026-01-10", "20:00")
    #expect(monitor.isAlerted)
    monitor.lastTap = at("2026-01-10", "21:00")
    #expect(!monitor.isAlerted && monitor.alertMoment() == at("2026-01-11", "09:00"))
  }

  @Test("After a pause, and after a first contact, hours count from the next day")
  func pause() {
    var monitor = tapped(hours: 12)
    monitor.pausedUntil = day("2026-01-12")
    #expect(monitor.alertMoment() == at("2026-01-13", "12:00"))
    monitor.pausedUntil = nil
    monitor.countsFrom = day("2026-01-11")
    #expect(monitor.alertMoment() == at("2026-01-12", "12:00"))
  }

  @Test("An alert waits for the grace after an outage")
  func grace() {
    let monitor = tapped(hours: 8)
    let end = at("2026-01-10", "18:30")
    #expect(
      monitor.plan(at: at("2026-01-10", "17:00"), graceUntil: end).steps == [.remindAfterOutage])
    #expect(monitor.alertMoment(graceUntil: end) == end)
  }
}
