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
    JSONField("duration", note: "s, all stages together.", example: 1200) {
      $0.training.details.seconds
    },
    JSONField(
      "cover_url", note: "At most 800 px wide; null without one.", example: url("medium.jpg")
    ) { $0.coverURL },
    JSONField(
      "video_url",
      note: "MP4, also in ranges; null without one. Another film has another address.",
      example: url("video.mp4")
    ) { $0.videoURL },
    JSONField("video_size", note: "Bytes; null without a film.", example: 52_428_800) {
      $0.training.video?.bytes
    },
    JSONField(
      "captions_url", note: "WebVTT; null without captions.", example: url("captions.vtt")
    ) { $0.captionsURL },
    JSONField("stages", note: "In the order in which they are done.") {
      $0.training.details.stages.map { TrainingStageResponse(stage: $0) }
    },
    JSONField("updated_at", note: "Later with every change.") { $0.training.updatedAt },
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
    JSONField("target", note: "What it aims at; `free` is as one likes.", example: "power") {
      $0.stage.target.kind
    },
    JSONField(
      "value",
      note: "The machine's level, watts, or turns or strokes a minute; null for `free`.",
      example: 150
    ) { $0.stage.target.value },
    JSONField("text", note: "What to do or to think of; may be empty.", example: "Easy legs") {
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
