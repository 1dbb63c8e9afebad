import Core
import Web
import WorkoutFiles

/// The form with the figures of a workout that is stored.
extension ManualWorkoutForm {
  /// The figures as the viewer's time zone and these units show them.
  init(_ content: WorkoutContent, _ context: Context, units: LengthUnits) {
    let figures = content.figures
    self.init(
      session: content.clientSessionID, units: units,
      fields: [
        "device_type": content.machine.rawValue,
        "day": LocalDay(content.startedAt, in: context.timeZone).description,
        "time": DateFormatting(context).time(content.startedAt),
        "duration": DurationFormatter.clock(Int(content.duration.value)),
        "distance": Self.text(content.distance.value / units.metresALongUnit),
        "energy": Self.text(content.energy.value),
        "avg_hr": Self.text(figures.averageHeartRate),
        "max_hr": Self.text(figures.maximumHeartRate),
        "avg_power": Self.text(figures.averagePower),
        "max_power": Self.text(figures.maximumPower),
        "avg_cadence": Self.text(figures.averageCadence),
        "max_cadence": Self.text(figures.maximumCadence),
        "training": content.training?.description ?? "",
      ])
  }

  /// A number with up to three decimals, "12.5"; empty for none and for 0.
  private static func text(_ value: Double?) -> String {
    let thousandths = Int64(((value ?? 0) * 1000).rounded())
    guard thousandths > 0 else { return "" }
    var decimals = String(thousandths % 1000 + 1000).dropFirst()
    while decimals.last == "0" { decimals.removeLast() }
    return decimals.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(decimals)"
  }

  /// The stored workout with the figures of this form, and the errors by field. Fields that still
  /// show what is stored keep the exact values: a form has no seconds of the start, and fewer
  /// decimals. `trainings` are accepted, and the one that the workout has.
  func draft(
    changing content: WorkoutContent, _ context: Context, trainings: Set<ID<FollowedTraining>>
  ) -> (draft: WorkoutDraft, errors: [String: FieldError]) {
    let known = trainings.union([content.training].compactMap { $0 })
    var (draft, errors) = self.draft(in: context.timeZone, now: context.now, trainings: known)
    let before = ManualWorkoutForm(content, context, units: units)
    func isKept(_ name: String) -> Bool { self[name] == before[name] }
    draft.clientSessionID = content.clientSessionID
    if isKept("day"), isKept("time") { draft.startedAt = content.startedAt }
    if isKept("duration") { draft.duration = content.duration.value }
    if let start = draft.startedAt, let duration = draft.duration {
      draft.endedAt = start.adding(seconds: Int64(duration))
    }
    if isKept("distance") { draft.distance = content.distance.value }
    if isKept("energy") { draft.energy = content.energy.value }
    let (old, new) = (content.figures, draft.figures)
    draft.figures = old
    if !isKept("avg_hr") { draft.figures.averageHeartRate = new.averageHeartRate }
    if !isKept("max_hr") { draft.figures.maximumHeartRate = new.maximumHeartRate }
    if !isKept("avg_power") { draft.figures.averagePower = new.averagePower }
    if !isKept("max_power") { draft.figures.maximumPower = new.maximumPower }
    if !isKept("avg_cadence") { draft.figures.averageCadence = new.averageCadence }
    if !isKept("max_cadence") { draft.figures.maximumCadence = new.maximumCadence }
    if errors.isEmpty { errors = Self.judged(draft, now: context.now, units: units) }
    return (draft, errors)
  }
}
