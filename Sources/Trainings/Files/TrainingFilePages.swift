import Core
import Database
import Images
import Templates
import Web

/// `/admin/trainings/{id}/cover` and `…/video`: replaces one file.
struct TrainingFilePages {
  private let services: TrainingsEnvironment
  private let coverPage: Page<TrainingView>
  private let videoPage: Page<TrainingView>
  private let questions: QuestionPage

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    coverPage = try Page("staff/training-cover", in: services.site)
    videoPage = try Page("staff/training-video", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  // MARK: Cover

  @Sendable func showCover(_ context: Context) throws -> Response {
    let training = try services.found(context)
    guard let question = TrainingFileQuestion.cover.question(training, context) else {
      return respond(coverPage, training, context)
    }
    return questions.response(question, context)
  }

  @Sendable func saveCover(_ context: Context) throws -> Response {
    let (viewer, training) = (try context.signedIn(), try services.found(context))
    var cover: TrainingCover?
    if !context.form.has("remove") {
      switch try newCover(training, context) {
      case .success(let made): cover = made
      case .failure(let wrong): return respond(coverPage, training, context, wrong.error)
      }
    }
    let replaced: ID<TrainingFile>?
    do {
      replaced = try services.store.setCover(cover, of: training.id, by: viewer, now: context.now)
    } catch {
      if let cover, !StorageError.mayBeStored(after: error) {
        services.files.removeCover(cover.id, of: training.id)
      }
      throw error
    }
    if let replaced { services.files.removeCover(replaced, of: training.id) }
    return saved(training, context)
  }

  private func newCover(
    _ training: Training, _ context: Context
  ) throws -> Result<TrainingCover, TrainingUploadError> {
    guard let file = sent(context) else {
      return .failure(TrainingUploadError("admin.training.file_missing"))
    }
    if file.tooLarge { return .failure(TrainingUploadError("admin.training.cover_large")) }
    do throws(PictureError) {
      return .success(
        try services.files.keepCover(file.path, of: training.id, services.imageProcessor))
    } catch {
      switch error {
      case .busy: throw Problem.busy()
      case .diskFull: throw error
      case .failed(let reason): throw FileOperationError(description: reason)
      case .tooManyBytes: return .failure(TrainingUploadError("admin.training.cover_large"))
      case .tooManyPixels: return .failure(TrainingUploadError("admin.training.cover_pixels"))
      case .unsupportedFormat: return .failure(TrainingUploadError("admin.training.cover_format"))
      case .damaged: return .failure(TrainingUploadError("admin.training.cover_broken"))
      }
    }
  }

  // MARK: Video

  @Sendable func showVideo(_ context: Context) throws -> Response {
    let training = try services.found(context)
    guard let question = TrainingFileQuestion.video.question(training, context) else {
      return respond(videoPage, training, context)
    }
    return questions.response(question, context)
  }

  @Sendable func saveVideo(_ context: Context) throws -> Response {
    let (viewer, training) = (try context.signedIn(), try services.found(context))
    var video: TrainingVideo?
    if !context.form.has("remove") {
      switch try newVideo(training, context) {
      case .success(let kept): video = kept
      case .failure(let wrong): return respond(videoPage, training, context, wrong.error)
      }
    }
    let replaced: ID<TrainingFile>?
    do {
      replaced = try services.store.setVideo(video, of: training.id, by: viewer, now: context.now)
    } catch {
      if let video, !StorageError.mayBeStored(after: error) {
        services.files.removeVideo(video.id, of: training.id)
      }
      throw error
    }
    if let replaced { services.files.removeVideo(replaced, of: training.id) }
    return saved(training, context)
  }

  /// Validates the file where the form stored it before it is moved.
  private func newVideo(
    _ training: Training, _ context: Context
  ) throws -> Result<TrainingVideo, TrainingUploadError> {
    guard let file = sent(context) else {
      return .failure(TrainingUploadError("admin.training.file_missing"))
    }
    if file.tooLarge { return .failure(TrainingUploadError("admin.training.video_large")) }
    let seconds: Int
    do throws(TrainingVideoError) {
      seconds = try TrainingVideoCheck.seconds(of: file.path)
    } catch {
      switch error {
      case .notMP4: return .failure(TrainingUploadError("admin.training.video_format"))
      case .incomplete: return .failure(TrainingUploadError("admin.training.video_incomplete"))
      case .noPicture: return .failure(TrainingUploadError("admin.training.video_no_picture"))
      case .unreadable: throw FileOperationError(description: "unreadable: \(file.path)")
      }
    }
    let id = try services.files.keepVideo(file.path, of: training.id)
    return .success(TrainingVideo(id: id, bytes: file.bytes, seconds: seconds))
  }

  // MARK: Both

  private func sent(_ context: Context) -> UploadedFile? {
    context.form.files.first { $0.fieldName == "file" && ($0.bytes > 0 || $0.tooLarge) }
  }

  private func saved(_ training: Training, _ context: Context) -> Response {
    context.flash("toast.saved")
    return .seeOther(TrainingLinks.service(training.id))
  }

  private func respond(
    _ page: Page<TrainingView>, _ training: Training, _ context: Context,
    _ error: FieldError? = nil
  ) -> Response {
    let view = services.view(training, context, errors: error.map { ["file": $0] } ?? [:])
    return page.response(
      view, context, title: .named(training.details.name),
      status: error == nil ? .ok : .unprocessableContent)
  }
}

/// The question before a file of a training is removed, on its page with `ask=remove`.
enum TrainingFileQuestion {
  case cover
  case video
  case captions

  /// Nil if the page was not opened to ask.
  func question(_ training: Training, _ context: Context) -> Question? {
    guard context.request.queryValue("ask") == "remove" else { return nil }
    return Question(
      title: context.text(title), text: context.text("admin.training.remove_text"),
      button: context.text(button), action: action(training.id), inputs: [("remove", "1")],
      cancel: self == .cover ? TrainingLinks.cover(training.id) : TrainingLinks.video(training.id))
  }

  private var title: String {
    switch self {
    case .cover: "admin.training.remove_cover_title"
    case .video: "admin.training.remove_video_title"
    case .captions: "admin.training.remove_captions_title"
    }
  }

  private var button: String {
    switch self {
    case .cover: "admin.training.remove_cover"
    case .video: "admin.training.remove_video"
    case .captions: "admin.training.remove_captions"
    }
  }

  private func action(_ id: ID<Training>) -> String {
    switch self {
    case .cover: TrainingLinks.cover(id)
    case .video: TrainingLinks.video(id)
    case .captions: TrainingLinks.captions(id)
    }
  }
}

/// A refused file with its error.
struct TrainingUploadError: Error {
  let error: FieldError

  /// `key` is a text key.
  init(_ key: String) {
    error = FieldError(key)
  }
}
