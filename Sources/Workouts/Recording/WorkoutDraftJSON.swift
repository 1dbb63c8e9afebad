import Core
import Web
import WorkoutFiles

/// Reads one session of the API (docs/api/workouts.md). It never fails: fields of a wrong type are
/// listed, so that only the invalid workout is refused; unknown fields are ignored.
extension WorkoutDraft: JSONRequest {
  public static let jsonName = "NewWorkout"

  public static let jsonFields: [InputField<Self>] = [
    .required(
      Field.clientSessionID.rawValue,
      note: "Chosen by the client. Later uploads with the same value are duplicates."
    ) { $0.clientSessionID = $1 },
    .required(
      Field.startedAt.rawValue,
      note: "Not before 2000, and at most 5 min ahead of the server's clock.",
      example: "2026-03-01T18:00:00.000Z"
    ) { $0.startedAt = $1 },
    .required(
      Field.endedAt.rawValue, note: "At most a week after the start.",
      example: "2026-03-01T18:31:30.000Z"
    ) {
      $0.endedAt = $1
    },
    .required(
      Field.duration.rawValue,
      note: "Moving time, in s: at most ended − started + 2, and at least "
        + "ended − started − paused − 2 if `paused` is given.",
      bounds: WorkoutValidation.duration.json, example: 1800
    ) { $0.duration = $1 },
    .optional(
      Field.paused.rawValue, note: "In s; at most the time from start to end.",
      bounds: ["minimum": 0], example: 90
    ) { $0.paused = $1 },
    .required(
      Field.energy.rawValue, note: "In kcal.", bounds: WorkoutValidation.energy.json, example: 271.5
    ) { $0.energy = $1 },
    .required(
      Field.distance.rawValue, note: "In m.", bounds: WorkoutValidation.distance.json,
      example: 14_200
    ) { $0.distance = $1 },
    .required(Field.machine.rawValue) { $0.machine = $1 },
    .optional(Field.training.rawValue, note: "The training that the workout followed.") {
      $0.training = $1
    },
    .optional(Field.detail.rawValue, note: "Unknown fields are ignored.") {
      (draft: inout WorkoutDraft, detail: Detail) in
      draft.figures = detail.figures
      draft.interval = detail.samples.interval
      draft.samples = detail.samples.series
    },
    .optional(
      Field.raw.rawValue, limits: FieldLimits(bytes: 2 * WorkoutValidation.maximumRawLength),
      note:
        "Raw data from the machine, at most \(WorkoutValidation.maximumRawLength) characters of base64.",
      example: "AQID"
    ) { $0.raw = $1 },
  ]

  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> WorkoutDraft? {
    guard case .object = json else {
      var draft = WorkoutDraft()
      draft.mistyped = [.session]
      return draft
    }
    var (draft, wrong) = readInParts(json, at: "")
    draft.mistyped = Set(
      wrong.compactMap { place, error in
        // Missing fields are reported by the validation.
        error.key == "api.field_missing" ? nil : field(place)
      })
    return draft
  }

  /// The field at a path of the body, without the index of a sample.
  private static func field(_ path: String) -> Field {
    var parts = path.split(separator: ".")
    while let last = parts.last, last.allSatisfy(\.isNumber) { parts.removeLast() }
    return Field(rawValue: parts.joined(separator: ".")) ?? .session
  }

  /// The details of a workout besides its totals.
  public struct Detail: JSONRequest {
    var figures = WorkoutFigures()
    var samples = Samples()

    public static let jsonName = "NewWorkoutDetail"

    public static let jsonFields: [InputField<Self>] = [
      figure(.averageHeartRate, "In 1/min.", WorkoutValidation.heartRate, 127, \.averageHeartRate),
      figure(.maximumHeartRate, "In 1/min.", WorkoutValidation.heartRate, 142, \.maximumHeartRate),
      figure(.averagePower, "In W.", WorkoutValidation.power, 151, \.averagePower),
      figure(.maximumPower, "In W.", WorkoutValidation.power, 216, \.maximumPower),
      figure(
        .averageCadence, "Revolutions or strokes per minute.", WorkoutValidation.cadence, 84,
        \.averageCadence),
      figure(
        .maximumCadence, "Revolutions or strokes per minute.", WorkoutValidation.cadence, 97,
        \.maximumCadence),
      figure(.averageSpeed, "In km/h.", WorkoutValidation.speed, 28.4, \.averageSpeed),
      figure(.maximumSpeed, "In km/h.", WorkoutValidation.speed, 34.5, \.maximumSpeed),
      .optional(Field.samples.key) { $0.samples = $1 },
    ]

    public init() {}

    private static func figure(
      _ field: Field, _ note: String, _ bounds: ClosedRange<Double>, _ example: JSON,
      _ path: WritableKeyPath<WorkoutFigures, Double?> & Sendable
    ) -> InputField<Self> {
      .optional(field.key, note: note, bounds: bounds.json, example: example) {
        (detail: inout Detail, value: Double) in detail.figures[keyPath: path] = value
      }
    }
  }

  /// The samples, one per second.
  public struct Samples: JSONRequest {
    var interval: Double?
    var series: [RecordedSamples.Kind: [Double?]] = [:]

    public static let jsonName = "NewWorkoutSamples"

    public static let jsonFields: [InputField<Self>] = [
      .optional(Field.interval.key, note: "In s; always 1.", bounds: ["const": 1], example: 1) {
        $0.interval = $1
      },
      row(.power, .power, "W", [148, nil, 150.5]),
      row(.heartRate, .heartRate, "1/min; 0 if no heart rate was detected", [120, 121, 121]),
      row(.cadence, .cadence, "revolutions or strokes per minute", [80, 82, 84]),
      row(.speed, .speed, "km/h", [28, 28.4, 28.3]),
      row(.distances, .distance, "m from the start", [7.8, 15.7, 23.5]),
    ]

    public init() {}

    private static func row(
      _ field: Field, _ kind: RecordedSamples.Kind, _ unit: String, _ example: JSON
    ) -> InputField<Self> {
      .optional(
        field.key, note: "One value per second, null where not measured. Unit: \(unit).",
        bounds: ["maxItems": .integer(Int64(RecordedSamples.maximumSeconds))], example: example
      ) { (samples: inout Samples, values: [Double?]) in samples.series[kind] = values }
    }
  }
}

extension WorkoutDraft.Field {
  /// The name within the enclosing object.
  var key: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
}

extension ClosedRange<Double> {
  /// The range as JSON Schema keywords.
  var json: JSON {
    ["minimum": .integer(Int64(lowerBound)), "maximum": .integer(Int64(upperBound))]
  }
}

extension Machine: JSONEnum {}
