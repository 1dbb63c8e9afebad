import Core
import Database
import Foundation
import Templates
import Web

/// `/admin/trainings/{id}/captions`: replaces the WebVTT file of a video. Its form is on the
/// video's page.
struct TrainingCaptionsPages {
  private let services: TrainingsEnvironment
  private let page: Page<TrainingView>
  private let questions: QuestionPage

  init(_ services: TrainingsEnvironment) throws {
    self.services = services
    page = try Page("staff/training-video", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  /// Asks before captions are removed; redirects other GETs of the form's address.
  @Sendable func show(_ context: Context) throws -> Response {
    let training = try services.found(context)
    guard let question = TrainingFileQuestion.captions.question(training, context) else {
      return .seeOther(TrainingLinks.video(training.id))
    }
    return questions.response(question, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let (viewer, training) = (try context.signedIn(), try services.found(context))
    var captions: TrainingCaptions?
    if !context.form.has("remove") {
      switch try newCaptions(training, context) {
      case .success(let kept): captions = kept
      case .failure(let wrong):
        let view = services.view(training, context, errors: ["captions": wrong.error])
        return page.response(
          view, context, title: .named(training.details.name), status: .unprocessableContent)
      }
    }
    let replaced: ID<TrainingFile>?
    do {
      replaced = try services.store.setCaptions(
        captions, of: training.id, by: viewer, now: context.now)
    } catch {
      if let captions, !StorageError.mayBeStored(after: error) {
        services.files.removeCaptions(captions.id, of: training.id)
      }
      throw error
    }
    if let replaced { services.files.removeCaptions(replaced, of: training.id) }
    context.flash("toast.saved")
    return .seeOther(TrainingLinks.video(training.id))
  }

  private func newCaptions(
    _ training: Training, _ context: Context
  ) throws -> Result<TrainingCaptions, TrainingUploadError> {
    let sent = context.form.files.first {
      $0.fieldName == "captions" && ($0.bytes > 0 || $0.tooLarge)
    }
    guard let sent else { return .failure(TrainingUploadError("admin.training.file_missing")) }
    guard !sent.tooLarge, sent.bytes <= TrainingCaptionsCheck.maximumBytes else {
      return .failure(TrainingUploadError("admin.training.captions_large"))
    }
    guard let language = Language(rawValue: context.form["language"]) else {
      return .failure(TrainingUploadError("admin.training.captions_language_missing"))
    }
    do throws(TrainingCaptionsError) {
      try TrainingCaptionsCheck.check(try bytes(of: sent))
    } catch {
      switch error {
      case .tooLarge: return .failure(TrainingUploadError("admin.training.captions_large"))
      case .notWebVTT: return .failure(TrainingUploadError("admin.training.captions_format"))
      case .notUTF8: return .failure(TrainingUploadError("admin.training.captions_utf8"))
      case .empty: return .failure(TrainingUploadError("admin.training.captions_empty"))
      }
    }
    let id = try services.files.keepCaptions(sent.path, of: training.id)
    return .success(TrainingCaptions(id: id, language: language))
  }

  /// A file that cannot be read counts as empty.
  private func bytes(of file: UploadedFile) throws(TrainingCaptionsError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file.path) else { throw .empty }
    return [UInt8](data)
  }
}
