import Basics
import Web

/// `/api/v1/trainings`: trainings for apps, over what the pages show (docs/api/workouts.md).
struct TrainingAPI {
  private let store: TrainingStore

  init(_ services: TrainingServices) {
    store = services.store
  }

  var routes: [Route] {
    [
      .api(
        .get, "/trainings", .atLeast(.guest),
        Operation(
          "All trainings", .workouts,
          note: "Those that are published, in their order and all at once."),
        handler: showAll)
    ]
  }

  @Sendable private func showAll(_ context: Context) throws -> TrainingListRecord {
    _ = try context.signedIn()
    return TrainingListRecord(
      trainings: try store.published().map { TrainingRecord($0, context) })
  }
}
