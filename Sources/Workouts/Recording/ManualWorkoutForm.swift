import Core
import Foundation
import Secrets
import Web
import WorkoutFiles

/// A workout whose figures the user types in: the form's values, and the draft made from them.
struct ManualWorkoutForm {
  /// The fields for figures, in page order.
  static let figures = [
    "avg_hr", "max_hr", "avg_power", "max_power", "avg_cadence", "max_cadence",
  ]
  /// The fields in page order, for the error summary.
  static let order =
    ["device_type", "day", "time", "duration", "distance", "energy"] + figures + ["training"]

  /// Identifies the workout, so that a form sent twice creates one workout.
  var session: ID<ClientSession>
  /// The units that the form showed for the distance, which the user may have changed since.
  let units: LengthUnits
  private(set) var fields: [String: String] = [:]

  /// An empty form: on a bike, now.
  init(day: LocalDay, time: String, units: LengthUnits) {
    session = .random()
    self.units = units
    let day = day.description
    fields = [
      "device_type": Machine.bike.rawValue, "day": day, "time": time, "proposed": "\(day) \(time)",
    ]
  }

  init(session: ID<ClientSession>, units: LengthUnits, fields: [String: String]) {
    self.session = session
    self.units = units
    self.fields = fields
  }

  /// `units` are those of a form that names none.
  init(_ form: Form, units: LengthUnits) {
    session = ID(form["client_session_id"]) ?? .random()
    self.units = LengthUnits(rawValue: form["units"]) ?? units
    for name in ["proposed"] + Self.order {
      fields[name] = FieldLimits(characters: 60).beginning(of: form[name].asOneLine)
    }
  }

  subscript(_ name: String) -> String { fields[name] ?? "" }

  var machine: Machine? {
    get { Machine(rawValue: self["device_type"]) }
    set { fields["device_type"] = newValue?.rawValue }
  }

  /// Whether one of the optional figures is filled in.
  var hasFigures: Bool { Self.figures.contains { !self[$0].isEmpty } }

  // MARK: Reading

  /// The workout, and the errors by field. `trainings` are the accepted ones.
  func draft(
    in zone: TimeZone, now: Instant, trainings: Set<ID<FollowedTraining>>
  ) -> (draft: WorkoutDraft, errors: [String: FieldError]) {
    var errors: [String: FieldError] = [:]
    var draft = WorkoutDraft()
    draft.clientSessionID = session
    draft.source = .entered
    draft.machine = machine
    if draft.machine == nil { errors["device_type"] = FieldError("workout_add.error_machine") }
    draft.startedAt = start(in: zone, &errors)
    draft.duration = duration(&errors)
    if let start = draft.startedAt, let duration = draft.duration {
      let start = begun(start, duration)
      draft.startedAt = start
      draft.endedAt = start.adding(seconds: Int64(duration))
      // The rules check only the start; a workout that has not ended yet is refused here.
      let isAhead = start.adding(seconds: Int64(duration)) > now.adding(seconds: .minutes(5))
      if isAhead && start <= now.adding(seconds: .minutes(5)) {
        errors["duration"] = FieldError("workout_add.error_ends_later")
      }
    }
    draft.distance = amount("distance", &errors).map { $0 * units.metresALongUnit } ?? 0
    draft.energy = amount("energy", &errors) ?? 0
    draft.figures.averageHeartRate = amount("avg_hr", &errors)
    draft.figures.maximumHeartRate = amount("max_hr", &errors)
    draft.figures.averagePower = amount("avg_power", &errors)
    draft.figures.maximumPower = amount("max_power", &errors)
    draft.figures.averageCadence = amount("avg_cadence", &errors)
    draft.figures.maximumCadence = amount("max_cadence", &errors)
    for (average, maximum) in [
      ("avg_hr", "max_hr"), ("avg_power", "max_power"), ("avg_cadence", "max_cadence"),
    ] {
      guard let mean = DecimalParser.decimal(self[average]),
        let largest = DecimalParser.decimal(self[maximum]), mean > largest, errors[maximum] == nil
      else { continue }
      errors[maximum] = FieldError("workout_add.error_below_average")
    }
    if !self["training"].isEmpty {
      draft.training = ID<FollowedTraining>(self["training"]).flatMap {
        trainings.contains($0) ? $0 : nil
      }
      if draft.training == nil { errors["training"] = FieldError("workout_add.error_training") }
    }
    if errors.isEmpty { errors = Self.judged(draft, now: now, units: units) }
    return (draft, errors)
  }

  /// The start by the local clock. A time skipped by a clock change becomes the next valid one; one
  /// that occurred twice is the first (`LocalDay.instant`).
  private func start(in zone: TimeZone, _ errors: inout [String: FieldError]) -> Instant? {
    let day = LocalDay(self["day"])
    if day == nil { errors["day"] = FieldError("workout_add.error_day") }
    // Some browsers also send seconds.
    let parts = self["time"].split(separator: ":", omittingEmptySubsequences: false).prefix(2)
      .map { $0.utf8.count <= 2 ? DecimalParser.whole(String($0)) : nil }
    guard parts.count == 2, let hour = parts[0], let minute = parts[1], hour < 24, minute < 60
    else {
      errors["time"] = FieldError("workout_add.error_time")
      return nil
    }
    return day?.instant(minute: hour * 60 + minute, in: zone)
  }

  /// A user who leaves the proposed start, which was the time of asking, has just finished.
  private func begun(_ start: Instant, _ duration: Double) -> Instant {
    let isProposed = self["proposed"] == "\(self["day"]) \(self["time"].prefix(5))"
    return isProposed ? start.adding(seconds: -Int64(duration)) : start
  }

  /// The duration in s: "45" in minutes, "45:00" or "1:05:00".
  private func duration(_ errors: inout [String: FieldError]) -> Double? {
    let parts = self["duration"].replacing("\u{FF1A}", with: ":")
      .split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { DecimalParser.whole(String($0)) }
    guard (1...3).contains(parts.count), numbers.count == parts.count,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else {
      errors["duration"] = FieldError("workout_add.error_duration_form")
      return nil
    }
    let sum = numbers.reduce(0) { $0 * 60 + $1 } * (numbers.count == 1 ? 60 : 1)
    guard WorkoutValidation.duration.contains(Double(sum)) else {
      errors["duration"] = FieldError("workout_add.error_duration")
      return nil
    }
    return Double(sum)
  }

  private func amount(_ name: String, _ errors: inout [String: FieldError]) -> Double? {
    if self[name].isEmpty { return nil }
    guard let number = DecimalParser.decimal(self[name]) else {
      errors[name] = FieldError("workout_add.error_number")
      return nil
    }
    return number
  }

  // MARK: Validation

  /// The errors that the general workout rules find, by the fields of this form.
  static func judged(
    _ draft: WorkoutDraft, now: Instant, units: LengthUnits
  ) -> [String: FieldError] {
    do throws(WorkoutValidationError) {
      _ = try WorkoutValidation.check(draft, now: now)
      return [:]
    } catch {
      let found = error.failures.map { failure in
        (field(failure.field), text(failure, units))
      }
      return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }
  }

  private static func field(_ field: WorkoutDraft.Field) -> String {
    switch field {
    case .machine: "device_type"
    case .duration, .endedAt, .paused: "duration"
    case .distance: "distance"
    case .energy: "energy"
    case .averageHeartRate: "avg_hr"
    case .maximumHeartRate: "max_hr"
    case .averagePower: "avg_power"
    case .maximumPower: "max_power"
    case .averageCadence: "avg_cadence"
    case .maximumCadence: "max_cadence"
    case .training: "training"
    default: "day"
    }
  }

  private static func text(_ failure: WorkoutIssue, _ units: LengthUnits) -> FieldError {
    func range(_ range: ClosedRange<Double>, _ unit: Double = 1) -> FieldError {
      FieldError(
        "workout_add.error_range",
        [
          "least": String(Int(range.lowerBound / unit)),
          "most": String(Int(range.upperBound / unit)),
        ])
    }
    switch (failure.field, failure.code) {
    case (_, .inFuture): return FieldError("workout_add.error_future")
    case (_, .tooOld): return FieldError("workout_add.error_old")
    case (.distance, _): return range(WorkoutValidation.distance, units.metresALongUnit)
    case (.energy, _): return range(WorkoutValidation.energy)
    case (.averageHeartRate, _), (.maximumHeartRate, _): return range(WorkoutValidation.heartRate)
    case (.averagePower, _), (.maximumPower, _): return range(WorkoutValidation.power)
    case (.averageCadence, _), (.maximumCadence, _): return range(WorkoutValidation.cadence)
    case (.duration, _), (.endedAt, _): return FieldError("workout_add.error_duration")
    default: return FieldError("workout_add.error_day")
    }
  }
}

extension WorkoutContent {
  /// Whether a draft equals this workout, which was stored under the same name.
  func isSame(as draft: WorkoutDraft) -> Bool {
    startedAt == draft.startedAt && duration == draft.duration.flatMap(FixedPoint3.init)
      && energy == draft.energy.flatMap(FixedPoint3.init)
      && distance == draft.distance.flatMap(FixedPoint3.init) && machine == draft.machine
      && training == draft.training && figures == draft.figures
  }
}

extension WorkoutDraft {
  /// A new name for figures sent under a name that another workout has: a page restored by the back
  /// button still contains the name that was sent before. The same figures get the same name.
  func otherName(than session: ID<ClientSession>) -> ID<ClientSession> {
    let numbers: [Double?] =
      [
        startedAt.map { Double($0.milliseconds) }, duration, energy, distance,
        figures.averageHeartRate, figures.maximumHeartRate, figures.averagePower,
        figures.maximumPower, figures.averageCadence, figures.maximumCadence,
      ]
    var said = session.bytes + Array((machine?.rawValue ?? "").utf8) + (training?.bytes ?? [])
    for number in numbers {
      withUnsafeBytes(of: (number ?? -1).bitPattern.littleEndian) { said += Array($0) }
    }
    return WorkoutImport.name(of: said)
  }
}
