import Core
import Web

/// A training in the API (docs/api/workouts.md).
struct TrainingResponse {
  private let training: Training
  private let baseURL: String

  init(_ training: Training, _ context: Context) {
    self.training = training
    baseURL = context.site.baseURL
  }

  private var coverURL: String? {
    training.cover.map { baseURL + TrainingLinks.picture($0, .medium, of: training.id) }
  }

  private var videoURL: String? {
    training.video.map { baseURL + TrainingLinks.videoFile($0, of: training.id) }
  }

  private var captionsURL: String? {
    training.captions.map { baseURL + TrainingLinks.captions($0, of: training.id) }
  }
}

extension TrainingResponse: JSONResponse {
  static let jsonName = "Training"

  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.training.id },
    JSONField("name", example: "Hills") { $0.training.details.name },
    JSONField("description", note: "May be empty.", example: "Up and down, four times") {
      $0.training.details.description
    },
    JSONField("difficulty") { $0.training.details.difficulty },
    JSONField("duration", note: "Total of all stages, in s.", example: 1200) {
      $0.training.details.seconds
    },
    JSONField(
      "cover_url", note: "At most 800 px wide; null if there is none.", example: url("medium.jpg")
    ) { $0.coverURL },
    JSONField(
      "video_url",
      note: "MP4, supports range requests; null if there is none. A new video has a new URL.",
      example: url("video.mp4")
    ) { $0.videoURL },
    JSONField("video_size", note: "In bytes; null if there is no video.", example: 52_428_800) {
      $0.training.video?.bytes
    },
    JSONField(
      "captions_url", note: "WebVTT; null if there are no captions.", example: url("captions.vtt")
    ) { $0.captionsURL },
    JSONField("stages", note: "In order.") {
      $0.training.details.stages.map { TrainingStageResponse(stage: $0) }
    },
    JSONField("updated_at", note: "Updated with every change.") { $0.training.updatedAt },
  ]

  private static func url(_ end: String) -> JSON {
    .text("https://pairspot.example/…/\(end)")
  }
}

/// A part of a training with one target.
struct TrainingStageResponse: JSONResponse {
  let stage: TrainingStage

  static let jsonName = "TrainingStage"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("seconds", example: 300) { $0.stage.seconds },
    JSONField("target", note: "The target type; `free` means no target.", example: "power") {
      $0.stage.target.kind
    },
    JSONField(
      "value",
      note: "Machine level, watts, or revolutions or strokes per minute; null for `free`.",
      example: 150
    ) { $0.stage.target.value },
    JSONField("text", note: "Instructions; may be empty.", example: "Easy legs") {
      $0.stage.text
    },
  ]
}

/// All published trainings.
struct TrainingListResponse: JSONResponse {
  let trainings: [TrainingResponse]

  static let jsonName = "TrainingList"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("trainings") { $0.trainings }
  ]
}

extension Training.Difficulty: JSONEnum {}

extension TrainingTarget.Kind: JSONEnum {}
