import Core
import Templates
import Web

/// `/admin/trainings` and a training's admin page: order, publish, delete.
struct TrainingAdminPages {
  private let services: TrainingsEnvironment
  private let list: Template<TrainingListView>
  private let service: Template<TrainingView>
  private let deletion: Template<TrainingView>

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    let templates = services.site.templates
    list = try templates.template("staff/trainings")
    service = try templates.template("staff/training")
    deletion = try templates.template("staff/training-delete")
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    let trainings = try services.store.all(for: context.signedIn())
    let view = TrainingListView(
      page: PageView(context, title: "admin.training.title"),
      trainings: TrainingItemView.all(trainings, TrainingFormatter(context: context)))
    return .html(list.render(view, in: context.language))
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let view = services.view(try services.found(context), context)
    return .html(service.render(view, in: context.language))
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
        return .html(service.render(view, in: context.language), status: .unprocessableContent)
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
    return .html(deletion.render(view, in: context.language))
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let training = try services.found(context)
    try services.store.delete(training.id, by: context.signedIn(), now: context.now)
    services.files.removeAll(of: training.id)
    context.flash("toast.training_deleted")
    return .seeOther(TrainingLinks.admin)
  }
}
