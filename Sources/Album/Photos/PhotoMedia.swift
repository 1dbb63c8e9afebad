import Core
import Images
import Web

/// `/media/photos/{id}/{file}`: a photo's preview images; and `/album/{id}/file`: the photo itself
/// with its story. nginx sends the files.
struct PhotoMedia {
  private let services: AlbumEnvironment

  init(_ services: AlbumEnvironment) {
    self.services = services
  }

  @Sendable func send(_ context: Context) throws -> Response {
    // An image must not redirect to the sign-in page.
    guard context.viewer != nil else { throw Problem.notFound }
    // Its owner sees a deleted photo on the page where it can be restored.
    let deleted = try services.site.database.read {
      try services.photos.deleted(context.id(), of: context.signedIn(), in: $0)
    }
    let photo = try deleted ?? services.photo(context)
    let file = context.parameters["file"] ?? ""
    guard photo.files.pictureNames.contains(file) else { throw Problem.notFound }
    return .protectedFile(
      at: services.folders.media.location(of: photo.files.path(of: file)),
      contentType: Self.contentType(of: file), cacheControl: MediaCaching.header(forAll: false))
  }

  @Sendable func download(_ context: Context) throws -> Response {
    let photo = try services.photo(context)
    var response = Response.protectedFile(
      at: services.folders.media.location(of: photo.files.originalPath),
      contentType: Self.contentType(of: photo.files.originalName),
      cacheControl: MediaCaching.header(forAll: false))
    response.headers[.contentDisposition] =
      "attachment; filename=\"\(Self.downloadName(photo, context))\""
    return response
  }

  /// "pairspot-2026-11-21-3f2a.jpg": the day, and part of the ID to distinguish photos of the same
  /// day.
  static func downloadName(_ photo: Photo, _ context: Context) -> String {
    let day = photo.taken?.day ?? LocalDay(photo.createdAt, in: context.timeZone)
    return "pairspot-\(day)-\(photo.id.description.suffix(4)).\(photo.format.fileExtension)"
  }

  private static func contentType(of file: String) -> String {
    if file.hasSuffix(".jpg") { return "image/jpeg" }
    return file.hasSuffix(".webp") ? "image/webp" : "image/png"
  }
}
