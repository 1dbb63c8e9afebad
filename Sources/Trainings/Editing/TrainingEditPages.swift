import Core
import Templates
import Web

/// `/admin/trainings/new` and `/admin/trainings/{id}/edit`: texts and stages in one form. Buttons
/// beside the stages change their rows and save nothing.
struct TrainingEditPages {
  private let services: TrainingsEnvironment
  private let page: Page<TrainingEditView>

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    page = try Page("staff/training-edit", in: services.site)
  }

  @Sendable func showNew(_ context: Context) throws -> Response {
    respond(TrainingForm(), of: nil, version: nil, context)
  }

  @Sendable func add(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    var form = TrainingForm(context.form)
    if let changed = change(&form, of: nil, version: nil, context) { return changed }
    var errors: [String: FieldError] = [:]
    guard let details = form.details(&errors) else {
      return respond(form, of: nil, version: nil, context, errors)
    }
    guard let id = try services.store.add(details, by: viewer, now: context.now) else {
      return respond(
        form, of: nil, version: nil, context,
        ["name": FieldError("admin.training.trainings_many")])
    }
    context.flash("toast.saved")
    return .seeOther(TrainingLinks.service(id))
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let training = try services.found(context)
    return respond(
      TrainingForm(training.details), of: training, version: training.updatedAt, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let (viewer, training) = (try context.signedIn(), try services.found(context))
    var form = TrainingForm(context.form)
    let version = Int64(context.form["version"], in: 0 ... .max)
      .map(Instant.init(milliseconds:))
    if let changed = change(&form, of: training, version: version, context) { return changed }
    var errors: [String: FieldError] = [:]
    guard let details = form.details(&errors) else {
      return respond(form, of: training, version: version, context, errors)
    }
    let outcome = try services.store.save(
      details, of: training.id, version: version ?? Instant(milliseconds: 0), by: viewer,
      now: context.now)
    switch outcome {
    case .saved:
      context.flash("toast.saved")
      return .seeOther(TrainingLinks.service(training.id))
    case .needsStages:
      errors["stages"] = FieldError("admin.training.needs_stages")
    case .changedMeanwhile:
      // Saving again after reading the message overwrites.
      errors["name"] = FieldError("admin.training.conflict")
      return respond(form, of: training, version: training.updatedAt, context, errors)
    }
    return respond(form, of: training, version: version, context, errors)
  }

  /// The response to a button beside the stages; nil for the save button.
  private func change(
    _ form: inout TrainingForm, of training: Training?, version: Instant?, _ context: Context
  ) -> Response? {
    guard let change = TrainingForm.Change(context.form["row"]) else { return nil }
    let place = form.apply(change)
    return respond(form, of: training, version: version, context, focus: place)
  }

  private func respond(
    _ form: TrainingForm, of training: Training?, version: Instant?, _ context: Context,
    _ errors: [String: FieldError] = [:], focus: Int? = nil
  ) -> Response {
    let view = TrainingEditView(
      form: form, training: training?.id, version: version, errors: errors.texts(context),
      focus: focus)
    return page.response(
      view, context, title: .key(training == nil ? "admin.training.new" : "admin.training.edit"),
      status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

struct TrainingEditView: View {
  let form: TrainingForm
  let training: ID<Training>?
  let version: Instant?
  let errors: [String: String]
  let focus: Int?

  private var rows: [TrainingRowView] {
    form.rows.enumerated().map { place, row in
      TrainingRowView(
        row: row, number: place + 1, isLast: place == form.rows.count - 1,
        isFocused: focus == place + 1, errors: errors)
    }
  }

  private func isChosen(_ difficulty: Training.Difficulty) -> Bool {
    form.difficulty == difficulty.rawValue
  }

  static let fields: [String: Field<TrainingEditView>] = [
    "is_new": .flag { $0.training == nil },
    "action": .text { $0.training.map(TrainingLinks.edit) ?? TrainingLinks.new },
    "back_link": .text { $0.training.map(TrainingLinks.service) ?? TrainingLinks.admin },
    "version": .text { $0.version.map { String($0.milliseconds) } ?? "" },
    "name": .text { $0.form.name },
    "description": .text { $0.form.description },
    "easy": .flag { $0.isChosen(.easy) },
    "moderate": .flag { $0.isChosen(.moderate) },
    "hard": .flag { $0.isChosen(.hard) },
    "rows": .list { $0.rows },
    "has_room": .flag { $0.form.hasRoom },
    "name_error": .optionalText { $0.errors["name"] },
    "description_error": .optionalText { $0.errors["description"] },
    "difficulty_error": .optionalText { $0.errors["difficulty"] },
    "stages_error": .optionalText { $0.errors["stages"] },
    "errors": .optional { ErrorsView($0.errors, order: $0.form.fieldOrder) },
  ]
}

/// One stage in the form.
struct TrainingRowView: View {
  let row: TrainingForm.Row
  let number: Int
  let isLast: Bool
  let isFocused: Bool
  let errors: [String: String]

  private func isChosen(_ kind: TrainingTarget.Kind) -> Bool { row.target == kind.rawValue }

  static let fields: [String: Field<TrainingRowView>] = [
    "number": .integer { $0.number },
    "first": .flag { $0.number == 1 },
    "last": .flag { $0.isLast },
    "focused": .flag { $0.isFocused },
    "minutes": .text { $0.row.minutes },
    "seconds": .text { $0.row.seconds },
    "free": .flag { $0.isChosen(.free) },
    "resistance": .flag { $0.isChosen(.resistance) },
    "power": .flag { $0.isChosen(.power) },
    "cadence": .flag { $0.isChosen(.cadence) },
    "value": .text { $0.row.value },
    "text": .text { $0.row.text },
    "time_error": .optionalText { $0.errors["minutes_\($0.number)"] },
    "value_error": .optionalText { $0.errors["value_\($0.number)"] },
    "text_error": .optionalText { $0.errors["text_\($0.number)"] },
  ]
}
