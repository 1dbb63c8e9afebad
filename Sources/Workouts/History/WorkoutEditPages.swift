import Core
import Templates
import Web
import WorkoutFiles

/// The words that a user adds to a workout, and its machine.
struct WorkoutDescription: Equatable {
  static let titleLimits = FieldLimits(characters: 80)
  static let noteLimits = FieldLimits(characters: 1000)

  var title: String
  var note: String
  var machine: Machine

  /// Validation errors by field.
  var errors: [String: FieldError] {
    var errors: [String: FieldError] = [:]
    errors["title"] = FieldError.tooLong(title, Self.titleLimits)
    errors["note"] = FieldError.tooLong(note, Self.noteLimits)
    return errors
  }
}

/// `/workouts/{id}/edit`: title, note and machine of a workout.
struct WorkoutEditPages {
  private let service: WorkoutService
  private let trainings: any FollowableTrainings
  private let page: Page<WorkoutEditView>

  /// Throws if the template doesn't compile.
  init(
    _ site: AppEnvironment, service: WorkoutService, trainings: any FollowableTrainings
  ) throws {
    self.service = service
    self.trainings = trainings
    page = try Page("workouts/edit", title: "workout_edit.title", in: site)
  }

  var routes: [Route] {
    let path = "\(WorkoutLinks.history)/:id/edit"
    return [
      Route(.get, path, .atLeast(.guest), handler: show),
      Route(.post, path, .atLeast(.guest), options: .paragraphs, handler: save),
    ]
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let workout = try find(context)
    let description = WorkoutDescription(
      title: workout.title, note: workout.note, machine: workout.content.machine)
    return page.response(try view(workout, description, [:], context), context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let workout = try find(context)
    let description = WorkoutDescription(
      title: context.form["title"].asOneLine, note: context.form["note"].asParagraphs,
      machine: Machine(rawValue: context.form["machine"]) ?? workout.content.machine)
    let errors = description.errors
    guard errors.isEmpty else {
      return page.response(
        try view(workout, description, errors, context), context, status: .unprocessableContent)
    }
    guard try service.describe(workout.id, as: description, of: context.signedIn().id) else {
      throw Problem.notFound
    }
    context.flash("toast.saved")
    return .seeOther(WorkoutLinks.one(workout.id))
  }

  private func find(_ context: Context) throws -> Workout {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    let found = try service.database.read {
      try service.workouts.find(id, of: viewer.id, in: $0)
    }
    guard let found else { throw Problem.notFound }
    return found
  }

  private func view(
    _ workout: Workout, _ description: WorkoutDescription, _ errors: [String: FieldError],
    _ context: Context
  ) throws -> WorkoutEditView {
    let formatter = WorkoutFormatter(context)
    let names = try service.database.read {
      try trainings.names(of: Set([workout.content.training].compactMap { $0 }), in: $0)
    }
    var untitled = workout
    untitled.title = ""
    return WorkoutEditView(
      id: workout.id, description: description,
      standardTitle: formatter.title(untitled, names),
      machines: Machine.allCases.map {
        ChoiceView(
          value: $0.rawValue, name: formatter.kind($0), hint: "",
          isChosen: $0 == description.machine)
      },
      errors: errors.texts(context))
  }
}

struct WorkoutEditView: FormContent {
  let id: ID<Workout>
  let description: WorkoutDescription
  /// The title without one of the user's.
  let standardTitle: String
  let machines: [ChoiceView]
  let errors: [String: String]

  static let fields: [String: Field<WorkoutEditView>] = formFields(
    errors: ["title", "note"],
    [
      "title": .text { $0.description.title },
      "standard_title": .text { $0.standardTitle },
      "note": .text { $0.description.note },
      "machines": .list { $0.machines },
      "action": .text { WorkoutLinks.edit($0.id) },
      "back_link": .text { WorkoutLinks.one($0.id) },
    ])
}
