import Core

/// The kind of machine used for a workout.
public enum Machine: String, Sendable, CaseIterable, Codable {
  case bike
  case rower
  case other
}

/// Averages and maxima of a workout; nil if unknown.
public struct WorkoutFigures: Sendable, Equatable {
  /// In beats per minute.
  public var averageHeartRate: Double?
  public var maximumHeartRate: Double?
  /// In W.
  public var averagePower: Double?
  public var maximumPower: Double?
  /// In revolutions or strokes per minute.
  public var averageCadence: Double?
  public var maximumCadence: Double?
  /// In km/h.
  public var averageSpeed: Double?
  public var maximumSpeed: Double?

  public init() {}
}

/// One workout as read from a file of any format.
public struct WorkoutRecording: Sendable, Equatable {
  /// The ID of the workout in a file exported by PairSpot; nil in files of other programs.
  public var id: ID<WorkoutRecording>?
  public var startedAt: Instant
  public var endedAt: Instant
  /// Active time without pauses, in s.
  public var duration: Double
  /// Time in pauses, in s; nil if there were none or they are unknown.
  public var paused: Double?
  /// In kcal; nil if not in the file.
  public var energy: Double?
  /// In m; nil if not in the file.
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
