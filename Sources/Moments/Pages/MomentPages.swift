import Core
import Films
import Web

/// The pages of this module, with their routes: all for members, and in no cache.
struct MomentPages {
  /// Above the limit of a film, so that a larger one is refused with words.
  static let bodyLimit = 256 << 20
  static let fileLimits = MultipartLimits(
    files: 1, fileBytes: FilmLimits.filmBytes, allFilesBytes: FilmLimits.filmBytes)

  let routes: [Route]

  /// Compiles the pages. Throws `TemplateError`.
  init(_ services: MomentsEnvironment) throws {
    let new = try NewMomentPages(services)
    let show = try MomentViewerPages(services)
    let viewers = try MomentViewersPages(services)
    let delete = try DeleteMomentPages(services)
    let moment = "\(MomentLinks.moments)/:id/:moment"
    routes = [
      Self.get(MomentLinks.new, options: .closedToSuspended, new.show),
      Route(
        .post, MomentLinks.moments, .atLeast(.member), options: [.noStore, .closedToSuspended],
        bodyLimit: Self.bodyLimit, files: Self.fileLimits, handler: new.send),
      Self.get("\(MomentLinks.moments)/:id", show.showFirst),
      Self.get(moment, show.show),
      Self.post(
        "\(moment)/answer", options: [.closedToSuspended, .paragraphs], show.answer),
      Self.get("\(moment)/viewers", viewers.show),
      Self.post("\(moment)/keep", show.keep),
      Self.get("\(moment)/delete", delete.show),
      Self.post("\(moment)/delete", delete.delete),
    ]
  }

  private static func get(
    _ path: String, options: Route.Options = [], _ handler: @escaping Handler
  ) -> Route {
    Route(.get, path, .atLeast(.member), options: options.union(.noStore), handler: handler)
  }

  private static func post(
    _ path: String, options: Route.Options = [], _ handler: @escaping Handler
  ) -> Route {
    Route(.post, path, .atLeast(.member), options: options.union(.noStore), handler: handler)
  }
}

extension Context {
  /// The moment of the path that the viewer sees, with the couple of the path. Throws 404 for all
  /// others.
  func moment(_ services: MomentsEnvironment) throws -> Moment {
    let moment = try MomentService(services: services).moment(
      id("moment"), for: signedIn(), now: now)
    guard moment.couple == (try id("id", Couple.self)) else { throw Problem.notFound }
    return moment
  }
}
