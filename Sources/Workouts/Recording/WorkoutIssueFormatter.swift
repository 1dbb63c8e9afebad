import Web

/// Formats errors of workouts for users.
enum WorkoutIssueFormatter {
  /// The message about a field.
  static func error(_ failure: WorkoutIssue) -> FieldError {
    switch failure.code {
    case .missing: FieldError("api.field_missing")
    case .malformed: malformed(failure.field)
    case .tooSmall, .tooLarge: outside(failure.field)
    case .beforeStart: FieldError("api.workout.before_start")
    case .inFuture: FieldError("api.workout.in_future")
    case .tooOld: FieldError("api.workout.too_old")
    case .longerThanSpan: FieldError("api.workout.longer_than_span")
    case .shorterThanSpan: FieldError("api.workout.shorter_than_span")
    case .tooMany: FieldError("api.workout.too_many")
    }
  }

  /// All errors, by field name.
  static func errors(_ failures: [WorkoutIssue]) -> [String: FieldError] {
    Dictionary(failures.map { ($0.field.rawValue, error($0)) }) { first, _ in first }
  }

  /// All errors in one line, for clients that don't read fields.
  static func message(_ failures: [WorkoutIssue], _ context: Context) -> String {
    failures.map { failure in
      let text = error(failure).text(context)
      return failure.field == .session
        ? text
        : context.text("api.workout.failure", ["field": failure.field.rawValue, "words": text])
    }.joined(separator: " ")
  }

  private static func malformed(_ field: WorkoutDraft.Field) -> FieldError {
    switch field {
    case .session, .detail, .samples: FieldError("api.field_object")
    case .clientSessionID, .training: FieldError("api.field_id")
    case .startedAt, .endedAt: FieldError("api.field_instant")
    case .machine: FieldError("api.field_choice", ["choices": "bike, rower, other"])
    case .raw: FieldError("api.workout.raw")
    case .power, .heartRate, .cadence, .speed, .distances: FieldError("api.workout.samples")
    case .duration, .paused, .energy, .distance, .averageHeartRate, .maximumHeartRate,
      .averagePower, .maximumPower, .averageCadence, .maximumCadence, .averageSpeed,
      .maximumSpeed, .interval:
      FieldError("api.field_number")
    }
  }

  private static func outside(_ field: WorkoutDraft.Field) -> FieldError {
    guard let range = range(field) else {
      return FieldError(
        field == .raw
          ? "api.workout.raw"
          : field == .paused
            ? "api.workout.paused" : "api.workout.too_long")
    }
    func text(_ bound: Double) -> String { "\(Int(bound))" }
    return FieldError(
      "api.field_range", ["least": text(range.lowerBound), "most": text(range.upperBound)])
  }

  /// Nil where the bounds depend on other fields, or on a length.
  private static func range(_ field: WorkoutDraft.Field) -> ClosedRange<Double>? {
    switch field {
    case .duration: WorkoutValidation.duration
    case .energy: WorkoutValidation.energy
    case .distance, .distances: WorkoutValidation.distance
    case .averageHeartRate, .maximumHeartRate, .heartRate: WorkoutValidation.heartRate
    case .averagePower, .maximumPower, .power: WorkoutValidation.power
    case .averageCadence, .maximumCadence, .cadence: WorkoutValidation.cadence
    case .averageSpeed, .maximumSpeed, .speed: WorkoutValidation.speed
    case .interval: 1...1
    case .session, .clientSessionID, .startedAt, .endedAt, .paused, .machine, .training, .detail,
      .samples, .raw:
      nil
    }
  }
}
