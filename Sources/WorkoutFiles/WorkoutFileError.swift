/// What can be wrong with a file of workouts.
public enum WorkoutFileError: Error, Sendable, Equatable {
  /// More bytes than `WorkoutFile.largest`.
  case tooLarge
  /// None of the kinds that are read here.
  case unknownFormat
  /// Of a known kind, but it breaks off, contradicts itself or carries what such a file never has.
  case broken
  /// In order, but without a workout.
  case noWorkout
  /// A table of seconds that doesn't say when they began.
  case noStart
  /// A workout of more than a day.
  case tooLong
  /// More workouts or points than one file may have.
  case tooMuch

  /// A word for texts and logs.
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
