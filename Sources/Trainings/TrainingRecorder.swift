import Core

/// The recorder of workouts; implemented outside this module.
public protocol TrainingRecorder: Sendable {
  /// The address of the recorder with a training selected.
  func link(to training: ID<Training>) -> String
}
