import Core
import Web

/// `/api/v1/trainings`: published trainings for apps (docs/api/workouts.md).
struct TrainingAPI {
  private let store: TrainingStore

  init(_ services: TrainingsEnvironment) {
    store = services.store
  }

  var routes: [Route] {
    [
      .api(
        .get, "/trainings", .atLeast(.guest),
        Operation(
          "List all trainings", .workouts,
          note: "Published trainings, in order, without paging."),
        handler: showAll)
    ]
  }

  @Sendable private func showAll(_ context: Context) throws -> TrainingListResponse {
    _ = try context.signedIn()
    return TrainingListResponse(
      trainings: try store.published().map { TrainingResponse($0, context) })
  }
}
