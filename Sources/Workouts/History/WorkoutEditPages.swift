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

/// `/workouts/{id}/edit`: title, note and machine of a workout, and the figures of one that the
/// user typed in.
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
    let view = try view(workout, description, enteredForm(workout, context), [:], context)
    return page.response(view, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let workout = try find(context)
    let description = WorkoutDescription(
      title: context.form["title"].asOneLine, note: context.form["note"].asParagraphs,
      machine: Machine(rawValue: context.form["machine"]) ?? workout.content.machine)
    var errors = description.errors
    var form = enteredForm(workout, context)
    var draft: WorkoutDraft?
    // A form without fields for figures leaves them as they are.
    if form != nil, context.form.has("duration") {
      var entered = ManualWorkoutForm(context.form, units: context.units)
      entered.machine = description.machine
      let (changed, mistakes) = entered.draft(
        changing: workout.content, context, trainings: Set(try trainings.published().map(\.id)))
      errors.merge(mistakes) { first, _ in first }
      form = entered
      draft = changed
    }
    guard errors.isEmpty else {
      return page.response(
        try view(workout, description, form, errors, context), context,
        status: .unprocessableContent)
    }
    guard try change(workout.id, as: description, with: draft, context) else {
      throw Problem.notFound
    }
    context.flash("toast.saved")
    return .seeOther(WorkoutLinks.one(workout.id))
  }

  /// Saves the words, and the figures if there is a draft of them; false if there is no workout.
  private func change(
    _ id: ID<Workout>, as description: WorkoutDescription, with draft: WorkoutDraft?,
    _ context: Context
  ) throws -> Bool {
    let person = try context.signedIn().id
    guard let draft else { return try service.describe(id, as: description, of: person) }
    return try service.revise(id, as: description, with: draft, of: person, now: context.now)
  }

  /// The form of the figures of a workout that the user typed in; nil for others.
  private func enteredForm(_ workout: Workout, _ context: Context) -> ManualWorkoutForm? {
    guard workout.content.source == .entered else { return nil }
    return ManualWorkoutForm(workout.content, context, units: context.units)
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
    _ workout: Workout, _ description: WorkoutDescription, _ form: ManualWorkoutForm?,
    _ errors: [String: FieldError], _ context: Context
  ) throws -> WorkoutEditView {
    let formatter = WorkoutFormatter(context)
    let names = try service.database.read {
      try trainings.names(of: Set([workout.content.training].compactMap { $0 }), in: $0)
    }
    var untitled = workout
    untitled.title = ""
    let units = form?.units ?? context.units
    return WorkoutEditView(
      id: workout.id, description: description,
      standardTitle: formatter.title(untitled, names),
      machines: Machine.allCases.map {
        ChoiceView(
          value: $0.rawValue, name: formatter.kind($0), hint: "",
          isChosen: $0 == description.machine)
      },
      figures: try form.map {
        ManualFiguresView(
          $0, of: workout.content, trainings: try trainings.published(), errors: errors, context)
      },
      labels: Dictionary(
        uniqueKeysWithValues: errors.keys.map { ($0, Self.label(of: $0, units, context)) }),
      errors: errors.texts(context))
  }

  private static func label(
    of field: String, _ units: LengthUnits, _ context: Context
  ) -> String {
    switch field {
    case "title": context.text("workout_edit.name")
    case "note": context.text("workout_edit.note")
    default: ManualFiguresView.label(of: field, units, context)
    }
  }
}

struct WorkoutEditView: FormContent {
  private static let order = ["title", "note"] + ManualWorkoutForm.order

  let id: ID<Workout>
  let description: WorkoutDescription
  /// The title without one of the user's.
  let standardTitle: String
  let machines: [ChoiceView]
  /// The figures of a workout that the user typed in; nil for others.
  let figures: ManualFiguresView?
  /// The names of the fields with errors, for the summary.
  let labels: [String: String]
  let errors: [String: String]

  static let fields: [String: Field<WorkoutEditView>] = formFields(
    errors: ["title", "note"],
    [
      "title": .text { $0.description.title },
      "standard_title": .text { $0.standardTitle },
      "note": .text { $0.description.note },
      "machines": .list { $0.machines },
      "figures": .optional { $0.figures },
      "action": .text { WorkoutLinks.edit($0.id) },
      "back_link": .text { WorkoutLinks.one($0.id) },
    ]
  ).merging([
    "errors": .optional { ErrorsView($0.labels, order: order) }
  ]) { $1 }
}
