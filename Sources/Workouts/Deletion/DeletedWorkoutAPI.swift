import Core
import Database
import Web

/// `/api/v1/sessions/deleted`: the viewer's deleted workouts (docs/developer/workouts.md#deleted-workouts).
struct DeletedWorkoutAPI {
  let service: WorkoutService

  var routes: [Route] {
    [
      .api(
        .get, "/sessions/deleted", .atLeast(.guest),
        Operation(
          "List your deleted workouts", .workouts,
          note: """
            The last \(DeletedWorkout.maximumListed) that can be restored, the last deleted first, \
            without samples and `raw`.
            """), options: .noStore, handler: list),
      .api(
        .post, "/sessions/:id/restore", .atLeast(.guest),
        Operation(
          "Restore a deleted workout", .workouts,
          note: """
            404 after 30 days. If the same workout was uploaded meanwhile, that one is returned.
            """), options: .noStore, handler: restore),
    ]
  }

  @Sendable private func list(_ context: Context) throws -> DeletedWorkoutsResponse {
    let viewer = try context.signedIn()
    let found = try service.database.read {
      try DeletedWorkoutStore().all(
        of: viewer.id, since: DeletionPeriod.start(now: context.now),
        limit: DeletedWorkout.maximumListed, in: $0)
    }
    return DeletedWorkoutsResponse(sessions: found.map { DeletedWorkoutResponse(deleted: $0) })
  }

  @Sendable private func restore(_ context: Context) throws -> WorkoutResponse {
    let viewer = try context.signedIn()
    guard let id = try service.restore(context.id(), of: viewer.id, now: context.now),
      let workout = try service.database.read({
        try service.workouts.find(id, of: viewer.id, in: $0)
      })
    else { throw Problem.notFound }
    return WorkoutResponse(workout)
  }
}

/// The deleted workouts of a user.
struct DeletedWorkoutsResponse: JSONResponse {
  let sessions: [DeletedWorkoutResponse]

  static let jsonName = "DeletedWorkouts"
  static let jsonFields: [JSONField<Self>] = [JSONField("sessions") { $0.sessions }]
}

/// A deleted workout.
struct DeletedWorkoutResponse: JSONResponse {
  let deleted: DeletedWorkout

  static let jsonName = "DeletedWorkout"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("session") { WorkoutResponse($0.deleted.workout) },
    JSONField("restore_until") { DeletionPeriod.end(of: $0.deleted.deletedAt) },
  ]
}
