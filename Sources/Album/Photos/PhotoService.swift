import Core
import Database
import Web

/// The owner's actions on a photo except its story; used by pages and the API.
struct PhotoService: Sendable {
  let services: AlbumEnvironment

  /// Shares a photo with the partner, or stops sharing it. False if the viewer has no partner to
  /// share it with.
  func share(_ photo: Photo, _ isShared: Bool, by viewer: Viewer) throws -> Bool {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    return try services.site.database.write {
      try services.photos.share(photo.id, isShared, by: viewer, in: $0)
    }
  }

  /// Removes a photo permanently: the row, then its files.
  func delete(_ photo: Photo, by viewer: Viewer) throws {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    // The removed row names the files: the photo may have been saved in the meantime.
    let last = try services.site.database.write { writer -> Photo? in
      let last = try services.photos.visible(photo.id, to: viewer, in: writer)
      return try services.photos.remove(photo.id, by: viewer, in: writer) ? last : nil
    }
    guard let last else { throw Problem.notFound }
    services.folders.remove(last.files)
  }
}
