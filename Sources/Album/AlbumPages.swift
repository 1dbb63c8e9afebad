import Core
import Database
import HTTPTypes
import PhotoMetadata
import Secrets
import Templates
import Web

/// `/album`: the photos, newest first, and the form to add photos. Each file is judged separately:
/// valid ones are added, the others are listed with the reason.
struct AlbumPages {
  /// Divisible by the number of columns at every width.
  static let pageSize = 24

  private let services: AlbumEnvironment
  private let page: Page<AlbumView>

  init(_ services: AlbumEnvironment) throws {
    self.services = services
    page = try Page("album/album", title: "album.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let cursor = PageCursor<Photo>(context.request.queryValue("after"))
    let isSelecting = context.request.queryValue("select") == "1"
    var form = AlbumForm()
    form.options.isShared = try filter(context).tab == .ours
    form.options.keepsDate = true
    return try render(form, after: cursor, isSelecting: isSelecting, context)
  }

  @Sendable func add(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    var form = AlbumForm(context.form)
    form.problem = problem(context)
    guard form.problem == nil, form.storyError == nil else { return try again(form, context) }
    var dropped: Set<PhotoExtra> = []
    let taking = PhotoImportService(services: services)
    for (number, file) in form.files.enumerated() {
      do {
        guard !file.tooLarge else { throw AlbumPhotoError.photo(.read(.tooManyBytes)) }
        // The photos of one form keep the order in which they were chosen; the last is the newest.
        let moment = Instant(milliseconds: context.now.milliseconds + Int64(number))
        let id = try taking.take(
          file.path, form.options, of: viewer, at: moment, now: context.now)
        dropped.formUnion(try services.photos.visible(id, to: viewer)?.dropped ?? [])
      } catch let rejection as AlbumPhotoError {
        note(rejection, context)
        form.isBusy = form.isBusy || rejection == .busy
        if case .tooMany(let wait) = rejection { form.retryAfter = wait }
        let name = file.fileName.isEmpty ? "\(number + 1)" : file.fileName
        form.failed.append(
          FailedPhoto(name: name, message: PhotoErrorFormatter.message(rejection, context)))
      }
    }
    guard form.failed.isEmpty else { return try again(form, context) }
    context.flash(dropped.isEmpty ? "toast.photos_added" : "toast.photos_added_without")
    return .seeOther(AlbumLinks.album(AlbumFilter(tab: try filter(context).tabOfNew)))
  }

  /// The tab and the search of the address.
  private func filter(_ context: Context) throws -> AlbumFilter {
    AlbumFilter(
      tab: context.request.queryValue("tab"), search: context.request.queryValue("q") ?? "",
      for: try context.signedIn())
  }

  /// The error of the form as a whole.
  private func problem(_ context: Context) -> String? {
    let form = context.form
    if form.filesAreTooLargeTogether { return context.text("album.error_total_size") }
    if form.hasTooManyFiles { return context.text("album.error_many") }
    let isEmpty = !form.files.contains { $0.fieldName == "file" }
    return isEmpty ? context.text("album.error_none") : nil
  }

  private func note(_ rejection: AlbumPhotoError, _ context: Context) {
    guard case .photo(let error) = rejection, let text = PhotoErrorFormatter.note(error) else {
      return
    }
    context.noteError(text)
  }

  private func again(_ form: AlbumForm, _ context: Context) throws -> Response {
    var response = try render(
      form, after: nil, context,
      status: form.retryAfter != nil
        ? .tooManyRequests : form.isBusy ? .serviceUnavailable : .unprocessableContent)
    if let wait = form.retryAfter ?? (form.isBusy ? 5 : nil) {
      response.headers[.retryAfter] = String(wait)
    }
    return response
  }

  private func render(
    _ form: AlbumForm, after cursor: PageCursor<Photo>?, isSelecting: Bool = false,
    _ context: Context, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let viewer = try context.signedIn()
    let filter = try filter(context)
    let photos = try services.site.database.read { reader in
      try ListPage(limit: Self.pageSize, cursor: PageCursor<Photo>.sorted) {
        try services.photos.photos(
          filter, of: viewer, after: cursor ?? .start, limit: $0, in: reader)
      }
    }
    let partner = Self.partner(of: viewer)
    let view = AlbumView(
      form: AlbumFormView(form, partner: partner, filter, context),
      tabs: AlbumFilter.Tab.allCases.filter { partner != nil || $0.isForOne }.map {
        AlbumTabView($0, filter, context)
      },
      filter: filter, photos: PhotoCardView.all(photos.rows, viewer, context),
      older: photos.next.map { AlbumLinks.album(filter, after: $0, isSelecting: isSelecting) },
      isFirstPage: cursor == nil, isSelecting: isSelecting && !photos.rows.isEmpty)
    return page.response(view, context, status: status)
  }

  /// The name of the partner, if the couple can share photos.
  static func partner(of viewer: Viewer) -> String? {
    guard let couple = viewer.couple, couple.status == .active else { return nil }
    return couple.partner?.name
  }
}

/// The form for new photos as sent, and its results.
struct AlbumForm {
  var options = PhotoImportService.ImportOptions()
  var files: [UploadedFile] = []
  /// The story as it was typed; "" for none.
  var story = ""
  var storyError: FieldError?
  var failed: [FailedPhoto] = []
  var problem: String?
  var isBusy = false
  /// After how many s the user may add photos again; nil without a limit.
  var retryAfter: Int?

  init() {}

  init(_ form: Form) {
    options.nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    options.isShared = form["shared"] == "1"
    options.keepsDate = form["keep_date"] == "1"
    files = form.files.filter { $0.fieldName == "file" }
    story = form["story"]
    do throws(PhotoStoryError) {
      options.story = try PhotoStory(story)
      if files.count > 1 { storyError = FieldError("album.story.one_photo") }
    } catch {
      // A photo without a story keeps the one that it brings along.
      if error != .empty { storyError = StoryErrorFormatter.error(for: error) }
    }
  }
}
