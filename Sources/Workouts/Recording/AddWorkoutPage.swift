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
    let form = ManualWorkoutForm(today: LocalDay(context.now, in: context.timeZone))
    return respond(form, try trainings.published(), context)
  }

  @Sendable func add(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let form = ManualWorkoutForm(context.form)
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
    errors = ManualWorkoutForm.judged(draft, now: context.now)
    return respond(form, choices, context, errors)
  }

  private func respond(
    _ form: ManualWorkoutForm, _ trainings: [FollowedTraining], _ context: Context,
    _ errors: [String: FieldError] = [:]
  ) -> Response {
    let view = AddWorkoutView(
      form: form,
      trainings: trainings.map {
        let id = $0.id.description
        return ChoiceView(value: id, name: $0.name, isChosen: id == form["training"])
      },
      lastDay: LocalDay(context.now, in: context.timeZone),
      zone: context.timeZoneName, errors: errors.texts(context))
    return page.response(view, context, status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

/// The form of `/workouts/add`.
struct AddWorkoutView: FormContent {
  let form: ManualWorkoutForm
  let trainings: [ChoiceView]
  let lastDay: LocalDay
  let zone: String
  let errors: [String: String]

  private static func value(_ name: String) -> Field<AddWorkoutView> { .text { $0.form[name] } }
  private static func error(_ name: String) -> Field<AddWorkoutView> {
    .optionalText { $0.errors[name] }
  }
  private static func machine(_ machine: Machine) -> Field<AddWorkoutView> {
    .flag { $0.form["device_type"] == machine.rawValue }
  }

  static let fields: [String: Field<AddWorkoutView>] = formFields(
    errors: ManualWorkoutForm.order,
    [
      "action": .text { _ in WorkoutFileLinks.add },
      "all_link": .text { _ in WorkoutFileLinks.root },
      "import_link": .text { _ in WorkoutFileLinks.import },
      "client_session_id": .text { $0.form.session.description },
      "bike": machine(.bike), "rower": machine(.rower), "other": machine(.other),
      "device_type_error": error("device_type"),
      "day": value("day"), "day_error": error("day"), "last_day": .text { $0.lastDay.description },
      "time": value("time"), "time_error": error("time"), "zone": .text { $0.zone },
      "hours": value("hours"), "minutes": value("minutes"), "seconds": value("seconds"),
      "duration_error": error("duration"),
      "distance": value("distance"), "distance_error": error("distance"),
      "energy": value("energy"), "energy_error": error("energy"),
      "more": .flag { $0.form.hasFigures },
      "avg_hr": value("avg_hr"), "avg_hr_error": error("avg_hr"),
      "max_hr": value("max_hr"), "max_hr_error": error("max_hr"),
      "avg_power": value("avg_power"), "avg_power_error": error("avg_power"),
      "max_power": value("max_power"), "max_power_error": error("max_power"),
      "avg_cadence": value("avg_cadence"), "avg_cadence_error": error("avg_cadence"),
      "max_cadence": value("max_cadence"), "max_cadence_error": error("max_cadence"),
      "trainings": .list { $0.trainings },
      "has_trainings": .flag { !$0.trainings.isEmpty },
      "training_error": error("training"),
    ])
}
