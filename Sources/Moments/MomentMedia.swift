import Core
import Database
import Films
import Images
import Web

/// `/media/moments/{id}/{file}`: pictures and films for those who see the moment, and of reported
/// moments for moderators; nginx sends the file, and the parts of films that browsers ask for.
/// `/moments/{couple}/{moment}/film`: a film for its author to save.
struct MomentMedia {
  private let services: MomentsEnvironment

  init(_ services: MomentsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      Route(.get, "/media/moments/:id/:file", .atLeast(.member), handler: send),
      Route(
        .get, "\(MomentLinks.moments)/:id/:moment/film", .atLeast(.member), handler: download),
    ]
  }

  @Sendable private func send(_ context: Context) throws -> Response {
    let name = context.parameters["file"] ?? ""
    let id: ID<Moment> = try context.id()
    guard try names(of: id, for: context.signedIn(), now: context.now).contains(name) else {
      throw Problem.notFound
    }
    return .protectedFile(
      at: services.files.location(of: name, id), contentType: Self.contentType(name),
      cacheControl: MediaCaching.header(forAll: false))
  }

  @Sendable private func download(_ context: Context) throws -> Response {
    let moment = try context.moment(services)
    guard moment.maySaveFilm(try context.signedIn()) else { throw Problem.notFound }
    let name = FilmFiles.film(moment.file.description)
    let day = LocalDay(moment.createdAt, in: context.timeZone)
    var response = Response.protectedFile(
      at: services.files.location(of: name, moment.id), contentType: Self.contentType(name),
      cacheControl: MediaCaching.header(forAll: false))
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-\(day)-\(moment.id.description.suffix(4)).mp4\""
    return response
  }

  /// The names of the files of a moment that the viewer sees; empty if it sees none.
  private func names(
    of id: ID<Moment>, for viewer: Viewer, now: Instant
  ) throws -> [String] {
    try services.site.database.read { reader in
      if let moment = try services.moments.find(id, for: viewer, now: now, in: reader) {
        return MomentFiles.names(moment.file, moment.content)
      }
      guard viewer.role >= .moderator,
        let reported = try MomentReportStore().file(of: id, in: reader)
      else { return [] }
      return MomentFiles.names(reported.file, reported.content)
    }
  }

  private static func contentType(_ name: String) -> String {
    let fileExtension = name.split(separator: ".").last.map(String.init) ?? ""
    return switch fileExtension {
    case "mp4": "video/mp4"
    case "jpg": "image/jpeg"
    default: "image/\(fileExtension)"
    }
  }
}
