import Core
import Foundation
import WorkoutFiles

/// One error in a workout.
public struct WorkoutIssue: Sendable, Hashable {
  public enum Code: String, Sendable {
    case missing
    /// Of a wrong type or format.
    case malformed
    case tooSmall = "too_small"
    case tooLarge = "too_large"
    case beforeStart = "before_start"
    case inFuture = "in_future"
    case tooOld = "too_old"
    /// More active time than between start and end.
    case longerThanSpan = "longer_than_span"
    /// Less active time than the span without the pauses.
    case shorterThanSpan = "shorter_than_span"
    /// More samples than can be stored.
    case tooMany = "too_many"
  }

  public let field: WorkoutDraft.Field
  public let code: Code

  public init(_ field: WorkoutDraft.Field, _ code: Code) {
    self.field = field
    self.code = code
  }
}

/// All errors of a workout.
public struct WorkoutValidationError: Error, Sendable, Equatable {
  public let failures: [WorkoutIssue]
}

/// The requirements for a workout to be stored (docs/developer/workouts.md#checks).
public enum WorkoutValidation {
  /// In s.
  public static let duration = 1.0...86_400
  /// In kcal.
  public static let energy = 0.0...20_000
  /// In m.
  public static let distance = 0.0...1_000_000
  /// In beats per minute.
  public static let heartRate = 20.0...250
  /// In W.
  public static let power = 0.0...3_000
  /// In revolutions or strokes per minute; like `speed` only to refuse nonsense.
  public static let cadence = 0.0...1_000
  /// In km/h.
  public static let speed = 0.0...1_000
  /// The maximum difference between the clocks of client and server, in s.
  public static let maximumClockLead: Int64 = .minutes(5)
  /// 2000-01-01T00:00:00Z.
  public static let earliest = Instant(milliseconds: 946_684_800_000)
  /// The maximum difference between a timer and the clock, in s.
  public static let tolerance = 2.0
  /// From start to end, including pauses, in s: a week.
  public static let maximumSpan = 604_800.0
  /// The maximum length of `raw`, in characters of base64.
  public static let maximumRawLength = 1 << 20

  /// Validates all fields and reports all errors. Throws `WorkoutValidationError`.
  public static func check(
    _ draft: WorkoutDraft, now: Instant
  ) throws(WorkoutValidationError) -> ValidWorkout {
    var checking = WorkoutValidator(draft: draft)
    checking.checkTimes(now: now)
    checking.checkFigures()
    checking.checkSamples()
    let raw = checking.raw()
    guard checking.failures.isEmpty, let id = draft.clientSessionID,
      let start = draft.startedAt, let end = draft.endedAt,
      let duration = draft.duration.flatMap(FixedPoint3.init),
      let energy = draft.energy.flatMap(FixedPoint3.init),
      let distance = draft.distance.flatMap(FixedPoint3.init), let machine = draft.machine
    else { throw WorkoutValidationError(failures: checking.failures) }
    let content = WorkoutContent(
      clientSessionID: id, startedAt: start, endedAt: end, duration: duration,
      paused: draft.paused.flatMap(FixedPoint3.init), energy: energy, distance: distance,
      machine: machine, training: draft.training, figures: draft.figures, source: draft.source)
    return ValidWorkout(
      content: content, samples: RecordedSamples(checking.measured), raw: raw)
  }
}

/// The validation of one workout.
private struct WorkoutValidator {
  let draft: WorkoutDraft
  /// The samples; a heart rate of 0 from a sensor without contact counts as not measured.
  let measured: [RecordedSamples.Kind: [Double?]]
  private(set) var failures: [WorkoutIssue] = []

  init(draft: WorkoutDraft) {
    self.draft = draft
    var samples = draft.samples
    samples[.heartRate] = samples[.heartRate]?.map { $0 == 0 ? nil : $0 }
    measured = samples
    failures = draft.mistyped.sorted { $0.rawValue < $1.rawValue }
      .map { WorkoutIssue($0, .malformed) }
  }

  private mutating func fail(_ field: WorkoutDraft.Field, _ code: WorkoutIssue.Code) {
    failures.append(WorkoutIssue(field, code))
  }

  /// A required value; a field of a wrong type has been reported already.
  private mutating func need<Kind>(_ value: Kind?, _ field: WorkoutDraft.Field) -> Kind? {
    if value == nil, !draft.mistyped.contains(field), !draft.mistyped.contains(.session) {
      fail(field, .missing)
    }
    return value
  }

  @discardableResult
  private mutating func bound(
    _ value: Double?, _ range: ClosedRange<Double>, _ field: WorkoutDraft.Field
  ) -> Bool {
    guard let value else { return true }
    if !(value >= range.lowerBound) {
      fail(field, .tooSmall)
    } else if value > range.upperBound {
      fail(field, .tooLarge)
    } else {
      return true
    }
    return false
  }

  // MARK: Times

  mutating func checkTimes(now: Instant) {
    _ = need(draft.clientSessionID, .clientSessionID)
    _ = need(draft.machine, .machine)
    let start = need(draft.startedAt, .startedAt)
    let end = need(draft.endedAt, .endedAt)
    let duration = need(draft.duration, .duration)
    let isLength = bound(duration, WorkoutValidation.duration, .duration)
    if let start {
      if start < WorkoutValidation.earliest { fail(.startedAt, .tooOld) }
      if start > now.adding(seconds: WorkoutValidation.maximumClockLead) {
        fail(.startedAt, .inFuture)
      }
    }
    guard let start, let end else { return }
    guard end >= start else { return fail(.endedAt, .beforeStart) }
    let span = Double(end.milliseconds - start.milliseconds) / 1000
    guard span <= WorkoutValidation.maximumSpan else { return fail(.endedAt, .tooLarge) }
    let isPause = bound(draft.paused, 0...(span + WorkoutValidation.tolerance), .paused)
    guard let duration, isLength else { return }
    if duration > span + WorkoutValidation.tolerance { fail(.duration, .longerThanSpan) }
    if let paused = draft.paused, isPause, duration < span - paused - WorkoutValidation.tolerance {
      fail(.duration, .shorterThanSpan)
    }
  }

  // MARK: Figures

  mutating func checkFigures() {
    bound(need(draft.energy, .energy), WorkoutValidation.energy, .energy)
    bound(need(draft.distance, .distance), WorkoutValidation.distance, .distance)
    let figures = draft.figures
    bound(figures.averageHeartRate, WorkoutValidation.heartRate, .averageHeartRate)
    bound(figures.maximumHeartRate, WorkoutValidation.heartRate, .maximumHeartRate)
    bound(figures.averagePower, WorkoutValidation.power, .averagePower)
    bound(figures.maximumPower, WorkoutValidation.power, .maximumPower)
    bound(figures.averageCadence, WorkoutValidation.cadence, .averageCadence)
    bound(figures.maximumCadence, WorkoutValidation.cadence, .maximumCadence)
    bound(figures.averageSpeed, WorkoutValidation.speed, .averageSpeed)
    bound(figures.maximumSpeed, WorkoutValidation.speed, .maximumSpeed)
  }

  // MARK: Samples

  mutating func checkSamples() {
    if let interval = draft.interval, interval != 1 {
      fail(.interval, interval < 1 ? .tooSmall : .tooLarge)
    }
    checkSeries(.power, WorkoutValidation.power, .power)
    checkSeries(.heartRate, WorkoutValidation.heartRate, .heartRate)
    checkSeries(.cadence, WorkoutValidation.cadence, .cadence)
    checkSeries(.speed, WorkoutValidation.speed, .speed)
    checkSeries(.distance, WorkoutValidation.distance, .distances)
  }

  private mutating func checkSeries(
    _ kind: RecordedSamples.Kind, _ range: ClosedRange<Double>, _ field: WorkoutDraft.Field
  ) {
    guard let values = measured[kind] else { return }
    guard values.count <= RecordedSamples.maximumSeconds else { return fail(field, .tooMany) }
    for case let value? in values where !range.contains(value) {
      fail(field, value > range.upperBound ? .tooLarge : .tooSmall)
      return
    }
  }

  mutating func raw() -> [UInt8] {
    guard let text = draft.raw, !text.isEmpty else { return [] }
    guard text.utf8.count <= WorkoutValidation.maximumRawLength else {
      fail(.raw, .tooLarge)
      return []
    }
    guard let data = Data(base64Encoded: text) else {
      fail(.raw, .malformed)
      return []
    }
    return Array(data)
  }
}
