import Core
import Web

/// `/media/trainings/{id}/{file}`: covers and videos that the viewer may see; nginx sends the file,
/// and ranges of it.
struct TrainingMedia {
  private let services: TrainingsEnvironment

  init(_ services: TrainingsEnvironment) {
    self.services = services
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let file = context.parameters["file"] ?? ""
    guard let training = try services.store.visible(context.id(), to: context.signedIn()),
      let type = TrainingFiles.names(of: training)[file]
    else { throw Problem.notFound }
    return .protectedFile(
      at: services.files.location(of: file, training.id), contentType: type,
      cacheControl: Self.caching(training))
  }

  /// Published trainings are visible to every account, and a name always means the same file: the
  /// browser that fetched it may cache it, proxies may not. Drafts are not cached.
  private static func caching(_ training: Training) -> String {
    training.isPublished
      ? "private, max-age=31536000, immutable" : MediaCaching.header(forAll: false)
  }
}
