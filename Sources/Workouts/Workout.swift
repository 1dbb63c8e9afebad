import Core
import Database
import WorkoutFiles

/// The type of the ID that a client gives to a recording before any server has seen it.
public enum ClientSession {}

/// The origin of a workout.
public enum WorkoutSource: String, Sendable, CaseIterable {
  /// Recorded, one sample per second.
  case recorded
  /// Typed in by the user.
  case entered = "typed"
  /// Imported from a file of another program.
  case file
}

/// The stored data of a workout except its samples (docs/api/workouts.md#fields).
public struct WorkoutContent: Sendable, Equatable {
  public var clientSessionID: ID<ClientSession>
  public var startedAt: Instant
  public var endedAt: Instant
  /// In s, without pauses.
  public var duration: FixedPoint3
  /// In s; nil if the client doesn't report pauses.
  public var paused: FixedPoint3?
  /// In kcal.
  public var energy: FixedPoint3
  /// In m.
  public var distance: FixedPoint3
  public var machine: Machine
  /// The training that was followed; it may have been deleted since.
  public var training: ID<FollowedTraining>?
  public var figures: WorkoutFigures
  public var source: WorkoutSource

  public init(
    clientSessionID: ID<ClientSession>, startedAt: Instant, endedAt: Instant,
    duration: FixedPoint3, paused: FixedPoint3? = nil, energy: FixedPoint3 = .zero,
    distance: FixedPoint3 = .zero, machine: Machine = .other, training: ID<FollowedTraining>? = nil,
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

  /// The shortest duration with which a day counts for the streak.
  static let minimumStreakDuration = FixedPoint3(count: 60_000)

  /// Whether the workout's day counts for the streak.
  var countsForStreak: Bool { duration >= Self.minimumStreakDuration }

  /// The workout's share of the totals.
  var totals: WorkoutTotals {
    WorkoutTotals(count: 1, energy: energy, distance: distance, duration: duration)
  }
}

/// A stored workout.
public struct Workout: Sendable, Equatable {
  public let id: ID<Workout>
  public let content: WorkoutContent
  public let receivedAt: Instant
  /// The user's title and note; "" for none.
  public var title = ""
  public var note = ""
}

/// A validated workout with all its data.
public struct ValidWorkout: Sendable, Equatable {
  public let content: WorkoutContent
  public let samples: RecordedSamples
  /// The machine's raw data; empty if the client kept none.
  public let raw: [UInt8]
}

extension WorkoutRecording {
  /// The workout in the form used by files.
  public init(_ content: WorkoutContent, samples: RecordedSamples) {
    self.init(
      startedAt: content.startedAt, endedAt: content.endedAt, duration: content.duration.value,
      paused: content.paused?.value, energy: content.energy.value,
      distance: content.distance.value, machine: content.machine, figures: content.figures,
      samples: samples)
    id = ID(content.clientSessionID.description)
  }
}

extension PageCursor<Workout> {
  public init(_ workout: Workout) {
    self.init(at: workout.content.startedAt, id: workout.id)
  }
}
