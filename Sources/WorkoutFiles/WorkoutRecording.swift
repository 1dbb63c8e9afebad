import Core

/// The kind of machine that a workout was done on.
public enum Machine: String, Sendable, CaseIterable, Codable {
  case bike
  case rower
  case other
}

/// Averages and maxima of a workout; nil where nothing is known.
public struct WorkoutFigures: Sendable, Equatable {
  /// In beats a minute.
  public var averageHeartRate: Double?
  public var maximumHeartRate: Double?
  /// In W.
  public var averagePower: Double?
  public var maximumPower: Double?
  /// In turns or strokes a minute.
  public var averageCadence: Double?
  public var maximumCadence: Double?
  /// In km/h.
  public var averageSpeed: Double?
  public var maximumSpeed: Double?

  public init() {}
}

/// One workout as a file tells of it, whatever the kind of file.
public struct WorkoutRecording: Sendable, Equatable {
  /// What a file of ours calls the workout; nil in the files of other programs.
  public var id: ID<WorkoutRecording>?
  public var startedAt: Instant
  public var endedAt: Instant
  /// Time in motion, pauses left out, in s.
  public var duration: Double
  /// Time in pauses, in s; nil when there were none, or none are known.
  public var paused: Double?
  /// In kcal; nil when the file says nothing of it.
  public var energy: Double?
  /// In m; nil when the file says nothing of it.
  public var distance: Double?
  public var machine: Machine
  public var figures: WorkoutFigures
  public var samples: RecordedSamples

  public init(
    startedAt: Instant, endedAt: Instant, duration: Double, paused: Double? = nil,
    energy: Double? = nil, distance: Double? = nil, machine: Machine = .other,
    figures: WorkoutFigures = WorkoutFigures(), samples: RecordedSamples = RecordedSamples()
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.duration = duration
    self.paused = paused
    self.energy = energy
    self.distance = distance
    self.machine = machine
    self.figures = figures
    self.samples = samples
  }
}
