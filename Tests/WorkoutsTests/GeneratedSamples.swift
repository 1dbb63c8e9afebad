import Core
import Foundation
import WorkoutFiles

@testable import Workouts

/// Pseudo-random; the same sequence in each run.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

/// Workouts for tests.
enum GeneratedSamples {
  /// 2026-03-02T00:00:00Z
  static let now = Instant(milliseconds: 1_772_409_600_000)

  /// A valid workout of an hour that has just ended.
  static func draft() -> WorkoutDraft {
    var draft = WorkoutDraft()
    draft.clientSessionID = .random()
    draft.startedAt = now.adding(seconds: -3600)
    draft.endedAt = now
    draft.duration = 3600
    draft.energy = 400
    draft.distance = 20_000
    draft.machine = .bike
    return draft
  }

  static func totals(_ chance: inout SeededRandom) -> WorkoutTotals {
    WorkoutTotals(
      count: 1, energy: FixedPoint3(count: .random(in: 0...900_000, using: &chance)),
      distance: FixedPoint3(count: .random(in: 0...90_000_000, using: &chance)),
      duration: FixedPoint3(count: .random(in: 1000...9_000_000, using: &chance)))
  }
}

extension Instant {
  func advanced(_ milliseconds: Int64) -> Instant {
    Instant(milliseconds: self.milliseconds + milliseconds)
  }
}
