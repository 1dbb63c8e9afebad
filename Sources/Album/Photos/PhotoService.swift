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

  /// How long deleted photos are kept, in s (docs/developer/album.md#deleted-photos).
  static let keptAfterDeletion: Int64 = .days(30)

  /// Deletes a photo, which can be restored for 30 days.
  func delete(_ photo: Photo, by viewer: Viewer, now: Instant) throws {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    let isDeleted = try services.site.database.write {
      try services.photos.delete(photo.id, by: viewer, now: now, in: $0)
    }
    guard isDeleted else { throw Problem.notFound }
  }

  /// Restores a deleted photo of the viewer. Throws 404 if there is none.
  func restore(_ id: ID<Photo>, by viewer: Viewer, now: Instant) throws {
    let oldest = now.adding(seconds: -Self.keptAfterDeletion)
    let isRestored = try services.site.database.write {
      try services.photos.restore(id, by: viewer, since: oldest, in: $0)
    }
    guard isRestored else { throw Problem.notFound }
  }

  /// Removes a deleted photo of the viewer for good: the row, then its files. Throws 404 if there
  /// is none.
  func remove(_ id: ID<Photo>, by viewer: Viewer) throws {
    let files = try services.site.database.write {
      try services.photos.remove(id, by: viewer, in: $0)
    }
    guard let files else { throw Problem.notFound }
    services.folders.remove(files)
  }

  /// Removes the photos that were deleted 30 days ago.
  func purge(now: Instant) throws {
    let oldest = now.adding(seconds: -Self.keptAfterDeletion)
    while true {
      let files = try services.site.database.write {
        try services.photos.purge(deletedBefore: oldest, limit: 100, in: $0)
      }
      files.forEach(services.folders.remove)
      if files.count < 100 { return }
    }
  }
}
