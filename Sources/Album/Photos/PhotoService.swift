import Core
import Database
import Web

/// What an owner does with a photo besides its story; pages and API call the same.
struct PhotoService: Sendable {
  let services: AlbumEnvironment

  /// Lets the partner see a photo, or no longer. False when there is nobody to share it with.
  func share(_ photo: Photo, _ isShared: Bool, by viewer: Viewer) throws -> Bool {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    return try services.site.database.write {
      try services.photos.share(photo.id, isShared, by: viewer, in: $0)
    }
  }

  /// Removes a photo for good: the row, then its files.
  func delete(_ photo: Photo, by viewer: Viewer) throws {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    // The row that goes says which files do: somebody may have saved meanwhile.
    let last = try services.site.database.write { writer -> Photo? in
      let last = try services.photos.visible(photo.id, to: viewer, in: writer.reader)
      return try services.photos.remove(photo.id, by: viewer, in: writer) ? last : nil
    }
    guard let last else { throw Problem.notFound }
    services.folders.remove(last.files)
  }
}
