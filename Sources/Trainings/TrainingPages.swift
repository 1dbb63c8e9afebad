import Core
import Templates
import Web

/// `/workouts/trainings` and a training's page: published trainings, for every account.
struct TrainingPages {
  private let services: TrainingsEnvironment
  private let list: Template<TrainingListView>
  private let one: Template<TrainingView>

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    list = try services.site.templates.template("workouts/trainings")
    one = try services.site.templates.template("workouts/training")
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    _ = try context.signedIn()
    let view = TrainingListView(
      page: PageView(context, title: "training.title"),
      trainings: TrainingItemView.all(
        try services.store.published(), TrainingFormatter(context: context)))
    return .html(list.render(view, in: context.language))
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let view = services.view(try services.found(context), context)
    return .html(one.render(view, in: context.language))
  }
}

/// Trainings in their order, for users and for admins.
struct TrainingListView: View {
  let page: PageView
  let trainings: [TrainingItemView]

  static let fields: [String: Field<TrainingListView>] = [
    "page": .child { $0.page },
    "trainings": .list { $0.trainings },
    "has_trainings": .flag { !$0.trainings.isEmpty },
    "new_link": .text { _ in TrainingLinks.new },
    "all_link": .text { _ in TrainingLinks.all },
    "has_room": .flag { $0.trainings.count < TrainingRules.maximumTrainings },
  ]
}
