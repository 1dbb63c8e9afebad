import Basics
import Foundation
import HTTPTypes
import PhotoMetadata
import Secrets
import Templates
import Web

/// `/stories`: a photo's story read and written for everybody, with nothing kept.
///
/// A photo and a story are answered with the finished file; a photo alone with what it tells and a
/// form that still holds it, for minutes and for this browser only.
struct StoriesPages {
  /// Reading and saving together, an address.
  private static let perAddress = RateLimit("stories", most: 60, window: 600)
  /// No file system's names are longer.
  private static let mostBytesOfName = 1000

  private let limits: RateLimitStore
  private let kept: KeptPhotos
  private let turns: PhotoTurns
  private let page: Template<StoriesView>

  init(site: Site, limits: RateLimitStore, kept: KeptPhotos, turns: PhotoTurns) throws {
    self.limits = limits
    self.kept = kept
    self.turns = turns
    page = try site.templates.template("album/stories")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    answer(StoriesView(PageView(context, title: "stories.title"), story: ""), context)
  }

  @Sendable func send(_ request: Request, _ context: Context) throws -> Response {
    try limits.count(Self.perAddress, context.address, now: context.now)
    kept.removeOld(now: context.now)
    var desk = Desk(
      story: context.form["story"],
      name: context.form["file_name"].fitting(bytes: Self.mostBytesOfName))
    do throws(Refusal) {
      try take(&desk, context)
    } catch {
      return refused(error, desk, context)
    }
    do {
      return try work(&desk, context)
    } catch let problem as PhotoError {
      if let words = PhotoWords.note(problem) { note(words, context) }
      let status = StoryWords.status(for: problem)
      let isOfFile = status == .unprocessableContent
      let refusal = Refusal(
        field: "file", words: PhotoWords.message(problem, context), status: status)
      // What can't be read is of no use to the next form; what couldn't be saved is.
      if isOfFile, let photo = desk.photo { kept.remove(photo) }
      if isOfFile { desk.photo = nil } else { hold(&desk, context) }
      return refused(refusal, desk, context)
    }
  }

  /// The photo that this browser has left here, to look at.
  @Sendable func picture(_ request: Request, _ context: Context) throws -> Response {
    let ticket = context.parameters["ticket"] ?? ""
    guard let photo = kept.find(ticket, of: context.currentAnchor(), now: context.now) else {
      throw Problem.notFound
    }
    return try turns.take {
      do {
        let facts = try PhotoFile.identify(photo.path)
        let bytes = try Data(contentsOf: URL(filePath: photo.path))
        let headers: HTTPFields = [
          .contentType: facts.format.contentType,
          .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
        return Response(.ok, headers: headers, body: Array(bytes))
      } catch {
        // It went meanwhile.
        throw Problem.notFound
      }
    }
  }

  // MARK: The photo

  /// What lies on the table while a form is answered.
  private struct Desk {
    var story: String
    /// As the person's own file is called.
    var name: String
    /// Where the photo lies.
    var path = ""
    /// Set once it lies where the next form finds it.
    var photo: KeptPhoto?
    /// Whether it has just come.
    var isNew = false
    var reading: PhotoReading?
  }

  /// What stands in the way of a form, beside which field.
  private struct Refusal: Error {
    let field: String
    let words: String
    var status = HTTPResponse.Status.unprocessableContent
  }

  /// Finds the photo: the one that came with the form, else the one that waits here.
  private func take(_ desk: inout Desk, _ context: Context) throws(Refusal) {
    if let file = context.form.files.first(where: { $0.fieldName == "file" }) {
      desk.name = file.fileName.fitting(bytes: Self.mostBytesOfName)
      desk.isNew = true
      guard !file.tooLarge else {
        throw Refusal(field: "file", words: PhotoWords.message(.read(.tooManyBytes), context))
      }
      desk.path = file.path
      return
    }
    let ticket = context.form["kept"]
    guard !ticket.isEmpty else {
      throw Refusal(field: "file", words: context.text("stories.file_missing"))
    }
    guard let photo = kept.find(ticket, of: context.currentAnchor(), now: context.now) else {
      throw Refusal(field: "file", words: context.text("stories.file_gone"))
    }
    desk.photo = photo
    desk.path = photo.path
  }

  /// Leaves the photo where the next form finds it. Answers why it can't, nil when it can.
  @discardableResult
  private func hold(_ desk: inout Desk, _ context: Context) -> KeepingFailure? {
    guard desk.photo == nil else { return nil }
    do throws(KeepingFailure) {
      let photo = try kept.keep(desk.path, for: context.currentAnchor(), now: context.now)
      desk.photo = photo
      desk.path = photo.path
      return nil
    } catch {
      note("a photo can't be kept: \(error)", context)
      return error
    }
  }

  // MARK: The work

  private func work(_ desk: inout Desk, _ context: Context) throws -> Response {
    let path = desk.path
    let reading = try turns.take { try PhotoFile.read(path) }
    desk.reading = reading
    if context.form.has("delete") { return try finished(nil, desk, context) }
    if context.form.has("draft") {
      desk.story = context.form["draft"]
      return editor(&desk, context)
    }
    let isEmpty = PhotoStory.count(desk.story) == 0
    if desk.isNew && isEmpty {
      desk.story = reading.story.flatMap { PhotoStory(draft: $0)?.text } ?? ""
      return editor(&desk, context)
    }
    let story: PhotoStory
    do throws(PhotoStoryProblem) {
      story = try PhotoStory(desk.story)
    } catch {
      return editor(&desk, context, StoryWords.error(for: error))
    }
    return try finished(story, desk, context)
  }

  /// The form with the photo in it.
  private func editor(
    _ desk: inout Desk, _ context: Context, _ error: FieldError? = nil
  ) -> Response {
    if let failure = hold(&desk, context) {
      return refused(Self.refusal(failure, context), desk, context)
    }
    let errors = error.map { ["story": $0] } ?? [:]
    return answer(view(desk, context, errors.texts(context)), context)
  }

  private static func refusal(_ failure: KeepingFailure, _ context: Context) -> Refusal {
    guard failure == .disk(ENOSPC) else {
      return Refusal(
        field: "file", words: context.text("stories.full"), status: .serviceUnavailable)
    }
    let problem = PhotoError.write(.diskFull)
    return Refusal(
      field: "file", words: PhotoWords.message(problem, context),
      status: StoryWords.status(for: problem))
  }

  /// The finished file, which is gone from here once it is in memory, as is its original.
  private func finished(
    _ story: PhotoStory?, _ desk: Desk, _ context: Context
  ) throws -> Response {
    let target = kept.place(now: context.now)
    defer { unlink(target) }
    let bytes = try turns.take {
      if let story {
        try PhotoFile.write(story, into: desk.path, as: target)
      } else {
        try PhotoFile.strip(desk.path, as: target)
      }
      return Array(try Data(contentsOf: URL(filePath: target)))
    }
    if let photo = desk.photo { kept.remove(photo) }
    context.say(story == nil ? "toast.story_taken_out" : "toast.story_in_file")
    let format = desk.reading?.facts.format ?? .jpeg
    let headers: HTTPFields = [
      .contentType: format.contentType,
      .contentDisposition: DownloadName(desk.name, format).header,
    ]
    return Response(.ok, headers: headers, body: bytes)
  }

  private func note(_ text: String, _ context: Context) {
    context.noteError("stories: \(text)")
  }

  // MARK: Pages

  private func view(
    _ desk: Desk, _ context: Context, _ errors: [String: String]
  ) -> StoriesView {
    StoriesView(
      PageView(context, title: "stories.title"), story: desk.story, photo: desk.photo,
      name: desk.name, reading: desk.reading, errors: errors)
  }

  private func refused(_ refusal: Refusal, _ desk: Desk, _ context: Context) -> Response {
    let errors = [refusal.field: refusal.words]
    var response = answer(view(desk, context, errors), context, refusal.status)
    if refusal.status == .serviceUnavailable { response.headers[.retryAfter] = "60" }
    return response
  }

  private func answer(
    _ view: StoriesView, _ context: Context, _ status: HTTPResponse.Status? = nil
  ) -> Response {
    let usual: HTTPResponse.Status = view.errors.isEmpty ? .ok : .unprocessableContent
    return .html(page.render(view, in: context.language), status: status ?? usual)
  }
}
