import Accounts
import Core
import Database
import Foundation
import Images
import Jobs
import Media
import PhotoMetadata
import Web

/// Routes, jobs, migrations and checks of the Album module.
public struct AlbumModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let media: any MediaStore
    /// The folder of the store if it is one of this machine, and of archives for one download.
    public let mediaFolder: String
    public let posts: any PicturePostCreator
    public let limits: RateLimitStore
    public let quota: PhotoQuota

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, media: any MediaStore,
      mediaFolder: String, posts: any PicturePostCreator,
      limits: RateLimitStore, quota: PhotoQuota
    ) {
      self.quota = quota
      self.site = site
      self.imageProcessor = imageProcessor
      self.media = media
      self.mediaFolder = mediaFolder
      self.posts = posts
      self.limits = limits
    }
  }

  /// The files that rows of this module refer to.
  public static let namedFiles = [PhotoStore.named]
  /// Those of these files below the folder of photos that no row refers to.
  public static func unnamedFiles(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try PhotoStore.unnamed(paths, in: reader)
  }

  public static let migrations = AlbumSchema.migrations
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Deletes the photos of `/stories` and the archives that have expired on this node: a recurring
  /// job runs on one node only.
  public let removeOldUploads: @Sendable (Instant) -> Void
  let services: AlbumEnvironment

  /// Compiles the pages of this module; throws errors in their templates.
  public init(_ needs: Dependencies) throws {
    let services = AlbumEnvironment(
      site: needs.site, imageProcessor: needs.imageProcessor, media: needs.media,
      mediaFolder: needs.mediaFolder, posts: needs.posts, limits: needs.limits, quota: needs.quota)
    self.services = services
    let concurrency = PhotoConcurrencyLimit(
      atOnce: ProcessInfo.processInfo.activeProcessorCount, maximumWaiting: 16)
    let stories = try StoriesModule(services, limits: needs.limits, concurrency: concurrency)
    routes =
      try Self.routes(services) + stories.routes
      + PhotoAPI(services, concurrency: concurrency).routes
      + FavouritePhotoPages(services: services).routes
    jobs =
      [
        .recurring(PhotoCleanupJob.job, every: .hours(1), isPunctual: true) { _ in
          try PhotoCleanupJob(services: services).remove()
        },
        .recurring("photos.purge-deleted", every: .hours(6)) {
          try PhotoService(services: services).purge(now: $0)
        },
        .recurring("photos.remove-archives", every: .hours(1)) { _ in
          services.archives.removeOld()
        },
      ] + stories.jobs
    removeOldUploads = { now in
      stories.removeOldPhotos(now)
      services.archives.removeOld()
    }
    participant = AlbumParticipant(services: services)
    doctorChecks = AlbumDoctor(services: services).checks
    gauges = [
      Gauge("pairspot_photos", "Photos in albums.") { _ in
        try services.site.database.read { try PhotoStore.count(in: $0) }
      }
    ]
  }

  /// Calls `use` with the path of the photo of the request's path. Throws 404 if the viewer may not
  /// see it, 403 if the viewer is not its owner, and the errors of `use`.
  @Sendable public func useOwnFile(
    _ context: Context, _ use: (String) throws -> Void
  ) throws {
    let photo = try services.ownPhoto(context)
    let used: Void? = try services.folders.media.read(photo.files.originalPath, use)
    if used == nil { throw Problem.notFound }
  }

  /// Adds a photo to a user's album without a form, for demonstration data. Throws the errors that
  /// a form would show.
  public func add(
    _ file: String, story: PhotoStory, isShared: Bool, by viewer: Viewer, at moment: Instant
  ) throws {
    let id = try PhotoImportService(services: services).take(
      file, .init(isShared: isShared), of: viewer, at: moment, now: moment)
    guard let photo = try services.photos.visible(id, to: viewer) else { return }
    _ = try StorySaveService(services: services).save(
      story, into: photo, ifVersion: nil, by: viewer)
  }

  /// Adds a copy of a picture to a user's album, seen by the partner too; once for each `name`. One
  /// that the user has deleted is restored. Throws `AlbumPhotoError`.
  public func keep(
    _ file: String, name: String, of viewer: Viewer, now: Instant
  ) throws -> KeptPhoto {
    try PhotoImportService(services: services).keep(file, name: name, of: viewer, now: now)
  }

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses). No cache may store an
  /// album (docs/developer/sessions-and-tokens.md#signing-in).
  private static func routes(_ services: AlbumEnvironment) throws -> [Route] {
    let album = try AlbumPages(services)
    let photo = try PhotoPages(services)
    let delete = try PhotoDeletePages(services)
    let post = try PhotoPostPages(services)
    let deleted = try DeletedPhotoPages(services)
    let selection = PhotoSelection(services)
    let media = PhotoMedia(services)
    return [
      Route(.get, "/album", .atLeast(.guest), options: .noStore, handler: album.show),
      Route(
        .post, "/album", .atLeast(.guest), options: [.noStore, .paragraphs],
        bodyLimit: 256 << 20, files: .photos, handler: album.add),
      Route(
        .post, AlbumLinks.selected, .atLeast(.guest), options: .noStore,
        handler: selection.change),
      Route(
        .get, AlbumLinks.deleted, .atLeast(.guest), options: .noStore, handler: deleted.show),
      Route(
        .post, "/album/:id/restore", .atLeast(.guest), options: .noStore,
        handler: deleted.restore),
      Route(
        .get, "/album/:id/erase", .atLeast(.guest), options: .noStore,
        handler: deleted.askToErase),
      Route(.post, "/album/:id/erase", .atLeast(.guest), options: .noStore, handler: deleted.erase),
      Route(.get, "/album/:id", .atLeast(.guest), options: .noStore, handler: photo.show),
      Route(.get, "/album/:id/view", .atLeast(.guest), options: .noStore, handler: photo.view),
      Route(.post, "/album/:id", .atLeast(.guest), options: .noStore, handler: photo.share),
      Route(
        .get, "/album/:id/delete", .atLeast(.guest), options: .noStore, handler: delete.show),
      Route(
        .post, "/album/:id/delete", .atLeast(.guest), options: .noStore, handler: delete.delete),
      Route(
        .get, "/album/:id/post", .atLeast(.member), options: [.noStore, .closedToSuspended],
        handler: post.show),
      Route(
        .post, "/album/:id/post", .atLeast(.member),
        options: [.noStore, .closedToSuspended, .paragraphs], handler: post.send),
      Route(.get, "/album/:id/file", .atLeast(.guest), handler: media.download),
      Route(.get, "/media/photos/:id/:file", .anyone, handler: media.send),
    ]
  }
}
