import Core
import Database
import Trainings
import Workouts

/// The trainings that a workout can follow, for the workouts.
struct FollowedTrainingAdapter: FollowableTrainings {
  let store: TrainingStore

  func published() throws -> [FollowedTraining] { try store.published().map(Self.followed) }

  func find(_ id: ID<FollowedTraining>, for viewer: Viewer) throws -> FollowedTraining? {
    guard let training = try store.visible(id.cast(to: Training.self), to: viewer),
      training.isPublished
    else { return nil }
    return Self.followed(training)
  }

  func names(
    of ids: Set<ID<FollowedTraining>>, in reader: ReadTransaction
  ) throws -> [ID<FollowedTraining>: String] {
    let names = try store.names(of: Set(ids.map { $0.cast(to: Training.self) }), in: reader)
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0.key.cast(to: FollowedTraining.self), $0.value) })
  }

  private static func followed(_ training: Training) -> FollowedTraining {
    FollowedTraining(
      id: training.id.cast(to: FollowedTraining.self), name: training.details.name,
      link: TrainingLinks.one(training.id),
      stages: training.details.stages.map { stage in
        let target: FollowedTraining.Target? =
          switch stage.target {
          case .power(let watts): .power(watts)
          case .cadence(let cadence): .cadence(cadence)
          case .free, .resistance: nil
          }
        return FollowedTraining.Stage(seconds: stage.seconds, target: target)
      })
  }
}

/// The recorder of the workouts, for the trainings.
struct WorkoutRecorderAdapter: TrainingRecorder {
  func link(to training: ID<Training>) -> String {
    RecorderLinks.one(training.cast(to: FollowedTraining.self))
  }
}
