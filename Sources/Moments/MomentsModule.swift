import Accounts
import Core
import Database
import Films
import Images
import Jobs
import Media
import Web

/// Routes, jobs and checks of the Moments module.
public struct MomentsModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let films: FilmProcessor
    public let media: any MediaStore
    /// The folder of the store if it is one of this machine.
    public let mediaFolder: String
    public let limits: RateLimitStore
    public let answers: any MomentAnswers
    public let album: any MomentAlbum

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, films: FilmProcessor,
      media: any MediaStore, mediaFolder: String, limits: RateLimitStore,
      answers: any MomentAnswers, album: any MomentAlbum
    ) {
      self.site = site
      self.imageProcessor = imageProcessor
      self.films = films
      self.media = media
      self.mediaFolder = mediaFolder
      self.limits = limits
      self.answers = answers
      self.album = album
    }
  }

  public static let migrations = MomentSchema.migrations
  /// Files referenced by rows of this module.
  public static let namedFiles = [MomentFileStore.named]
  /// Those of these files below the folder of moments that no row references.
  public static func unnamedFiles(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try MomentFileStore.unnamed(paths, in: reader)
  }

  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  /// Access to reported moments for moderators.
  public let moderation: MomentModeration
  private let services: MomentsEnvironment

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let services = MomentsEnvironment(needs)
    self.services = services
    routes =
      try MomentPages(services).routes + MomentAPI(services: services).routes
      + MomentMedia(services).routes
    jobs = MomentJobs(services: services).all
    participant = MomentsParticipant(services: services)
    doctorChecks = MomentsDoctor(services: services).checks
    moderation = MomentModeration(services: services)
  }

  /// The couples with moments that a viewer sees, the own one first; two statements at most, and
  /// none for a viewer without a couple.
  public static func circles(
    for viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> [MomentCircle] {
    try MomentStore().circles(for: viewer, now: now, in: reader)
  }

  /// Makes a moment for the followers of a couple without a form, for demonstration data.
  public func add(_ file: String, words: String, by viewer: Viewer, at moment: Instant) throws {
    _ = try MomentMaker(services: services).make(
      MomentForm(words: words, audience: .followers), of: file, by: viewer, now: moment)
  }
}
