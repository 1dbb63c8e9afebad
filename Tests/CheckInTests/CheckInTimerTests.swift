import Core
import Foundation
import Testing

@testable import CheckIn

@Suite("When a timer warns and alerts")
struct CheckInTimerTests {
  private static let start = at("2026-01-13", "09:00")

  private func timer(minutes: Int64 = 100, grace: Int64 = 15) -> CheckInTimer {
    CheckInTimer(
      id: .random(), person: .random(), note: "", startedAt: Self.start,
      endsAt: after(minutes), grace: grace * 60)
  }

  private func after(_ minutes: Int64) -> Instant { Self.start.adding(seconds: minutes * 60) }

  @Test("An extension is half an hour")
  func extensionTime() {
    #expect(CheckInTimer.extensionTime == 1800)
  }

  @Test(
    "A warning at four fifths and one at the end, then after the grace the alert",
    arguments: [
      (0, nil, 80), (79, nil, 80), (80, CheckInTimer.Step.warn, 100), (99, .warn, 100),
      (100, .warnAtEnd, 115), (114, .warnAtEnd, 115), (115, .alert, nil), (5000, .alert, nil),
    ] as [(Int64, CheckInTimer.Step?, Int64?)])
  func steps(minute: Int64, step: CheckInTimer.Step?, next: Int64?) {
    let plan = timer().plan(at: after(minute))
    #expect(plan.step == step)
    #expect(plan.next == next.map(after))
  }

  @Test("Each warning is given once")
  func once() {
    var timer = timer()
    timer.isWarned = true
    #expect(timer.plan(at: after(90)) == (nil, after(100)))
    timer.isWarnedAtEnd = true
    #expect(timer.plan(at: after(105)) == (nil, after(115)))
    timer.alertedAt = after(115)
    #expect(timer.plan(at: after(500)) == (nil, nil))
  }

  @Test("An outage holds the alert, not the warnings")
  func held() {
    #expect(timer().plan(at: after(120), heldUntil: after(180)) == (.warnAtEnd, after(180)))
    #expect(timer().plan(at: after(180), heldUntil: after(180)).step == .alert)
  }

  @Test("The shortest and the longest timer")
  func limits() {
    #expect(CheckInTimer.lengths.first == 15 && CheckInTimer.lengths.last == 72 * 60)
    #expect(timer(minutes: 15, grace: 5).alertAt == after(20))
  }
}
