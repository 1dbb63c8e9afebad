import Core
import Testing

@testable import Mail

@Suite("When a mail is tried again")
struct RetryPlanTests {
  private static let queued = Instant(milliseconds: 1_772_409_600_000)

  private func delay(_ attempt: Int, after seconds: Int64, _ retriesForever: Bool) -> Int64? {
    RetryPlan.delay(
      afterAttempt: attempt, queuedAt: Self.queued, now: Self.queued.adding(seconds: seconds),
      retriesForever: retriesForever)
  }

  @Test(
    "1 min, 5 min, 30 min, 2 h, 6 h, for every mail and however late it is",
    arguments: [(1, 60), (2, 300), (3, 1800), (4, 7200), (5, 21_600)] as [(Int, Int64)])
  func beginning(attempt: Int, seconds: Int64) {
    for late in [0, .days(2), .days(30)] as [Int64] {
      #expect(delay(attempt, after: late, false) == seconds)
      #expect(delay(attempt, after: late, true) == seconds)
    }
  }

  @Test("Then every 12 h up to 3 days")
  func middle() {
    for attempt in [6, 7, 11, 1000] {
      for retriesForever in [true, false] {
        #expect(delay(attempt, after: .hours(9), retriesForever) == .hours(12))
        #expect(delay(attempt, after: .days(3) - 1, retriesForever) == .hours(12))
      }
    }
  }

  @Test("Then it is given up, or tried daily for ever")
  func end() {
    for days in [3, 4, 400] as [Int64] {
      #expect(delay(11, after: .days(days), false) == nil)
      #expect(delay(11, after: .days(days), true) == .days(1))
    }
  }

  @Test("A whole run of the plan has the moments of the table")
  func whole() {
    var moments: [Int64] = []
    var now: Int64 = 0
    for attempt in 1... {
      guard let next = delay(attempt, after: now, false) else { break }
      now += next
      moments.append(now)
    }
    let start: Int64 = 60 + 300 + 1800 + 7200 + 21_600
    #expect(moments == [60, 360, 2160, 9360, start] + (1...6).map { start + $0 * .hours(12) })
  }
}
