import Core
import Database
import Templates
import Web

/// `/workouts/goal`: how many minutes the user wants to train in a week.
struct WorkoutGoalPages {
  private let database: Database
  private let page: Page<WorkoutGoalView>

  /// Throws if the template doesn't compile.
  init(_ site: AppEnvironment) throws {
    database = site.database
    page = try Page("workouts/goal", title: "workout_goal.title", in: site)
  }

  var routes: [Route] {
    [
      Route(.get, WorkoutLinks.goal, .atLeast(.guest), handler: show),
      Route(.post, WorkoutLinks.goal, .atLeast(.guest), handler: save),
    ]
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let minutes = try database.read { try WorkoutGoalStore().minutes(of: viewer.id, in: $0) }
    return page.response(
      WorkoutGoalView(entered: minutes.map(String.init) ?? "", errors: [:]), context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let entered = context.form["minutes"].asOneLine
    let minutes = Int(entered, in: WorkoutGoalStore.minutes)
    guard entered.isEmpty || minutes != nil else {
      let errors = ["minutes": FieldError("workout_goal.invalid")]
      return page.response(
        WorkoutGoalView(entered: entered, errors: errors.texts(context)), context,
        status: .unprocessableContent)
    }
    try database.write { try WorkoutGoalStore().set(minutes, of: viewer.id, in: $0) }
    context.flash(minutes == nil ? "toast.goal_removed" : "toast.saved")
    return .seeOther(WorkoutLinks.history)
  }
}

struct WorkoutGoalView: FormContent {
  let entered: String
  let errors: [String: String]

  static let fields: [String: Field<WorkoutGoalView>] = formFields(
    errors: ["minutes"],
    [
      "minutes": .text { $0.entered },
      "action": .text { _ in WorkoutLinks.goal },
      "back_link": .text { _ in WorkoutLinks.history },
    ])
}
