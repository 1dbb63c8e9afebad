import Core
import WorkoutFiles

/// The name that a client gives to what it recorded, before any server has seen it.
public enum ClientSession {}

/// How a workout came to be known.
public enum WorkoutSource: String, Sendable, CaseIterable {
  /// By a recorder, a second at a time.
  case recorded
  /// Somebody typed in its figures.
  case typed
  /// From a file of another program.
  case file
}

/// What is kept of a workout beside its samples (docs/api/workouts.md#fields).
public struct WorkoutContent: Sendable, Equatable {
  public var clientSessionID: ID<ClientSession>
  public var startedAt: Instant
  public var endedAt: Instant
  /// In s, pauses left out.
  public var duration: FixedPoint3
  /// In s; nil when the client says nothing of pauses.
  public var paused: FixedPoint3?
  /// In kcal.
  public var energy: FixedPoint3
  /// In m.
  public var distance: FixedPoint3
  public var machine: Machine
  /// The training that was followed; it may be gone since.
  public var training: ID<Training>?
  public var figures: WorkoutFigures
  public var source: WorkoutSource

  public init(
    clientSessionID: ID<ClientSession>, startedAt: Instant, endedAt: Instant,
    duration: FixedPoint3, paused: FixedPoint3? = nil, energy: FixedPoint3 = .zero,
    distance: FixedPoint3 = .zero, machine: Machine = .other, training: ID<Training>? = nil,
    figures: WorkoutFigures = WorkoutFigures(), source: WorkoutSource = .recorded
  ) {
    self.clientSessionID = clientSessionID
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.duration = duration
    self.paused = paused
    self.energy = energy
    self.distance = distance
    self.machine = machine
    self.training = training
    self.figures = figures
    self.source = source
  }

  /// The shortest workout that makes its day count for the streak.
  static let shortestForStreak = FixedPoint3(count: 60_000)

  /// Whether its day counts for the streak.
  var countsForStreak: Bool { duration >= Self.shortestForStreak }

  /// What it adds to the totals.
  var totals: WorkoutTotals {
    WorkoutTotals(count: 1, energy: energy, distance: distance, duration: duration)
  }
}

/// A workout as it is kept.
public struct Workout: Sendable, Equatable {
  public let id: ID<Workout>
  public let content: WorkoutContent
  public let receivedAt: Instant
}

/// A workout that has passed every check, with all that comes with it.
public struct ValidWorkout: Sendable, Equatable {
  public let content: WorkoutContent
  public let samples: RecordedSamples
  /// What a machine said, byte for byte; empty when the client kept nothing of it.
  public let raw: [UInt8]
}

extension WorkoutRecording {
  /// A workout as files hold it.
  public init(_ content: WorkoutContent, samples: RecordedSamples) {
    self.init(
      startedAt: content.startedAt, endedAt: content.endedAt, duration: content.duration.value,
      paused: content.paused?.value, energy: content.energy.value,
      distance: content.distance.value, machine: content.machine, figures: content.figures,
      samples: samples)
    id = ID(content.clientSessionID.description)
  }
}
