import Core
import Templates
import Web

/// The fields for the figures of a workout, on the pages that add and change one.
struct ManualFiguresView: View {
  let form: ManualWorkoutForm
  let trainings: [ChoiceView]
  let lastDay: LocalDay
  let zone: String
  let isNew: Bool
  let errors: [String: String]

  /// For a stored workout, `stored` is it; its training stays a choice after it was removed.
  init(
    _ form: ManualWorkoutForm, of stored: WorkoutContent? = nil, trainings: [FollowedTraining],
    errors: [String: FieldError], _ context: Context
  ) {
    self.form = form
    self.errors = errors.texts(context)
    isNew = stored == nil
    lastDay = context.today
    zone = context.timeZoneName
    var choices = trainings.map { (id: $0.id, name: $0.name) }
    if let followed = stored?.training, !choices.contains(where: { $0.id == followed }) {
      choices.append((id: followed, name: context.text("workout_edit.training_removed")))
    }
    self.trainings = choices.map { id, name in
      ChoiceView(value: id.description, name: name, isChosen: id.description == form["training"])
    }
  }

  /// The name of a field: the summary of errors names it, and the error is beside it.
  static func label(of field: String, _ units: LengthUnits, _ context: Context) -> String {
    let key =
      switch field {
      case "device_type": "machine"
      case "distance" where units == .feet: "distance_miles"
      default: field
      }
    return context.text("workout_add.\(key)")
  }

  private static func value(_ name: String) -> Field<ManualFiguresView> { .text { $0.form[name] } }
  private static func error(_ name: String) -> Field<ManualFiguresView> {
    .optionalText { $0.errors[name] }
  }

  static let fields: [String: Field<ManualFiguresView>] = [
    "new": .flag { $0.isNew },
    "day": value("day"), "day_error": error("day"), "last_day": .text { $0.lastDay.description },
    "time": value("time"), "time_error": error("time"), "zone": .text { $0.zone },
    "duration": value("duration"), "duration_error": error("duration"),
    "units": .text { $0.form.units.rawValue }, "miles": .flag { $0.form.units == .feet },
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
  ]
}
