import Core
import Templates
import Web
import WorkoutFiles

/// `/workouts/add`: adds a workout whose figures the user types in.
struct AddWorkoutPage {
  private let site: AppEnvironment
  private let service: WorkoutService
  private let trainings: any FollowableTrainings
  private let page: Page<AddWorkoutView>

  init(
    site: AppEnvironment, service: WorkoutService, trainings: any FollowableTrainings
  ) throws {
    self.site = site
    self.service = service
    self.trainings = trainings
    page = try Page("workouts/add", title: "workout_add.title", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let form = ManualWorkoutForm(
      day: context.today,
      time: DateFormatting(context).time(context.now), units: context.units)
    return respond(form, try trainings.published(), context)
  }

  @Sendable func add(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let form = ManualWorkoutForm(context.form, units: context.units)
    let choices = try trainings.published()
    var (draft, errors) = form.draft(
      in: context.timeZone, now: context.now, trainings: Set(choices.map(\.id)))
    guard errors.isEmpty else { return respond(form, choices, context, errors) }
    if let name = draft.clientSessionID,
      let before = try site.database.read({ try service.workouts.find(name, of: person, in: $0) }),
      !before.content.isSame(as: draft)
    {
      draft.clientSessionID = draft.otherName(than: name)
    }
    let outcome = try service.upload([draft], of: person, now: context.now)
    if let stored = outcome.stored.first {
      context.flash("toast.workout_added")
      return .seeOther(WorkoutFileLinks.one(stored))
    }
    // The same form was sent twice: redirect to the workout that it created the first time.
    if let name = draft.clientSessionID,
      let before = try site.database.read({ try service.workouts.find(name, of: person, in: $0) })
    {
      return .seeOther(WorkoutFileLinks.one(before.id))
    }
    errors = ManualWorkoutForm.judged(draft, now: context.now, units: form.units)
    return respond(form, choices, context, errors)
  }

  private func respond(
    _ form: ManualWorkoutForm, _ trainings: [FollowedTraining], _ context: Context,
    _ errors: [String: FieldError] = [:]
  ) -> Response {
    let labels = errors.keys.map { ($0, ManualFiguresView.label(of: $0, form.units, context)) }
    let view = AddWorkoutView(
      form: form,
      figures: ManualFiguresView(form, trainings: trainings, errors: errors, context),
      labels: Dictionary(uniqueKeysWithValues: labels), errors: errors.texts(context))
    return page.response(view, context, status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

/// The form of `/workouts/add`.
struct AddWorkoutView: FormContent {
  let form: ManualWorkoutForm
  let figures: ManualFiguresView
  /// The names of the fields with errors, for the summary.
  let labels: [String: String]
  let errors: [String: String]

  private static func machine(_ machine: Machine) -> Field<AddWorkoutView> {
    .flag { $0.form.machine == machine }
  }

  static let fields: [String: Field<AddWorkoutView>] = formFields(
    errors: ManualWorkoutForm.order,
    [
      "action": .text { _ in WorkoutFileLinks.add },
      "all_link": .text { _ in WorkoutFileLinks.root },
      "import_link": .text { _ in WorkoutFileLinks.import },
      "client_session_id": .text { $0.form.session.description },
      "proposed": .text { $0.form["proposed"] },
      "bike": machine(.bike), "rower": machine(.rower), "other": machine(.other),
      "figures": .child { $0.figures },
    ]
  ).merging([
    "errors": .optional { ErrorsView($0.labels, order: ManualWorkoutForm.order) }
  ]) { $1 }
}
