import Core
import Database
import HTTPTypes
import PhotoMetadata
import Templates
import Web

/// `/album/{id}/story`: writes, previews, saves (over the file or as a copy) and deletes the story
/// of the viewer's photo.
///
/// Nothing is overwritten without confirmation: a form without `confirm` is answered with the
/// question, which a script shows as a dialog.
struct StoryPages {
  private let services: AlbumEnvironment
  private let saving: StorySaveService
  private let concurrency: PhotoConcurrencyLimit
  private let page: Page<StoryPageView>
  private let question: Page<StoryQuestionView>
  private let preview: Page<StoryPreviewView>

  init(_ services: AlbumEnvironment, saving: StorySaveService, concurrency: PhotoConcurrencyLimit)
    throws
  {
    self.services = services
    self.saving = saving
    self.concurrency = concurrency
    page = try Page("album/story", title: "album.story.title", in: services.site)
    question = try Page("album/story-confirm", in: services.site)
    preview = try Page("album/story-preview", title: "album.story.preview", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    let whole = photo.story.flatMap { PhotoStory(draft: $0)?.text }
    return editor(photo, story: whole ?? "", context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    let form = context.form
    if form.has("draft") { return editor(photo, story: form["draft"], sent: form, context) }
    if form.has("delete") {
      guard form.has("confirm") else { return ask(photo, form, context) }
      return try save(nil, photo, form, context)
    }
    let story: PhotoStory
    do throws(PhotoStoryError) {
      story = try PhotoStory(form["story"])
    } catch {
      let text = ["story": StoryErrorFormatter.error(for: error)].texts(context)
      return editor(photo, story: form["story"], sent: form, errors: text, context)
    }
    if form.has("preview") {
      let view = StoryPreviewView(
        photo: photo, story: story.text,
        version: Int(form["version"], in: 0 ... .max) ?? photo.version)
      return preview.response(view, context)
    }
    if form.has("as_copy") { return try copy(photo, story, form, context) }
    guard form.has("confirm") else { return ask(photo, form, context) }
    return try save(story, photo, form, context)
  }

  // MARK: Saving

  private func save(
    _ story: PhotoStory?, _ photo: Photo, _ form: Form, _ context: Context
  ) throws -> Response {
    let viewer = try context.signedIn()
    do {
      _ = try concurrency.take {
        let version = Int(form["version"], in: 0 ... .max)
        return try saving.save(story, into: photo, ifVersion: version, by: viewer)
      }
    } catch {
      guard let rejection = Self.rejection(error) else { throw error }
      return try refused(rejection, photo, form, context)
    }
    context.flash(story == nil ? "toast.story_deleted" : "toast.story_saved")
    return .seeOther(AlbumLinks.photo(photo.id))
  }

  private func copy(
    _ photo: Photo, _ story: PhotoStory, _ form: Form, _ context: Context
  ) throws -> Response {
    let viewer = try context.signedIn()
    do {
      let made = try concurrency.take {
        try saving.copy(of: photo, with: story, by: viewer, now: context.now)
      }
      context.flash("toast.story_copied")
      return .seeOther(AlbumLinks.photo(made.id))
    } catch {
      guard let rejection = Self.rejection(error) else { throw error }
      return try refused(rejection, photo, form, context)
    }
  }

  /// The error that the editor can show; nil for others.
  private static func rejection(_ error: any Error) -> AlbumPhotoError? {
    if let rejection = error as? AlbumPhotoError { return rejection }
    if let problem = error as? Problem, problem.status == .serviceUnavailable { return .busy }
    switch error as? StorageError {
    case .busy: return .busy
    case .full: return .photo(.write(.diskFull))
    default: return nil
    }
  }

  /// The editor again, with the typed text and the error.
  private func refused(
    _ rejection: AlbumPhotoError, _ photo: Photo, _ form: Form, _ context: Context
  ) throws -> Response {
    let offersCopy = !form.has("as_copy") && !form.has("delete")
    switch rejection {
    case .busy:
      var response = editor(
        photo, story: form["story"], sent: form,
        errors: ["story": context.text("album.story.busy")], offersCopy: offersCopy,
        status: .serviceUnavailable, context)
      response.headers[.retryAfter] = "5"
      return response
    case .conflict:
      // The other saved text is shown beside the typed one.
      let now = try services.ownPhoto(context)
      let text = ["story": context.text("album.story.conflict")]
      return editor(
        now, story: form["story"], errors: text, isConflict: true, status: .conflict, context)
    case .tooMany, .storageFull:
      let text = ["story": PhotoErrorFormatter.message(rejection, context)]
      return editor(
        photo, story: form["story"], sent: form, errors: text, offersCopy: offersCopy,
        status: rejection.isStorageFull ? .unprocessableContent : .tooManyRequests, context)
    case .photo(let problem):
      if let text = PhotoErrorFormatter.note(problem) {
        context.noteError(text)
      }
      let text = PhotoErrorFormatter.message(problem, context)
      return editor(
        photo, story: form["story"], sent: form, errors: ["story": text],
        offersCopy: offersCopy, status: StoryErrorFormatter.status(for: problem), context)
    }
  }

  // MARK: Pages

  private func editor(
    _ photo: Photo, story: String, sent: Form? = nil, errors: [String: String] = [:],
    isConflict: Bool = false, offersCopy: Bool = false, status: HTTPResponse.Status? = nil,
    _ context: Context
  ) -> Response {
    // In a conflict there are two texts to compare; a third one would confuse.
    let texts =
      isConflict
      ? DetectedTexts()
      : DetectedTexts(story: photo.story, other: photo.otherStory, caption: photo.caption)
    let view = StoryPageView(
      photo: photo,
      // A form shown again still refers to the version that the user saw.
      version: sent.flatMap { Int($0["version"], in: 0 ... .max) } ?? photo.version,
      editor: StoryEditorView(
        story: story, error: errors["story"], texts: texts, isFocused: true),
      isConflict: isConflict, offersCopy: offersCopy, errors: errors)
    let usual: HTTPResponse.Status = errors.isEmpty ? .ok : .unprocessableContent
    return page.response(view, context, status: status ?? usual)
  }

  private func ask(_ photo: Photo, _ form: Form, _ context: Context) -> Response {
    let isDeletion = form.has("delete")
    let title = isDeletion ? "album.story.delete_title" : "album.story.confirm_title"
    let view = StoryQuestionView(
      photo: photo, story: form["story"],
      version: Int(form["version"], in: 0 ... .max) ?? photo.version, isDeletion: isDeletion)
    return question.response(view, context, title: .key(title))
  }
}
