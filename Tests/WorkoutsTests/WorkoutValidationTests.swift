import Core
import Foundation
import Testing
import Web
import WorkoutFiles

@testable import Workouts

@Suite("The checks of a workout")
struct WorkoutValidationTests {
  private func failures(_ draft: WorkoutDraft) -> [WorkoutIssue] {
    do throws(WorkoutValidationError) {
      _ = try WorkoutValidation.check(draft, now: GeneratedSamples.now)
      return []
    } catch {
      return error.failures
    }
  }

  private func failures(_ change: (inout WorkoutDraft) -> Void) -> [WorkoutIssue] {
    var draft = GeneratedSamples.draft()
    change(&draft)
    return failures(draft)
  }

  /// A numeric field, its extreme valid values, and the first invalid ones.
  struct Bound: Sendable, CustomTestStringConvertible {
    let field: WorkoutDraft.Field
    let good: [Double]
    let small: Double?
    let large: Double
    let set: @Sendable (inout WorkoutDraft, Double) -> Void
    var testDescription: String { field.rawValue }
  }

  static let bounds: [Bound] = [
    Bound(field: .energy, good: [0, 20_000], small: -0.001, large: 20_000.001) { $0.energy = $1 },
    Bound(field: .distance, good: [0, 1_000_000], small: -0.001, large: 1_000_000.001) {
      $0.distance = $1
    },
    Bound(field: .averageHeartRate, good: [20, 250], small: 19.999, large: 250.001) {
      $0.figures.averageHeartRate = $1
    },
    Bound(field: .maximumHeartRate, good: [20, 250], small: 19.999, large: 250.001) {
      $0.figures.maximumHeartRate = $1
    },
    Bound(field: .averagePower, good: [0, 3000], small: -0.001, large: 3000.001) {
      $0.figures.averagePower = $1
    },
    Bound(field: .maximumPower, good: [0, 3000], small: -0.001, large: 3000.001) {
      $0.figures.maximumPower = $1
    },
    Bound(field: .averageCadence, good: [0, 1000], small: -0.001, large: 1000.001) {
      $0.figures.averageCadence = $1
    },
    Bound(field: .maximumCadence, good: [0, 1000], small: -0.001, large: 1000.001) {
      $0.figures.maximumCadence = $1
    },
    Bound(field: .averageSpeed, good: [0, 1000], small: -0.001, large: 1000.001) {
      $0.figures.averageSpeed = $1
    },
    Bound(field: .maximumSpeed, good: [0, 1000], small: -0.001, large: 1000.001) {
      $0.figures.maximumSpeed = $1
    },
    Bound(field: .power, good: [0, 3000], small: -1, large: 3001) { $0.samples[.power] = [1, $1] },
    Bound(field: .heartRate, good: [0, 20, 250], small: 19, large: 251) {
      $0.samples[.heartRate] = [nil, $1]
    },
    Bound(field: .cadence, good: [0, 1000], small: -1, large: 1001) {
      $0.samples[.cadence] = [$1, nil]
    },
    Bound(field: .speed, good: [0, 1000], small: -1, large: 1001) { $0.samples[.speed] = [$1] },
    Bound(field: .distances, good: [0, 1_000_000], small: -1, large: 1_000_001) {
      $0.samples[.distance] = [$1]
    },
    Bound(field: .interval, good: [1], small: 0.5, large: 2) { $0.interval = $1 },
    // The workout spans an hour.
    Bound(field: .paused, good: [0, 3602], small: -0.001, large: 3602.001) { $0.paused = $1 },
  ]

  @Test("Each bound holds on both sides", arguments: bounds)
  func bound(bound: Bound) {
    for value in bound.good {
      #expect(failures { bound.set(&$0, value) } == [], "\(value)")
    }
    if let small = bound.small {
      #expect(failures { bound.set(&$0, small) } == [WorkoutIssue(bound.field, .tooSmall)])
    }
    for value in [bound.large, .infinity] {
      #expect(failures { bound.set(&$0, value) } == [WorkoutIssue(bound.field, .tooLarge)])
    }
    #expect(failures { bound.set(&$0, .nan) }.map(\.field) == [bound.field])
  }

  /// Start and end in seconds before now, duration and pauses, and the expected errors.
  struct Span: Sendable {
    let began: Double
    let ended: Double
    let duration: Double
    var paused: Double?
    let wrong: [WorkoutIssue]
  }

  @Test(
    "Duration, pauses and the span fit together, within two seconds",
    arguments: [
      Span(began: -1, ended: 0, duration: 1, wrong: []),
      Span(began: -1, ended: 0, duration: 0.999, wrong: [.init(.duration, .tooSmall)]),
      Span(began: -86_400, ended: 0, duration: 86_400, wrong: []),
      Span(
        began: -90_000, ended: 0, duration: 86_400.001, wrong: [.init(.duration, .tooLarge)]),
      Span(began: -3600, ended: 0, duration: 3602, wrong: []),
      Span(
        began: -3600, ended: 0, duration: 3602.001,
        wrong: [.init(.duration, .longerThanSpan)]),
      // Without pauses any shorter duration is accepted.
      Span(began: -3600, ended: 0, duration: 60, wrong: []),
      Span(began: -3600, ended: 0, duration: 2998, paused: 600, wrong: []),
      Span(
        began: -3600, ended: 0, duration: 2997.999, paused: 600,
        wrong: [.init(.duration, .shorterThanSpan)]),
      Span(
        began: -3600, ended: 0, duration: 3000, paused: 0,
        wrong: [
          .init(.duration, .shorterThanSpan)
        ]),
      Span(began: 0, ended: 0, duration: 2, wrong: []),
      Span(began: 0, ended: -0.001, duration: 1, wrong: [.init(.endedAt, .beforeStart)]),
      Span(began: 300, ended: 301, duration: 1, wrong: []),
      Span(began: 300.001, ended: 302, duration: 1, wrong: [.init(.startedAt, .inFuture)]),
      Span(began: -604_800, ended: 0, duration: 60, wrong: []),
      Span(began: -604_800.001, ended: 0, duration: 60, wrong: [.init(.endedAt, .tooLarge)]),
    ])
  func span(span: Span) {
    let found = failures { draft in
      draft.startedAt = Instant(
        milliseconds: GeneratedSamples.now.milliseconds + Int64((span.began * 1000).rounded()))
      draft.endedAt = Instant(
        milliseconds: GeneratedSamples.now.milliseconds + Int64((span.ended * 1000).rounded()))
      draft.duration = span.duration
      draft.paused = span.paused
    }
    #expect(found == span.wrong)
  }

  @Test("The first moment is that of the year 2000")
  func old() {
    for (milliseconds, wrong) in [
      (0, []), (-1, [WorkoutIssue(.startedAt, .tooOld)]),
    ] as [(Int64, [WorkoutIssue])] {
      let start = Instant(milliseconds: 946_684_800_000 + milliseconds)
      #expect(
        failures {
          $0.startedAt = start
          $0.endedAt = start.adding(seconds: 3600)
        } == wrong)
    }
  }

  @Test("All that is missing is named, each once")
  func missing() {
    let fields: [WorkoutDraft.Field] = [
      .clientSessionID, .machine, .startedAt, .endedAt, .duration, .energy, .distance,
    ]
    #expect(failures(WorkoutDraft()) == fields.map { WorkoutIssue($0, .missing) })
  }

  @Test("A day of samples is kept, a second more refused; a belt's 0 is no heart rate")
  func samples() throws {
    var draft = GeneratedSamples.draft()
    draft.samples[.power] = [Double?](repeating: 1, count: 86_400)
    draft.samples[.heartRate] = [0, 100, 0]
    let kept = try WorkoutValidation.check(draft, now: GeneratedSamples.now)
    #expect(kept.samples.count == 86_400)
    #expect(kept.samples[.heartRate].prefix(3) == [nil, 100, nil])
    #expect(
      failures { $0.samples[.power] = [Double?](repeating: nil, count: 86_401) }
        == [WorkoutIssue(.power, .tooMany)])
  }

  @Test("`raw` is base64 of at most 1 MiB")
  func raw() throws {
    var draft = GeneratedSamples.draft()
    draft.raw = "AQID"
    #expect(try WorkoutValidation.check(draft, now: GeneratedSamples.now).raw == [1, 2, 3])
    draft.raw = ""
    #expect(try WorkoutValidation.check(draft, now: GeneratedSamples.now).raw == [])
    #expect(failures { $0.raw = "AQI" } == [WorkoutIssue(.raw, .malformed)])
    #expect(failures { $0.raw = "!!!!" } == [WorkoutIssue(.raw, .malformed)])
    #expect(failures { $0.raw = String(repeating: "A", count: 1 << 20) } == [])
    #expect(
      failures { $0.raw = String(repeating: "A", count: 1 << 20 + 4) }
        == [WorkoutIssue(.raw, .tooLarge)])
  }

  @Test("A valid workout is stored as sent")
  func content() throws {
    var draft = GeneratedSamples.draft()
    draft.paused = 1.5
    draft.duration = 3598.5
    draft.energy = 412.3456
    draft.training = .random()
    draft.figures.averagePower = 151.5
    let content = try WorkoutValidation.check(draft, now: GeneratedSamples.now).content
    #expect(content.clientSessionID == draft.clientSessionID && content.machine == .bike)
    #expect(content.startedAt == draft.startedAt && content.endedAt == draft.endedAt)
    #expect(content.duration.value == 3598.5 && content.paused?.value == 1.5)
    #expect(content.energy.value == 412.346 && content.distance.value == 20_000)
    #expect(content.training == draft.training && content.figures.averagePower == 151.5)
  }
}

@Suite("Workouts as JSON")
struct WorkoutDraftJSONTests {
  private func draft(_ json: String) throws -> WorkoutDraft {
    var errors: [String: FieldError] = [:]
    let parsed = try JSONParser.parse(Array(json.utf8))
    return try #require(WorkoutDraft.read(parsed, at: "sessions.0", &errors))
  }

  static let whole = """
    {"client_session_id": "01890a5d-ac96-774b-bcce-b302099a8057",
     "started_at": "2026-03-01T22:00:00.250Z", "ended_at": "2026-03-02T06:30:00+08:00",
     "duration": 1700, "paused": 99.75, "total_energy": 271.5, "total_distance": 14200,
     "device_type": "rower", "training_id": "01890a5d-ac96-774b-bcce-b302099a8058",
     "detail": {"avg_hr": 127, "max_hr": 142, "avg_power": 151, "max_power": 216,
       "avg_cadence": 24.5, "max_cadence": 31, "avg_speed": 28.4, "max_speed": null,
       "colour": "red", "samples": {"interval": 1, "power": [100, null, 150.5],
       "heart_rate": [90], "cadence": [], "speed": [20], "distance": [0, 5]}},
     "raw": "AQID", "upload_status": "pending"}
    """

  @Test("Everything is read, unknown fields are passed over")
  func everything() throws {
    let draft = try draft(Self.whole)
    #expect(draft.mistyped == [])
    let checked = try WorkoutValidation.check(draft, now: GeneratedSamples.now)
    let content = checked.content
    #expect(content.clientSessionID.description == "01890a5d-ac96-774b-bcce-b302099a8057")
    #expect(content.startedAt == GeneratedSamples.now.adding(seconds: -7200).advanced(250))
    #expect(content.endedAt == GeneratedSamples.now.adding(seconds: -5400))
    #expect(content.duration.value == 1700 && content.paused?.value == 99.75)
    #expect(content.machine == .rower && content.training != nil)
    #expect(content.figures.averageHeartRate == 127 && content.figures.maximumSpeed == nil)
    #expect(content.figures.averageCadence == 24.5 && content.figures.averageSpeed == 28.4)
    #expect(checked.samples[.power] == [100, nil, 150.5])
    #expect(checked.samples[.cadence] == [] && checked.samples[.distance] == [0, 5, nil])
    #expect(checked.raw == [1, 2, 3])
  }

  @Test(
    "A field of a wrong type is named, and fails its workout alone",
    arguments: [
      ("client_session_id", "7"), ("client_session_id", "\"no uuid\""),
      ("started_at", "\"yesterday\""), ("ended_at", "12"), ("duration", "\"1700\""),
      ("paused", "[]"), ("total_energy", "true"), ("total_distance", "{}"),
      ("device_type", "\"treadmill\""), ("training_id", "\"\""), ("raw", "[1, 2]"),
      ("detail", "\"x\""), ("detail.avg_hr", "\"high\""), ("detail.samples", "[]"),
      ("detail.samples.power", "\"x\""), ("detail.samples.heart_rate", "[1, \"x\"]"),
      ("detail.samples.interval", "\"1\""),
    ])
  func mistyped(field: String, value: String) throws {
    let key = field.split(separator: ".").last.map(String.init) ?? field
    let name = try Regex(
      "\"\(key)\": (\"[^\"]*\"|\\{[^{}]*(\\{[^{}]*\\}[^{}]*)?\\}|\\[[^\\]]*\\]|[0-9.]+)")
    let json = Self.whole.replacing(name, with: "\"\(key)\": \(value)", maxReplacements: 1)
    try #require(json != Self.whole)
    #expect(throws: WorkoutValidationError.self) {
      try WorkoutValidation.check(try self.draft(json), now: GeneratedSamples.now)
    }
    #expect(try draft(json).mistyped.map(\.rawValue) == [field])
  }

  @Test("A value that is no object is a failed workout")
  func noObject() throws {
    let all = try ["1", "\"x\"", "[]"].map(draft)
    for draft in all { #expect(draft.mistyped == [.session]) }
    #expect(throws: WorkoutValidationError(failures: [WorkoutIssue(.session, .malformed)])) {
      try WorkoutValidation.check(all[0], now: GeneratedSamples.now)
    }
  }
}
