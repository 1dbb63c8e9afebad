import Core
import Foundation
import Web
import WorkoutFiles

/// A workout in the API: docs/api/README.md's "session".
struct WorkoutResponse {
  let workout: Workout
  /// Nil in lists.
  let samples: RecordedSamples?
  let raw: [UInt8]?

  init(_ workout: Workout, samples: RecordedSamples? = nil, raw: [UInt8]? = nil) {
    self.workout = workout
    self.samples = samples
    self.raw = raw
  }
}

extension WorkoutResponse: JSONResponse {
  static let jsonName = "Workout"

  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The server's identifier, used in URLs.") { $0.workout.id },
    JSONField("client_session_id", note: "The client's identifier; see `POST /sessions`.") {
      $0.workout.content.clientSessionID
    },
    JSONField("started_at", example: "2026-03-01T18:00:00.000Z") { $0.workout.content.startedAt },
    JSONField("ended_at", example: "2026-03-01T18:31:30.000Z") { $0.workout.content.endedAt },
    JSONField("duration", note: "Moving time, in s.", example: 1800) {
      $0.workout.content.duration
    },
    JSONField("paused", note: "In s; null if unknown.", example: 90) {
      $0.workout.content.paused
    },
    JSONField("total_energy", note: "kcal.", example: 271.5) { $0.workout.content.energy },
    JSONField("total_distance", note: "m.", example: 14_200) { $0.workout.content.distance },
    JSONField("device_type") { $0.workout.content.machine },
    JSONField("title", note: "Yours; empty for none.", example: "Hill repeats") {
      $0.workout.title
    },
    JSONField("note", example: "Legs were heavy.") { $0.workout.note },
    JSONField("training_id", note: "The training may have been deleted; null if there is none.") {
      $0.workout.content.training
    },
    JSONField("detail") { WorkoutDetailResponse(record: $0) },
    JSONField(
      "raw", note: "Raw data from the machine, in base64; null in lists and if there is none.",
      example: "AQID"
    ) { $0.raw.map { Data($0).base64EncodedString() } },
    JSONField("received_at", note: "The time that `since` compares with.") {
      $0.workout.receivedAt
    },
  ]
}

/// The details of a workout besides its totals.
struct WorkoutDetailResponse: JSONResponse {
  let record: WorkoutResponse

  private var figures: WorkoutFigures { record.workout.content.figures }

  static let jsonName = "WorkoutDetail"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("avg_hr", note: "In 1/min; each value is null if unknown.", example: 127) {
      $0.figures.averageHeartRate
    },
    JSONField("max_hr", example: 142) { $0.figures.maximumHeartRate },
    JSONField("avg_power", note: "W.", example: 151) { $0.figures.averagePower },
    JSONField("max_power", example: 216) { $0.figures.maximumPower },
    JSONField("avg_cadence", note: "Revolutions or strokes per minute.", example: 84) {
      $0.figures.averageCadence
    },
    JSONField("max_cadence", example: 97) { $0.figures.maximumCadence },
    JSONField("avg_speed", note: "km/h.", example: 28.4) { $0.figures.averageSpeed },
    JSONField("max_speed", example: 34.5) { $0.figures.maximumSpeed },
    JSONField("samples", note: "Null in lists and if there are none.") {
      $0.record.samples.flatMap { $0.isEmpty ? nil : WorkoutSamplesResponse(samples: $0) }
    },
  ]
}

/// The samples, one per second; all series have the same length or are empty.
struct WorkoutSamplesResponse: JSONResponse {
  let samples: RecordedSamples

  static let jsonName = "WorkoutSamples"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("interval", note: "s.", example: 1) { _ in 1 },
    JSONField("power", note: "In W; null where not measured.", example: [148, nil, 150.5]) {
      $0.samples[.power]
    },
    JSONField("heart_rate", note: "1/min.", example: [120, 121, 121]) { $0.samples[.heartRate] },
    JSONField("cadence", note: "Revolutions or strokes per minute.", example: [80, 82, 84]) {
      $0.samples[.cadence]
    },
    JSONField("speed", note: "km/h.", example: [28, 28.4, 28.3]) { $0.samples[.speed] },
    JSONField("distance", note: "In m, from the start.", example: [7.8, 15.7, 23.5]) {
      $0.samples[.distance]
    },
  ]
}

/// A page of a user's workouts.
struct WorkoutListResponse: JSONResponse {
  let sessions: [WorkoutResponse]
  let nextCursor: String?
  let epoch: String

  static let jsonName = "WorkoutList"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("sessions") { $0.sessions },
    JSONField("next_cursor", note: "Null on the last page.") { $0.nextCursor },
    JSONField(
      "epoch",
      note: """
        If this changes, the server was restored from a backup: upload again everything that was \
        uploaded since that backup.
        """, example: "5f0c4b1a9e7d48239c60d1b2a3f4e586"
    ) { $0.epoch },
  ]
}

/// The result of a batch.
struct UploadResponse: JSONResponse {
  struct Failed: JSONResponse {
    let session: String
    let message: String

    static let jsonName = "FailedWorkout"
    static let jsonFields: [JSONField<Self>] = [
      JSONField(
        "session_id", note: "The `client_session_id` that was sent, or its index in the list.",
        example: "019c0a2e-7b40-7c11-9d2e-3f5a6b7c8d9e"
      ) { $0.session },
      JSONField("error", example: "validation_error") { _ in APIErrorCode.validationError.rawValue
      },
      JSONField(
        "message", note: "In the caller's language.",
        example: "duration: This must be between 1 and 86400."
      ) { $0.message },
    ]
  }

  let stored: Int
  let duplicates: Int
  let failed: [Failed]
  let statistics: EffectiveStatistics

  static let jsonName = "UploadResult"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("success_count", example: 17) { $0.stored },
    JSONField("duplicate_count", note: "Already stored; not an error.", example: 2) {
      $0.duplicates
    },
    JSONField("failed_sessions") { $0.failed },
    JSONField("updated_stats") { StatisticsResponse(statistics: $0.statistics) },
  ]
}

extension FixedPoint3: JSONEncodable {
  public static var jsonSchema: JSONSchema { Double.jsonSchema }
  public static var jsonExample: JSON { Double.jsonExample }

  /// Writes whole numbers without decimals.
  public func write(to output: inout JSONOutput) {
    if count % 1000 == 0 { output.append(count / 1000) } else { output.append(value) }
  }
}
