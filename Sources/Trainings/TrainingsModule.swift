import Accounts
import Core
import Database
import Images
import Jobs
import Media
import Web

/// The services shared by the pages of trainings.
struct TrainingsEnvironment: Sendable {
  let site: AppEnvironment
  let store: TrainingStore
  let files: TrainingFiles
  let imageProcessor: ImageProcessor
  let recorder: any TrainingRecorder

  /// The training of the path. Throws 404 if the viewer may not see it.
  func found(_ context: Context) throws -> Training {
    guard let training = try store.visible(context.id(), to: context.signedIn()) else {
      throw Problem.notFound
    }
    return training
  }

  /// The values of a training's pages.
  func view(
    _ training: Training, _ context: Context, errors: [String: FieldError] = [:]
  ) -> TrainingView {
    TrainingView(training, recorder, context, errors: errors)
  }
}

/// Routes, jobs and migrations of the Trainings module.
public struct TrainingsModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let media: any MediaStore
    /// The folder of the store if it is one of this machine.
    public let mediaFolder: String
    /// The audit log of admin actions.
    public let record: any AuditLogging
    public let recorder: any TrainingRecorder

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, media: any MediaStore,
      mediaFolder: String, record: any AuditLogging, recorder: any TrainingRecorder
    ) {
      self.site = site
      self.imageProcessor = imageProcessor
      self.media = media
      self.mediaFolder = mediaFolder
      self.record = record
      self.recorder = recorder
    }
  }

  /// Larger than the limit of a video, so that an error message can be shown; equal to nginx's
  /// limit.
  private static let videoBodyLimit = 512 << 20

  public static let migrations = TrainingSchema.migrations + TrainingCaptionsSchema.migrations
  /// The files that rows of this module refer to.
  public static let namedFiles = [TrainingStore.named]
  /// Those of these files below the folder of trainings that no row refers to.
  public static func unnamedFiles(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try TrainingStore.unnamed(paths, in: reader)
  }

  public let routes: [Route]
  public let jobs: [JobKind]
  /// The entries of this module in the admin menu.
  public static let staffEntries = [
    AdminMenuItem(WebLinks.adminTrainings, icon: "bike", "admin.training.title", for: .admin)
  ]
  /// Reads trainings, for other modules.
  public let store: TrainingStore
  /// Publishes trainings without an admin.
  public let seeder: TrainingSeeder

  /// Compiles the pages of this module; throws errors in their templates.
  public init(_ needs: Dependencies) throws {
    let database = needs.site.database
    let services = TrainingsEnvironment(
      site: needs.site, store: TrainingStore(database: database, record: needs.record),
      files: TrainingFiles(media: needs.media, mediaFolder: needs.mediaFolder),
      imageProcessor: needs.imageProcessor, recorder: needs.recorder)
    store = services.store
    seeder = TrainingSeeder(services: services)
    routes =
      try Self.peoplesRoutes(services) + Self.adminsRoutes(services)
      + TrainingAPI(services).routes
    let cleanup = TrainingCleanupJob(files: services.files)
    jobs = [
      .recurring(TrainingCleanupJob.job, every: .hours(6)) { _ in
        try cleanup.remove(database)
      }
    ]
  }

  private static func peoplesRoutes(_ services: TrainingsEnvironment) throws -> [Route] {
    let pages = try TrainingPages(services)
    let media = TrainingMedia(services)
    return [
      Route(.get, TrainingLinks.all, .atLeast(.guest), handler: pages.showAll),
      Route(.get, "\(TrainingLinks.all)/:id", .atLeast(.guest), handler: pages.show),
      Route(.get, "/media/trainings/:id/:file", .atLeast(.guest), handler: media.send),
    ]
  }

  private static func adminsRoutes(_ services: TrainingsEnvironment) throws -> [Route] {
    let service = try TrainingAdminPages(services)
    let edit = try TrainingEditPages(services)
    let files = try TrainingFilePages(services)
    let captions = try TrainingCaptionsPages(services)
    let admin = TrainingLinks.admin
    func route(
      _ path: String, get show: @escaping Handler, post: Handler? = nil,
      bodyLimit: Int = 1 << 20, files: MultipartLimits = .pictures
    ) -> [Route] {
      let shown = Route(.get, path, .atLeast(.admin), options: .noStore, handler: show)
      guard let post else { return [shown] }
      return [
        shown,
        Route(
          .post, path, .atLeast(.admin), options: [.noStore, .paragraphs], bodyLimit: bodyLimit,
          files: files, handler: post),
      ]
    }
    return route(admin, get: service.showAll)
      + route("\(admin)/new", get: edit.showNew, post: edit.add)
      + route("\(admin)/:id", get: service.show, post: service.press)
      + route("\(admin)/:id/edit", get: edit.show, post: edit.save)
      + route(
        "\(admin)/:id/cover", get: files.showCover, post: files.saveCover, bodyLimit: 16 << 20)
      + route(
        "\(admin)/:id/video", get: files.showVideo, post: files.saveVideo,
        bodyLimit: videoBodyLimit,
        files: MultipartLimits(
          files: 1, fileBytes: TrainingRules.videoBytes,
          allFilesBytes: TrainingRules.videoBytes))
      + route(
        "\(admin)/:id/captions", get: captions.show, post: captions.save, bodyLimit: 4 << 20,
        files: MultipartLimits(files: 1, fileBytes: 1 << 20, allFilesBytes: 2 << 20))
      + route("\(admin)/:id/delete", get: service.askDeletion, post: service.delete)
  }
}
