import Core
import Templates
import Web

/// `/workouts/trainings` and a training's page: published trainings, for every account.
struct TrainingPages {
  private let services: TrainingsEnvironment
  private let list: Page<TrainingListView>
  private let one: Page<TrainingView>

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    list = try Page("workouts/trainings", title: "training.title", in: services.site)
    one = try Page("workouts/training", in: services.site)
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    _ = try context.signedIn()
    let view = TrainingListView(
      trainings: TrainingItemView.all(
        try services.store.published(), TrainingFormatter(context: context)))
    return list.response(view, context)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let view = services.view(try services.found(context), context)
    return one.response(view, context, title: .named(view.training.details.name))
  }
}

/// Trainings in their order, for users and for admins.
struct TrainingListView: View {
  let trainings: [TrainingItemView]

  static let fields: [String: Field<TrainingListView>] = [
    "trainings": .list { $0.trainings },
    "has_trainings": .flag { !$0.trainings.isEmpty },
    "new_link": .text { _ in TrainingLinks.new },
    "all_link": .text { _ in TrainingLinks.all },
    "has_room": .flag { $0.trainings.count < TrainingRules.maximumTrainings },
  ]
}
