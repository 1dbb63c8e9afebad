import Core
import Templates
import Web

/// `/admin/trainings` and a training's admin page: order, publish, delete.
struct TrainingAdminPages {
  private let services: TrainingsEnvironment
  private let list: Page<TrainingListView>
  private let service: Page<TrainingView>
  private let deletion: Page<TrainingView>

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    list = try Page("staff/trainings", title: "admin.training.title", in: services.site)
    service = try Page("staff/training", in: services.site)
    deletion = try Page("staff/training-delete", in: services.site)
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    let trainings = try services.store.all(for: context.signedIn())
    let view = TrainingListView(
      trainings: TrainingItemView.all(trainings, TrainingFormatter(context: context)))
    return list.response(view, context)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let view = services.view(try services.found(context), context)
    return service.response(view, context, title: .named(view.training.details.name))
  }

  /// Handles the buttons of the list and of the admin page.
  @Sendable func press(_ context: Context) throws -> Response {
    let (viewer, training) = (try context.signedIn(), try services.found(context))
    switch (context.form["move"], context.form["button"]) {
    case ("up", _), ("down", _):
      try services.store.move(
        training.id, up: context.form["move"] == "up", by: viewer, now: context.now)
      return .seeOther(TrainingLinks.admin)
    case (_, "publish"):
      guard try services.store.publish(training.id, by: viewer, now: context.now) else {
        let view = services.view(
          training, context, errors: ["publish": FieldError("admin.training.needs_stages")])
        return service.response(
          view, context, title: .named(view.training.details.name), status: .unprocessableContent)
      }
      context.flash("toast.training_published")
    case (_, "unpublish"):
      try services.store.unpublish(training.id, by: viewer, now: context.now)
      context.flash("toast.training_unpublished")
    default: break
    }
    return .seeOther(TrainingLinks.service(training.id))
  }

  @Sendable func askDeletion(_ context: Context) throws -> Response {
    let view = services.view(try services.found(context), context)
    return deletion.response(view, context, title: .named(view.training.details.name))
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let training = try services.found(context)
    try services.store.delete(training.id, by: context.signedIn(), now: context.now)
    services.files.removeAll(of: training.id)
    context.flash("toast.training_deleted")
    return .seeOther(TrainingLinks.admin)
  }
}
