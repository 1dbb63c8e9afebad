import Core
import Database
import Templates
import Web

/// `/workouts/deleted`: the viewer's deleted workouts, each of which can be restored until it is
/// removed for good (docs/developer/workouts.md#deleted-workouts).
struct DeletedWorkoutPages {
  private let service: WorkoutService
  private let trainings: any FollowableTrainings
  private let page: Page<DeletedWorkoutsView>

  init(
    _ site: AppEnvironment, service: WorkoutService, trainings: any FollowableTrainings
  ) throws {
    self.service = service
    self.trainings = trainings
    page = try Page("workouts/deleted", title: "deleted_workouts.title", in: site)
  }

  var routes: [Route] {
    [
      Route(.get, WorkoutLinks.deleted, .atLeast(.guest), options: .noStore, handler: show),
      Route(
        .post, "\(WorkoutLinks.history)/:id/undo", .atLeast(.guest), options: .noStore,
        handler: restore),
    ]
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let oldest = DeletionPeriod.start(now: context.now)
    let (workouts, names) = try service.database.read { reader in
      let workouts = try DeletedWorkoutStore().all(
        of: viewer.id, since: oldest, limit: DeletedWorkout.maximumListed, in: reader)
      return (
        workouts,
        try trainings.names(of: Set(workouts.compactMap(\.workout.content.training)), in: reader)
      )
    }
    let formatter = WorkoutFormatter(context)
    let view = DeletedWorkoutsView(
      workouts: workouts.map { one in
        DeletedWorkoutView(
          id: one.workout.id, title: formatter.title(one.workout, names),
          moment: formatter.longMoment(one.workout),
          time: formatter.clock(one.workout.content.duration),
          left: context.timeToRestore(one.deletedAt))
      })
    return page.response(view, context)
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard let id = try service.restore(context.id(), of: viewer.id, now: context.now) else {
      throw Problem.notFound
    }
    context.flash("toast.workout_restored")
    return .seeOther(WorkoutLinks.one(id))
  }
}

struct DeletedWorkoutsView: View {
  let workouts: [DeletedWorkoutView]

  static let fields: [String: Field<DeletedWorkoutsView>] = [
    "workouts": .list { $0.workouts },
    "empty": .flag { $0.workouts.isEmpty },
    "back_link": .text { _ in WorkoutLinks.history },
  ]
}

struct DeletedWorkoutView: View {
  let id: ID<Workout>
  let title: String
  let moment: String
  let time: String
  let left: String

  static let fields: [String: Field<DeletedWorkoutView>] = [
    "title": .text { $0.title },
    "moment": .text { $0.moment },
    "time": .text { $0.time },
    "left": .text { $0.left },
    "restore_action": .text { WorkoutLinks.undo($0.id) },
  ]
}
