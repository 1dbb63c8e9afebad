import Accounts
import Core
import Database
import Foundation
import Images
import Jobs
import PhotoMetadata
import Web

/// What this module offers to the application.
public struct AlbumModule: Sendable {
  /// What it needs from the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let mediaFolder: String
    public let posts: any PhotoPostCreator
    public let limits: RateLimitStore
    public let quota: PhotoQuota

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, mediaFolder: String,
      posts: any PhotoPostCreator,
      limits: RateLimitStore, quota: PhotoQuota
    ) {
      self.quota = quota
      self.site = site
      self.imageProcessor = imageProcessor
      self.mediaFolder = mediaFolder
      self.posts = posts
      self.limits = limits
    }
  }

  /// The files that rows of this module speak of.
  public static let namedFiles = [PhotoStore.named]
  public static let migrations = AlbumSchema.migrations
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  let services: AlbumEnvironment

  /// Compiles the pages of this module; throws what is wrong with their templates.
  public init(_ needs: Dependencies) throws {
    let services = AlbumEnvironment(
      site: needs.site, imageProcessor: needs.imageProcessor, mediaFolder: needs.mediaFolder,
      posts: needs.posts, limits: needs.limits, quota: needs.quota)
    self.services = services
    let turns = PhotoConcurrencyLimit(
      atOnce: ProcessInfo.processInfo.activeProcessorCount, maximumWaiting: 16)
    let stories = try StoriesModule(services, limits: needs.limits, turns: turns)
    routes =
      try Self.routes(services) + stories.routes + PhotoAPI(services, turns: turns).routes
    jobs =
      [
        .recurring(PhotoCleanupJob.job, every: .hours(1), isPunctual: true) { _ in
          try PhotoCleanupJob(services: services).remove()
        }
      ] + stories.jobs
    participant = AlbumParticipant(services: services)
    doctorChecks = AlbumDoctor(services: services).checks
    gauges = [
      Gauge("pairspot_photos") { _ in
        try services.site.database.read { try $0.count("SELECT count(*) FROM photos") }
      }
    ]
  }

  /// Where the file of the photo of a request's address lies. Throws 404 where there is none for
  /// who asks, and 403 where it isn't theirs.
  public func ownFile(_ context: Context) throws -> String {
    services.folders.original(try services.ownPhoto(context).files)
  }

  /// Puts a photo that no form brought into somebody's album: the demonstration world's. Throws
  /// what a form would show.
  public func add(
    _ file: String, story: PhotoStory, isShared: Bool, by viewer: Viewer, at moment: Instant
  ) throws {
    let id = try PhotoImportService(services: services).take(
      file, .init(isShared: isShared), of: viewer, at: moment, now: moment)
    guard let photo = try services.photos.visible(id, to: viewer) else { return }
    _ = try StorySaveService(services: services).save(
      story, into: photo, ifVersion: nil, by: viewer)
  }

  /// The addresses of this module (docs/developer/pages-and-forms.md#addresses). Nothing of an
  /// album is kept by any cache (docs/developer/sessions-and-tokens.md#signing-in).
  private static func routes(_ services: AlbumEnvironment) throws -> [Route] {
    let album = try AlbumPages(services)
    let photo = try PhotoPages(services)
    let delete = try PhotoDeletePages(services)
    let post = try PhotoPostPages(services)
    let media = PhotoMedia(services)
    return [
      Route(.get, "/album", .atLeast(.guest), options: .noStore, handler: album.show),
      Route(
        .post, "/album", .atLeast(.guest), options: .noStore, bodyLimit: 256 << 20,
        files: .photos, handler: album.add),
      Route(.get, "/album/:id", .atLeast(.guest), options: .noStore, handler: photo.show),
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
