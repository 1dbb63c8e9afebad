import Core
import Foundation
import HTTPTypes
import PhotoMetadata
import Secrets
import Templates
import Web

/// `/stories`: reads and writes a photo's story for every visitor; nothing is stored permanently.
///
/// A photo with a story is answered with the finished file; a photo alone with its story and a form
/// that keeps the photo, for minutes and for this browser only.
struct StoriesPages {
  /// Reading and saving together, per address.
  private static let perAddress = RateLimit("stories", maximum: 60, window: 600)
  /// Longer than file names of any file system.
  private static let maximumNameBytes = 1000

  private let limits: RateLimitStore
  private let kept: TemporaryPhotos
  private let concurrency: PhotoConcurrencyLimit
  private let page: Page<StoriesView>

  init(
    site: AppEnvironment, limits: RateLimitStore, kept: TemporaryPhotos,
    concurrency: PhotoConcurrencyLimit
  ) throws {
    self.limits = limits
    self.kept = kept
    self.concurrency = concurrency
    page = try Page("album/stories", title: "stories.title", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    answer(StoriesView(story: ""), context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    try limits.count(Self.perAddress, context.address, now: context.now)
    kept.removeOld(now: context.now)
    var form = StoryForm(
      story: context.form["story"],
      name: context.form["file_name"].fitting(bytes: Self.maximumNameBytes))
    do throws(Rejection) {
      try take(&form, context)
    } catch {
      return refused(error, form, context)
    }
    do {
      return try work(&form, context)
    } catch let problem as PhotoError {
      if let text = PhotoErrorFormatter.note(problem) { note(text, context) }
      let status = StoryErrorFormatter.status(for: problem)
      let isOfFile = status == .unprocessableContent
      let rejection = Rejection(
        field: "file", text: StoryErrorFormatter.error(for: problem).text(context), status: status)
      // A photo that can't be read is useless for the next form; one that couldn't be saved is
      // kept.
      if isOfFile, let photo = form.photo { kept.remove(photo) }
      if isOfFile { form.photo = nil } else { keep(&form, context) }
      return refused(rejection, form, context)
    }
  }

  /// The photo that this browser has uploaded.
  @Sendable func picture(_ context: Context) throws -> Response {
    let ticket = context.parameters["ticket"] ?? ""
    guard let photo = kept.find(ticket, of: context.currentAnchor(), now: context.now) else {
      throw Problem.notFound
    }
    return try concurrency.take {
      do {
        let properties = try PhotoFile.identify(photo.path)
        let bytes = try Data(contentsOf: URL(filePath: photo.path))
        let headers: HTTPFields = [
          .contentType: properties.format.contentType,
          .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
        return Response(.ok, headers: headers, body: Array(bytes))
      } catch {
        // It was removed in the meantime.
        throw Problem.notFound
      }
    }
  }

  // MARK: Photo

  /// The data of a form while it is answered.
  private struct StoryForm {
    var story: String
    /// The name of the user's own file.
    var name: String
    /// The path of the photo.
    var path = ""
    /// Set once the photo is stored for the next form.
    var photo: TemporaryPhoto?
    /// Whether it was uploaded with this form.
    var isNew = false
    var reading: PhotoReading?
  }

  /// The error of a form, and its field.
  private struct Rejection: Error {
    let field: String
    let text: String
    var status = HTTPResponse.Status.unprocessableContent
  }

  /// Finds the photo: the uploaded one, otherwise the one stored before.
  private func take(_ form: inout StoryForm, _ context: Context) throws(Rejection) {
    if let file = context.form.files.first(where: { $0.fieldName == "file" }) {
      form.name = file.fileName.fitting(bytes: Self.maximumNameBytes)
      form.isNew = true
      guard !file.tooLarge else {
        throw Rejection(
          field: "file", text: PhotoErrorFormatter.message(.read(.tooManyBytes), context))
      }
      form.path = file.path
      return
    }
    let ticket = context.form["kept"]
    guard !ticket.isEmpty else {
      throw Rejection(field: "file", text: context.text("stories.file_missing"))
    }
    guard let photo = kept.find(ticket, of: context.currentAnchor(), now: context.now) else {
      throw Rejection(field: "file", text: context.text("stories.file_expired"))
    }
    form.photo = photo
    form.path = photo.path
  }

  /// Stores the photo for the next form. Returns the error if that fails; nil otherwise.
  @discardableResult
  private func keep(_ form: inout StoryForm, _ context: Context) -> TemporaryPhotoError? {
    guard form.photo == nil else { return nil }
    do throws(TemporaryPhotoError) {
      let photo = try kept.keep(form.path, for: context.currentAnchor(), now: context.now)
      form.photo = photo
      form.path = photo.path
      return nil
    } catch {
      note("a photo can't be kept: \(error)", context)
      return error
    }
  }

  // MARK: Processing

  private func work(_ form: inout StoryForm, _ context: Context) throws -> Response {
    let path = form.path
    let reading = try concurrency.take { try PhotoFile.read(path) }
    form.reading = reading
    if context.form.has("delete") { return try finished(nil, form, context) }
    if context.form.has("draft") {
      form.story = context.form["draft"]
      return editor(&form, context)
    }
    let isEmpty = PhotoStory.count(form.story) == 0
    if form.isNew && isEmpty {
      form.story = reading.story.flatMap { PhotoStory(draft: $0)?.text } ?? ""
      return editor(&form, context)
    }
    let story: PhotoStory
    do throws(PhotoStoryError) {
      story = try PhotoStory(form.story)
    } catch {
      return editor(&form, context, StoryErrorFormatter.error(for: error))
    }
    return try finished(story, form, context)
  }

  /// The form with the photo.
  private func editor(
    _ form: inout StoryForm, _ context: Context, _ error: FieldError? = nil
  ) -> Response {
    if let failure = keep(&form, context) {
      return refused(Self.rejection(failure, context), form, context)
    }
    let errors = error.map { ["story": $0] } ?? [:]
    return answer(view(form, context, errors.texts(context)), context)
  }

  private static func rejection(_ failure: TemporaryPhotoError, _ context: Context) -> Rejection {
    guard failure == .disk(ENOSPC) else {
      return Rejection(
        field: "file", text: context.text("stories.full"), status: .serviceUnavailable)
    }
    let problem = PhotoError.write(.diskFull)
    return Rejection(
      field: "file", text: PhotoErrorFormatter.message(problem, context),
      status: StoryErrorFormatter.status(for: problem))
  }

  /// The finished file, which is removed from disk once it is in memory, as is the original.
  private func finished(
    _ story: PhotoStory?, _ form: StoryForm, _ context: Context
  ) throws -> Response {
    let target = kept.place(now: context.now)
    defer { unlink(target) }
    let bytes = try concurrency.take {
      if let story {
        try PhotoFile.write(story, into: form.path, as: target)
      } else {
        try PhotoFile.strip(form.path, as: target)
      }
      return Array(try Data(contentsOf: URL(filePath: target)))
    }
    if let photo = form.photo { kept.remove(photo) }
    context.flash(story == nil ? "toast.story_taken_out" : "toast.story_in_file")
    let format = form.reading?.properties.format ?? .jpeg
    let headers: HTTPFields = [
      .contentType: format.contentType,
      .contentDisposition: DownloadName(form.name, format).header,
    ]
    return Response(.ok, headers: headers, body: bytes)
  }

  private func note(_ text: String, _ context: Context) {
    context.noteError("stories: \(text)")
  }

  // MARK: Pages

  private func view(
    _ form: StoryForm, _ context: Context, _ errors: [String: String]
  ) -> StoriesView {
    StoriesView(
      story: form.story, photo: form.photo,
      name: form.name, reading: form.reading, errors: errors)
  }

  private func refused(_ rejection: Rejection, _ form: StoryForm, _ context: Context) -> Response {
    let errors = [rejection.field: rejection.text]
    var response = answer(view(form, context, errors), context, rejection.status)
    if rejection.status == .serviceUnavailable { response.headers[.retryAfter] = "60" }
    return response
  }

  private func answer(
    _ view: StoriesView, _ context: Context, _ status: HTTPResponse.Status? = nil
  ) -> Response {
    let usual: HTTPResponse.Status = view.errors.isEmpty ? .ok : .unprocessableContent
    return page.response(view, context, status: status ?? usual)
  }
}
