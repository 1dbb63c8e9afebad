import Core
import HTTPTypes
import Jobs
import Web

/// Requesting and downloading an export, for pages and API.
struct ExportService {
  static let daily = RateLimit("export", maximum: 3, window: .days(1))

  let services: AccountsEnvironment

  /// Queues an export; returns its identifier. Throws 429 past three a day.
  @discardableResult
  func begin(for viewer: Viewer, now: Instant) throws -> ID<PersonalExport> {
    try services.site.database.write { writer in
      // A repeated request while one is being built changes nothing and is not counted.
      if let waiting = try services.exports.waiting(of: viewer, in: writer) {
        return waiting
      }
      guard let id = try services.exports.add(for: viewer, now: now, in: writer) else {
        throw Problem.internalError
      }
      let wait = try services.limits.add(
        Self.daily, viewer.id.description, now: now, in: writer)
      if let wait { throw Problem.tooMany(retryAfter: wait) }
      try JobStore.add(
        ExportJob.jobKind, payload: id.description, uniqueKey: ExportJob.jobKey(id),
        runAt: now, now: now, in: writer)
      return id
    }
  }

  /// One of the viewer's own exports. Throws 404 otherwise.
  func find(_ id: ID<PersonalExport>, _ context: Context) throws -> PersonalExport {
    let found = try services.exports.find(id, of: context.signedIn(), now: context.now)
    guard let found else { throw Problem.notFound }
    return found
  }

  /// The archive as a response. Throws 404 until it is ready.
  func send(_ id: ID<PersonalExport>, _ context: Context) throws -> Response {
    let export = try find(id, context)
    guard export.state == .ready else { throw Problem.notFound }
    var response = Response.protectedFile(
      at: services.media.location(of: ExportStore.file(export.id)),
      contentType: "application/zip", cacheControl: MediaCaching.header(forAll: false))
    let day = LocalDay(export.requestedAt, in: context.timeZone)
    response.headers[.contentDisposition] = "attachment; filename=\"pairspot-\(day).zip\""
    return response
  }
}
