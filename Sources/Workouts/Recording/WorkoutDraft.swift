import Core
import WorkoutFiles

/// A workout as received, before validation: any field may be missing, and fields of a wrong type
/// are listed in `mistyped`.
public struct WorkoutDraft: Sendable {
  /// The names of the fields in the API.
  public enum Field: String, Sendable, Hashable {
    /// The workout as a whole.
    case session
    case clientSessionID = "client_session_id"
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case duration
    case paused
    case energy = "total_energy"
    case distance = "total_distance"
    case machine = "device_type"
    case training = "training_id"
    case detail
    case averageHeartRate = "detail.avg_hr"
    case maximumHeartRate = "detail.max_hr"
    case averagePower = "detail.avg_power"
    case maximumPower = "detail.max_power"
    case averageCadence = "detail.avg_cadence"
    case maximumCadence = "detail.max_cadence"
    case averageSpeed = "detail.avg_speed"
    case maximumSpeed = "detail.max_speed"
    case samples = "detail.samples"
    case interval = "detail.samples.interval"
    case power = "detail.samples.power"
    case heartRate = "detail.samples.heart_rate"
    case cadence = "detail.samples.cadence"
    case speed = "detail.samples.speed"
    case distances = "detail.samples.distance"
    case raw
  }

  public var clientSessionID: ID<ClientSession>?
  public var startedAt: Instant?
  public var endedAt: Instant?
  /// In s.
  public var duration: Double?
  /// In s.
  public var paused: Double?
  /// In kcal.
  public var energy: Double?
  /// In m.
  public var distance: Double?
  public var machine: Machine?
  public var training: ID<FollowedTraining>?
  public var figures = WorkoutFigures()
  /// Seconds between two samples; only 1 is accepted.
  public var interval: Double?
  public var samples: [RecordedSamples.Kind: [Double?]] = [:]
  /// Base64.
  public var raw: String?
  public var source = WorkoutSource.recorded
  public var mistyped: Set<Field> = []

  public init() {}
}

extension WorkoutDraft {
  /// A workout from a file or from typed figures. Missing energy or distance becomes zero.
  public init(
    _ recording: WorkoutRecording, clientSessionID: ID<ClientSession>, source: WorkoutSource
  ) {
    self.init()
    self.clientSessionID = clientSessionID
    startedAt = recording.startedAt
    endedAt = recording.endedAt
    duration = recording.duration
    paused = recording.paused
    energy = recording.energy ?? 0
    distance = recording.distance ?? 0
    machine = recording.machine
    figures = recording.figures
    for kind in RecordedSamples.Kind.allCases where !recording.samples[kind].isEmpty {
      samples[kind] = recording.samples[kind]
    }
    self.source = source
  }
}
