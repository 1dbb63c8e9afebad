import Core
import Jobs
import PhotoMetadata
import Web

/// The pages to read and write stories, in the album and on `/stories`.
struct StoriesModule: Sendable {
  /// Larger than the limit of a photo, so that an error message can be shown (as nginx's limit
  /// does).
  static let bodyLimit = 64 << 20

  let routes: [Route]
  let jobs: [JobKind]
  /// Deletes the expired photos of this node.
  let removeOldPhotos: @Sendable (Instant) -> Void

  /// Compiles the pages; throws errors in their templates.
  init(_ services: AlbumEnvironment, limits: RateLimitStore, concurrency: PhotoConcurrencyLimit)
    throws
  {
    let site = services.site
    let kept = TemporaryPhotos(folder: "\(site.uploadFolder)/stories", keys: site.keys)
    let stories = try StoriesPages(site: site, limits: limits, kept: kept, concurrency: concurrency)
    let story = try StoryPages(
      services, saving: StorySaveService(services: services), concurrency: concurrency)
    let path = StoriesLinks.page
    routes = [
      Route(.get, path, .anyone, options: .noStore, handler: stories.show),
      Route(
        .post, path, .anyone, options: [.noStore, .paragraphs], bodyLimit: Self.bodyLimit,
        files: .photos, handler: stories.send),
      Route(.get, "\(path)/:ticket", .anyone, options: .noStore, handler: stories.picture),
      Route(.get, "/album/:id/story", .atLeast(.guest), options: .noStore, handler: story.show),
      Route(
        .post, "/album/:id/story", .atLeast(.guest), options: [.noStore, .paragraphs],
        handler: story.send),
    ]
    removeOldPhotos = { kept.removeOld(now: $0) }
    jobs = [
      .recurring("stories.purge-kept", every: .minutes(1), isPunctual: true) {
        kept.removeOld(now: $0)
      }
    ]
  }
}
