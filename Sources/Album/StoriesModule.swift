import Basics
import Foundation
import Jobs
import PhotoMetadata
import Web

/// `/stories`: its addresses and its job.
public struct StoriesModule: Sendable {
  /// Just above what a photo may have; nginx takes more, so that what was written is kept when one
  /// is too large.
  static let bodyLimit = 64 << 20

  public let routes: [Route]
  public let jobs: [JobKind]

  /// Compiles its page; throws what is wrong with the template.
  public init(site: Site, limits: RateLimitStore) throws {
    let turns = PhotoTurns(
      atOnce: ProcessInfo.processInfo.activeProcessorCount, maximumWaiting: 8)
    let kept = KeptPhotos(folder: "\(site.uploadFolder)/stories", keys: site.keys)
    let pages = try StoriesPages(site: site, limits: limits, kept: kept, turns: turns)
    let path = StoriesLinks.page
    routes = [
      Route(.get, path, .anyone, options: .noStore, handler: pages.show),
      Route(
        .post, path, .anyone, options: .noStore, bodyLimit: Self.bodyLimit, files: .photos,
        handler: pages.send),
      Route(.get, "\(path)/:ticket", .anyone, options: .noStore, handler: pages.picture),
    ]
    jobs = [
      .recurring("stories.purge-kept", every: .minutes(1), isPunctual: true) {
        kept.removeOld(now: $0)
      }
    ]
  }
}
