import Archive
import Core
import Foundation
import HTTPTypes
import Web

/// `/album/selected`: shares, unshares, downloads or deletes the photos that were selected in the
/// album. Photos that the viewer may not see are left out; only their owner can share or delete
/// photos.
struct PhotoSelection {
  /// Photos of one selection.
  static let maximumPhotos = 100
  /// The size of all files of one archive, in bytes: what can be packed in a few seconds.
  static let maximumBytes = 512 << 20
  /// Archives of one user.
  private static let archives = RateLimit("photo-archives", maximum: 20, window: .hours(1))
  /// One at a time: `DownloadArchives` keeps an archive of this age when the next is packed.
  private static let lastArchive = RateLimit(
    "photo-archives-last", maximum: 1, window: Int64(DownloadArchives.timeout))

  private let services: AlbumEnvironment
  private let concurrency: PhotoConcurrencyLimit

  init(_ services: AlbumEnvironment) {
    self.services = services
    concurrency = PhotoConcurrencyLimit(
      atOnce: 2, maximumWaiting: min(4, services.imageProcessor.maximumWaiting))
  }

  @Sendable func change(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let form = context.form
    let filter = AlbumFilter(tab: form["tab"], search: form["q"], for: viewer)
    func back(_ text: String) -> Response {
      context.flash(text)
      return .seeOther(AlbumLinks.album(filter, isSelecting: true))
    }
    var known: Set<ID<Photo>> = []
    let ids = form.all("photo").compactMap { ID<Photo>($0) }.filter { known.insert($0).inserted }
    guard !ids.isEmpty else { return back("toast.photos_none") }
    guard ids.count <= Self.maximumPhotos else { return back("toast.photos_many") }
    let photos = try services.photos.visible(ids, to: viewer)
    guard !photos.isEmpty else { throw Problem.notFound }
    if form["action"] == "download" {
      guard photos.reduce(0, { $0 + $1.bytes }) <= Self.maximumBytes else {
        return back("toast.photos_large")
      }
      return try archive(photos, for: viewer, context)
    }
    let own = photos.filter { $0.isOwn(of: viewer) }
    guard !own.isEmpty else { return back("toast.photos_not_own") }
    try change(own, form["action"], by: viewer, context)
    return .seeOther(AlbumLinks.album(filter))
  }

  private func change(
    _ photos: [Photo], _ action: String, by viewer: Viewer, _ context: Context
  ) throws {
    let service = PhotoService(services: services)
    switch action {
    case "share", "unshare":
      // The couple may have separated a moment ago.
      guard try service.share(photos, action == "share", by: viewer) else {
        throw Problem.forbidden
      }
      context.flash(action == "share" ? "toast.photos_shared" : "toast.photos_unshared")
    case "delete":
      try service.delete(photos, by: viewer, now: context.now)
      context.flash("toast.photos_deleted", link: (AlbumLinks.deleted, "toast.deleted_link"))
    default: throw Problem.notFound
    }
  }

  // MARK: Archive

  private func archive(
    _ photos: [Photo], for viewer: Viewer, _ context: Context
  ) throws -> Response {
    let bytes = Int64(photos.reduce(0) { $0 + $1.bytes })
    let path = try concurrency.take {
      for limit in [Self.lastArchive, Self.archives] {
        try services.limits.count(limit, viewer.id.description, now: context.now)
      }
      guard services.disk.hasSpace(bytes, in: services.folders.mediaFolder) else {
        throw FileOperationError(description: "no space for an archive", systemError: ENOSPC)
      }
      return try services.archives.pack(for: viewer.id, at: context.now) { zip in
        var names: [String: Int] = [:]
        for photo in photos {
          let name = PhotoMedia.downloadName(photo, context)
          let count = names[name, default: 0]
          names[name] = count + 1
          do {
            _ = try services.folders.media.read(photo.files.originalPath) {
              try zip.add(count == 0 ? name : "\(count + 1)-\(name)", file: $0)
            }
          } catch ZipError.missing {
            // Saved or removed in the meantime.
          }
        }
      }
    }
    var response = Response.protectedFile(
      path, contentType: "application/zip", cacheControl: MediaCaching.header(forAll: false))
    let day = context.today
    response.headers[.contentDisposition] = "attachment; filename=\"pairspot-photos-\(day).zip\""
    return response
  }
}
