/// The errors of workout files.
public enum WorkoutFileError: Error, Sendable, Equatable {
  /// More bytes than `WorkoutFile.largest`.
  case tooLarge
  /// None of the supported formats.
  case unknownFormat
  /// Of a known format, but truncated, inconsistent or with invalid content.
  case broken
  /// Valid, but without a workout.
  case noWorkout
  /// A table of seconds without a start time.
  case noStart
  /// A workout longer than a day.
  case tooLong
  /// More workouts or points than a file may contain.
  case tooMuch

  /// An identifier for texts and logs.
  public var code: String {
    switch self {
    case .tooLarge: "too_large"
    case .unknownFormat: "unknown_format"
    case .broken: "broken"
    case .noWorkout: "no_workout"
    case .noStart: "no_start"
    case .tooLong: "too_long"
    case .tooMuch: "too_much"
    }
  }
}
