import Accounts
import Core
import Database
import HTTPTypes
import PhotoMetadata
import Web

/// `/api/v1/photos`: the album for apps, on the services that the pages use
/// (docs/api/other-calls.md#album).
struct PhotoAPI {
  private static let list = "photos"
  /// Form fields contain only strings.
  private static let flags = ["true", "false"]

  private let services: AlbumEnvironment
  private let saving: StorySaveService
  private let concurrency: PhotoConcurrencyLimit

  init(_ services: AlbumEnvironment, concurrency: PhotoConcurrencyLimit) {
    self.services = services
    self.concurrency = concurrency
    saving = StorySaveService(services: services)
  }

  var routes: [Route] {
    [
      .api(
        .get, "/photos", .atLeast(.guest),
        Operation(
          "List your album", .album,
          note: """
            Your photos and those shared with you, newest first. All three URLs of a photo require \
            the access token or session of a user who may see it.
            """),
        options: .noStore, handler: album),
      .api(
        .post, "/photos", .atLeast(.guest),
        Operation(
          "Add a photo", .album,
          note: "All metadata (such as location and serial numbers) is removed, except colour "
            + "profiles. A photo that already has a story keeps it unless `story` is sent.",
          errors: [.conflict, .notAcceptablePicture, .unavailable]),
        form: [
          .init("file", .file, isRequired: true, note: "JPEG, PNG or HEIC, at most 30 MB."),
          .init(
            "story", .text, note: "1 to \(PhotoStory.maximumCharacters) composed characters."),
          .init("shared", .choice(Self.flags), note: "If `true`, your partner can see it."),
          .init("keep_date", .choice(Self.flags), note: "If `true`, the date taken is kept."),
        ],
        options: [.noStore, .idempotent, .paragraphs], bodyLimit: StoriesModule.bodyLimit,
        files: .photos, handler: add),
      .api(
        .get, "/photos/:id", .atLeast(.guest), Operation("Get a photo", .album),
        options: .noStore, handler: show),
      .api(
        .patch, "/photos/:id", .atLeast(.guest),
        Operation("Share or unshare a photo", .album, errors: [.forbidden]),
        options: .noStore, handler: change),
      .api(
        .delete, "/photos/:id", .atLeast(.guest),
        Operation(
          "Delete a photo", .album, note: "It can be restored on the site for 30 days.",
          errors: [.forbidden]), handler: delete),
      .api(
        .get, "/photos/:id/file", .atLeast(.guest),
        Operation(
          "Download a photo with its embedded story", .album,
          note: """
            In a JPEG, the story is stored in Exif (ImageDescription, with DocumentName \
            `ai.album.story`, and UserComment after `ai.album.story=`), in IPTC (2:120, with 2:65 \
            `ai.album.story`) and in XMP (`pairspot:story` and `dc:description`); in a PNG, in the \
            iTXt chunk `ai.album.story` and in the same three.
            """),
        answers: [.init(.ok, "The file.", contentType: "image/*")],
        handler: PhotoMedia(services).download),
      .api(
        .get, "/photos/:id/story", .atLeast(.guest),
        Operation(
          "Get a photo's story", .album, note: "Read from the file.", errors: [.unavailable]),
        options: .noStore, handler: story),
      .api(
        .put, "/photos/:id/story", .atLeast(.guest),
        Operation(
          "Save a story into a photo", .album,
          note: """
            Writes the story into the file and replaces any earlier one. 409 if `version` is not \
            the current version of the photo. Without `version`, changes made since the photo was \
            read are overwritten; 409 then only if another save is running at the same time.
            """,
          errors: [.conflict, .forbidden, .unavailable]),
        options: [.noStore, .idempotent], handler: saveStory),
      .api(
        .delete, "/photos/:id/story", .atLeast(.guest),
        Operation(
          "Remove the story from a photo", .album,
          note: """
            204 even if there is no story. The version is not checked; 409 only if another save is \
            running at the same time.
            """,
          errors: [.conflict, .forbidden, .unavailable]),
        handler: deleteStory),
    ]
  }

  // MARK: Album

  @Sendable private func album(_ query: ListQuery, _ context: Context) throws -> PhotoListResponse {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Photo.self)
    let page = try ListPage(limit: query.limit, cursor: PageCursor<Photo>.init) {
      try services.photos.album(of: viewer, after: place ?? .start, limit: $0)
    }
    return PhotoListResponse(
      photos: page.rows.map { PhotoResponse($0, viewer, context) },
      nextCursor: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func show(_ context: Context) throws -> PhotoResponse {
    PhotoResponse(try services.photo(context), try context.signedIn(), context)
  }

  @Sendable private func add(_ form: Form, _ context: Context) throws -> Created<PhotoResponse> {
    let viewer = try context.signedIn()
    guard let file = form.files.first(where: { $0.fieldName == "file" }) else {
      throw Problem.invalid(["file": FieldError("api.field_missing")])
    }
    var options = PhotoImportService.ImportOptions()
    options.isShared = form["shared"] == "true"
    options.keepsDate = form["keep_date"] == "true"
    if form.has("story") { options.story = try Self.story(form["story"]) }
    let id = try context.making(
      {
        try refusing(context) {
          guard !file.tooLarge else { throw AlbumPhotoError.photo(.read(.tooManyBytes)) }
          return try PhotoImportService(services: services).take(
            file.path, options, of: viewer, at: context.now, now: context.now)
        }
      }, name: { (id: ID<Photo>) in id.description }, read: { ID<Photo>($0) })
    guard let photo = try services.photos.visible(id, to: viewer) else { throw Problem.notFound }
    return Created(PhotoResponse(photo, viewer, context))
  }

  @Sendable private func change(_ change: PhotoChange, _ context: Context) throws -> PhotoResponse {
    let photo = try services.ownPhoto(context)
    let viewer = try context.signedIn()
    if let isShared = change.isShared {
      let isDone = try PhotoService(services: services).share([photo], isShared, by: viewer)
      guard isDone else { throw Problem(.forbidden) }
    }
    return try show(context)
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    let photo = try services.ownPhoto(context)
    try PhotoService(services: services).delete([photo], by: context.signedIn(), now: context.now)
    return NoContent()
  }

  // MARK: Story

  @Sendable private func story(_ context: Context) throws -> StoryResponse {
    let photo = try services.photo(context)
    return try refusing(context) {
      let reading = try concurrency.take {
        try services.folders.media.read(photo.files.originalPath) { try PhotoFile.read($0) }
      }
      guard let reading else { throw PhotoError.read(.missing) }
      return StoryResponse(story: reading.story)
    }
  }

  @Sendable private func saveStory(_ sent: StorySaving, _ context: Context) throws -> SavedPhoto {
    let photo = try services.ownPhoto(context)
    let viewer = try context.signedIn()
    let story = try Self.story(sent.story)
    return try context.answering(
      {
        try refusing(context) {
          try concurrency.take {
            sent.asCopy
              ? try saving.copy(of: photo, with: story, by: viewer, now: context.now)
              : try saving.save(story, into: photo, ifVersion: sent.version, by: viewer)
          }
        }
      },
      { (made: Photo) in
        let record = PhotoResponse(made, viewer, context)
        return sent.asCopy ? .created(record) : .saved(record)
      })
  }

  @Sendable private func deleteStory(_ context: Context) throws -> NoContent {
    let photo = try services.ownPhoto(context)
    let viewer = try context.signedIn()
    guard photo.story != nil else { return NoContent() }
    return try refusing(context) {
      _ = try concurrency.take { try saving.save(nil, into: photo, ifVersion: nil, by: viewer) }
      return NoContent()
    }
  }

  private static func story(_ text: String) throws -> PhotoStory {
    do throws(PhotoStoryError) {
      return try PhotoStory(text)
    } catch {
      throw Problem.invalid(["story": StoryErrorFormatter.error(for: error)])
    }
  }

  // MARK: Errors

  /// Converts the errors shown on pages to API problems with the same messages.
  private func refusing<Result>(_ context: Context, _ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch AlbumPhotoError.busy {
      throw Problem.busy()
    } catch AlbumPhotoError.conflict {
      throw Problem(.conflict)
    } catch AlbumPhotoError.tooMany(let wait) {
      throw Problem.tooMany(retryAfter: wait)
    } catch let rejection as AlbumPhotoError where rejection.isStorageFull {
      throw Problem.invalid(["file": PhotoErrorFormatter.error(rejection)])
    } catch AlbumPhotoError.photo(let error) {
      throw problem(error, context)
    } catch let error as PhotoError {
      throw problem(error, context)
    }
  }

  private func problem(_ error: PhotoError, _ context: Context) -> Problem {
    if let text = PhotoErrorFormatter.note(error) {
      context.noteError(text)
    }
    return Problem(Self.code(error), fields: ["file": PhotoErrorFormatter.error(error)])
  }

  private static func code(_ error: PhotoError) -> APIErrorCode {
    switch error {
    case .format: .unsupportedFormat
    case .read(.tooManyBytes): .payloadTooLarge
    case .read(.missing), .read(.damaged), .read(.tooManyPixels): .notAcceptablePicture
    case .write(.locked): .conflict
    case .write(.diskFull): .unavailable
    case .permission, .read(.failed), .write, .unknown: .internal
    }
  }
}

/// The changeable properties of a photo except its story.
struct PhotoChange: JSONRequest {
  var isShared: Bool?

  static let jsonFields: [InputField<Self>] = [
    .optional("shared", note: "Whether your partner can see it.") { $0.isShared = $1 }
  ]
}

/// A story to save.
struct StorySaving: JSONRequest {
  var story = ""
  var version: Int?
  var asCopy = false

  static let jsonFields: [InputField<Self>] = [
    .required(
      "story", limits: FieldLimits(bytes: 8 * PhotoStory.maximumBytes),
      note: """
        1 to \(PhotoStory.maximumCharacters) composed characters (a letter with its accents is \
        one), in at most \(PhotoStory.maximumBytes) bytes of UTF-8.
        """, bounds: TextFieldLimits.filled, example: "The sea, before the rain"
    ) { $0.story = $1 },
    .optional(
      "version",
      note: "The version last read. If omitted, newer changes are overwritten."
    ) { $0.version = $1 },
    .optional("as_copy", note: "Leaves the photo unchanged and saves the story into a copy.") {
      $0.asCopy = $1
    },
  ]
}

/// The overwritten photo, or a new copy.
enum SavedPhoto: APIResponse {
  case saved(PhotoResponse)
  case created(PhotoResponse)

  static let answers: [Operation.SuccessResponse] = [
    .init(.ok, "The photo with the story.", json: PhotoResponse.self),
    .init(.created, "The copy.", json: PhotoResponse.self),
  ]

  func response() -> Response {
    switch self {
    case .saved(let photo): photo.response()
    case .created(let photo): Created(photo).response()
    }
  }
}
