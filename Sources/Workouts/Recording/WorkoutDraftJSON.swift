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
      note: "Given by the client; the first that is sent under a name is kept."
    ) { $0.clientSessionID = $1 },
    .required(
      Field.startedAt.rawValue, note: "Not before 2000, and at most 5 min ahead of our clock.",
      example: "2026-03-01T18:00:00.000Z"
    ) { $0.startedAt = $1 },
    .required(Field.endedAt.rawValue, note: "Within a week.", example: "2026-03-01T18:31:30.000Z") {
      $0.endedAt = $1
    },
    .required(
      Field.duration.rawValue,
      note: "In motion, in s: at most ended − started + 2, and where `paused` is given at least "
        + "ended − started − paused − 2.", bounds: WorkoutValidation.duration.json, example: 1800
    ) { $0.duration = $1 },
    .optional(
      Field.paused.rawValue, note: "s; at most the span of the workout.",
      bounds: ["minimum": 0], example: 90
    ) { $0.paused = $1 },
    .required(
      Field.energy.rawValue, note: "kcal.", bounds: WorkoutValidation.energy.json, example: 271.5
    ) { $0.energy = $1 },
    .required(
      Field.distance.rawValue, note: "m.", bounds: WorkoutValidation.distance.json, example: 14_200
    ) { $0.distance = $1 },
    .required(Field.machine.rawValue) { $0.machine = $1 },
    .optional(Field.training.rawValue, note: "The training that was followed.") {
      $0.training = $1
    },
    .optional(Field.detail.rawValue, note: "Unknown fields are passed over.") {
      (draft: inout WorkoutDraft, detail: Detail) in
      draft.figures = detail.figures
      draft.interval = detail.samples.interval
      draft.samples = detail.samples.series
    },
    .optional(
      Field.raw.rawValue, limits: FieldLimits(bytes: 2 * WorkoutValidation.maximumRawLength),
      note:
        "What the machine said, in base64 of at most \(WorkoutValidation.maximumRawLength) characters.",
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
      figure(.averageHeartRate, "1/min.", WorkoutValidation.heartRate, 127, \.averageHeartRate),
      figure(.maximumHeartRate, "1/min.", WorkoutValidation.heartRate, 142, \.maximumHeartRate),
      figure(.averagePower, "W.", WorkoutValidation.power, 151, \.averagePower),
      figure(.maximumPower, "W.", WorkoutValidation.power, 216, \.maximumPower),
      figure(
        .averageCadence, "Turns or strokes a minute.", WorkoutValidation.cadence, 84,
        \.averageCadence),
      figure(
        .maximumCadence, "Turns or strokes a minute.", WorkoutValidation.cadence, 97,
        \.maximumCadence),
      figure(.averageSpeed, "km/h.", WorkoutValidation.speed, 28.4, \.averageSpeed),
      figure(.maximumSpeed, "km/h.", WorkoutValidation.speed, 34.5, \.maximumSpeed),
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
      .optional(Field.interval.key, note: "s; always 1.", bounds: ["const": 1], example: 1) {
        $0.interval = $1
      },
      row(.power, .power, "W", [148, nil, 150.5]),
      row(.heartRate, .heartRate, "1/min; 0 says that none was found", [120, 121, 121]),
      row(.cadence, .cadence, "turns or strokes a minute", [80, 82, 84]),
      row(.speed, .speed, "km/h", [28, 28.4, 28.3]),
      row(.distances, .distance, "m from the start on", [7.8, 15.7, 23.5]),
    ]

    public init() {}

    private static func row(
      _ field: Field, _ kind: RecordedSamples.Kind, _ unit: String, _ example: JSON
    ) -> InputField<Self> {
      .optional(
        field.key, note: "One a second, null where nothing was measured: \(unit).",
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
