import Core

@testable import WorkoutFiles

/// Pseudo-random workouts for tests, the same in each run.
struct GeneratedWorkout: RandomNumberGenerator {
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

  static let start = Instant(milliseconds: 1_772_409_600_000)

  /// A workout that TCX can represent completely: whole watts, beats and revolutions.
  mutating func recording() -> WorkoutRecording {
    let seconds = Int.random(in: 1...400, using: &self)
    let paused = Bool.random(using: &self) ? Double(Int.random(in: 3...600, using: &self)) : nil
    var values: [RecordedSamples.Kind: [Double?]] = [:]
    for kind in RecordedSamples.Kind.allCases where Int.random(in: 0...3, using: &self) > 0 {
      values[kind] = (0..<seconds).map { second in
        guard Int.random(in: 0...5, using: &self) > 0 else { return nil }
        return switch kind {
        case .power: Double(Int.random(in: 0...2000, using: &self))
        case .heartRate: Double(Int.random(in: 40...220, using: &self))
        case .cadence: Double(Int.random(in: 0...200, using: &self))
        case .speed: Double(Int.random(in: 0...80_000, using: &self)) / 1000
        case .distance: Double(second * 8) + 0.125
        }
      }
    }
    let start = Self.start.adding(milliseconds: Double(Int.random(in: 0...999, using: &self)))
    var recording = WorkoutRecording(
      startedAt: start,
      endedAt: start.adding(milliseconds: Double(seconds) * 1000 + (paused ?? 0) * 1000),
      duration: Double(seconds), paused: paused,
      energy: Double(Int.random(in: 0...2000, using: &self)),
      distance: Double(Int.random(in: 1...50_000_000, using: &self)) / 1000,
      machine: Machine.allCases.randomElement(using: &self) ?? .bike,
      samples: RecordedSamples(values))
    recording.figures.averageHeartRate = Double(Int.random(in: 40...200, using: &self))
    recording.figures.maximumHeartRate = 210
    recording.figures.averagePower = Double(Int.random(in: 1...400, using: &self))
    recording.figures.maximumPower = 1200
    recording.figures.averageCadence = Double(Int.random(in: 1...120, using: &self))
    recording.figures.maximumCadence = 150
    recording.figures.averageSpeed = Double(Int.random(in: 1...60_000, using: &self)) / 1000
    recording.figures.maximumSpeed = 71.25
    return recording
  }
}
