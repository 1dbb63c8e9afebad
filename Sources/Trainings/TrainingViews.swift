import Core
import Images
import Templates
import Web

/// The drawing of a training's stages, and its text alternative.
struct TrainingProfileView: View {
  let profile: TrainingProfile
  let label: String

  /// Nil if there are no stages.
  init?(_ details: TrainingDetails, _ formatter: TrainingFormatter) {
    guard !details.stages.isEmpty else { return nil }
    profile = TrainingProfile(details.stages)
    label = formatter.context.text(
      "training.profile",
      ["stages": formatter.stages(details), "minutes": formatter.minutes(details)])
  }

  static let fields: [String: Field<TrainingProfileView>] = [
    "label": .text { $0.label },
    "width": .integer { _ in TrainingProfile.width },
    "height": .integer { _ in TrainingProfile.height },
    "free": .text { $0.profile.path(.free) },
    "resistance": .text { $0.profile.path(.resistance) },
    "power": .text { $0.profile.path(.power) },
    "cadence": .text { $0.profile.path(.cadence) },
  ]
}

/// One stage as a row of a table.
struct TrainingStageView: View {
  let number: Int
  let time: String
  let target: String
  let text: String

  init(_ stage: TrainingStage, number: Int, _ formatter: TrainingFormatter) {
    self.number = number
    time = DurationFormatter.clock(stage.seconds)
    target = formatter.target(stage.target)
    text = stage.text
  }

  static func all(_ details: TrainingDetails, _ formatter: TrainingFormatter) -> [TrainingStageView]
  {
    details.stages.enumerated().map {
      TrainingStageView($0.element, number: $0.offset + 1, formatter)
    }
  }

  static let fields: [String: Field<TrainingStageView>] = [
    "number": .integer { $0.number },
    "time": .text { $0.time },
    "target": .text { $0.target },
    "text": .text { $0.text },
  ]
}

/// The cover in the sizes that pages show.
struct TrainingCoverView: View {
  let cover: TrainingCover
  let training: ID<Training>

  init?(_ training: Training) {
    guard let cover = training.cover else { return nil }
    self.cover = cover
    self.training = training.id
  }

  private func link(_ variant: PictureVariant, asWebP: Bool = false) -> String {
    TrainingLinks.picture(cover, variant, of: training, asWebP: asWebP)
  }

  static let fields: [String: Field<TrainingCoverView>] = [
    "medium": .text { $0.link(.medium) },
    "medium_webp": .optionalText {
      $0.cover.hasWebP ? $0.link(.medium, asWebP: true) : nil
    },
    "thumb": .text { $0.link(.thumb) },
  ]
}

/// Captions as a track of the video.
struct TrainingCaptionsView: View {
  let captions: TrainingCaptions
  let training: ID<Training>
  /// The name of the language in that language.
  let label: String

  init?(_ training: Training, _ context: Context) {
    guard let captions = training.captions else { return nil }
    self.captions = captions
    self.training = training.id
    switch captions.language {
    case .english: label = context.text("language.en")
    case .traditionalChinese: label = context.text("language.zh_hant")
    case .simplifiedChinese: label = context.text("language.zh_hans")
    }
  }

  static let fields: [String: Field<TrainingCaptionsView>] = [
    "link": .text { TrainingLinks.captions($0.captions, of: $0.training) },
    "language": .text { $0.captions.language.rawValue },
    "label": .text { $0.label },
  ]
}

/// A training in a list.
struct TrainingItemView: View {
  let training: Training
  let summary: String
  let profile: TrainingProfileView?
  let isFirst: Bool
  let isLast: Bool

  init(_ training: Training, isFirst: Bool, isLast: Bool, _ formatter: TrainingFormatter) {
    self.training = training
    summary = formatter.summary(training.details)
    profile = TrainingProfileView(training.details, formatter)
    self.isFirst = isFirst
    self.isLast = isLast
  }

  static func all(_ trainings: [Training], _ formatter: TrainingFormatter) -> [TrainingItemView] {
    trainings.enumerated().map { place, training in
      TrainingItemView(
        training, isFirst: place == 0, isLast: place == trainings.count - 1, formatter)
    }
  }

  static let fields: [String: Field<TrainingItemView>] = [
    "id": .text { $0.training.id.description },
    "name": .text { $0.training.details.name },
    "description": .text { $0.training.details.description },
    "summary": .text { $0.summary },
    "link": .text { TrainingLinks.one($0.training.id) },
    "desk_link": .text { TrainingLinks.service($0.training.id) },
    "cover": .optional { TrainingCoverView($0.training) },
    "has_video": .flag { $0.training.video != nil },
    "profile": .optional { $0.profile },
    "published": .flag { $0.training.isPublished },
    "first": .flag { $0.isFirst },
    "last": .flag { $0.isLast },
  ]
}

/// The page of one training, for users and for admins.
struct TrainingView: FormContent {
  let training: Training
  let summary: String
  let videoDescription: String?
  let recordLink: String
  let profile: TrainingProfileView?
  let stages: [TrainingStageView]
  let captions: TrainingCaptionsView?
  /// The language preselected in the captions form.
  let captionsLanguage: Language
  let errors: [String: String]

  init(
    _ training: Training, _ recorder: any TrainingRecorder, _ context: Context,
    errors: [String: FieldError] = [:]
  ) {
    let formatter = TrainingFormatter(context: context)
    self.training = training
    summary = formatter.summary(training.details)
    videoDescription = training.video.map(formatter.videoDescription)
    recordLink = recorder.link(to: training.id)
    profile = TrainingProfileView(training.details, formatter)
    stages = TrainingStageView.all(training.details, formatter)
    captions = TrainingCaptionsView(training, context)
    captionsLanguage =
      Language(rawValue: context.form["language"]) ?? training.captions?.language
      ?? context.language
    self.errors = errors.texts(context)
  }

  static let fields: [String: Field<TrainingView>] =
    formFields(
      errors: ["publish", "file", "captions"],
      [
        "id": .text { $0.training.id.description },
        "name": .text { $0.training.details.name },
        "description": .text { $0.training.details.description },
        "summary": .text { $0.summary },
        "cover": .optional { TrainingCoverView($0.training) },
        "video": .optionalText { view in
          view.training.video.map { TrainingLinks.videoFile($0, of: view.training.id) }
        },
        "film": .optionalText { $0.videoDescription },
        "profile": .optional { $0.profile },
        "stages": .list { $0.stages },
        "has_stages": .flag { !$0.stages.isEmpty },
        "published": .flag { $0.training.isPublished },
        "link": .text { TrainingLinks.one($0.training.id) },
        "record_link": .text { $0.recordLink },
        "all_link": .text { _ in TrainingLinks.all },
        "admin_link": .text { _ in TrainingLinks.admin },
        "desk_link": .text { TrainingLinks.service($0.training.id) },
        "edit_link": .text { TrainingLinks.edit($0.training.id) },
        "cover_link": .text { TrainingLinks.cover($0.training.id) },
        "video_link": .text { TrainingLinks.video($0.training.id) },
        "captions_link": .text { TrainingLinks.captions($0.training.id) },
        "captions": .optional { $0.captions },
        "captions_english": .flag { $0.captionsLanguage == .english },
        "captions_traditional": .flag { $0.captionsLanguage == .traditionalChinese },
        "captions_simplified": .flag { $0.captionsLanguage == .simplifiedChinese },
        "delete_link": .text { TrainingLinks.delete($0.training.id) },
      ])
}
