import Core
import Database
import Notices
import Workouts

/// Turns the partner's cheers into notices.
struct WorkoutNotifier: WorkoutObserver {
  let board: NoticeService

  func cheered(
    _ workout: ID<Workout>, of owner: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try board.notify(
      owner,
      NewNotice(
        .workoutCheered, subject: workout.bytes, actor: person, path: WorkoutLinks.one(workout)),
      now: now, in: writer)
  }

  func uncheered(_ workout: ID<Workout>, by person: ID<Person>, in writer: WriteTransaction) throws
  {
    try board.retract(.workoutCheered, subject: workout.bytes, by: person, in: writer)
  }

  func removed(_ workout: ID<Workout>, in writer: WriteTransaction) throws {
    try board.forget([.workoutCheered], subject: workout.bytes, in: writer)
  }
}
