import Core
import Database
import Web

/// The owner's actions on a photo except its story; used by pages and the API.
struct PhotoService: Sendable {
  let services: AlbumEnvironment

  /// Shares photos with the partner, or stops sharing them. False if the viewer has no partner to
  /// share them with.
  func share(_ photos: [Photo], _ isShared: Bool, by viewer: Viewer) throws -> Bool {
    try change(photos, by: viewer) {
      try services.photos.share($0, isShared, by: viewer, in: $1)
    }
  }

  /// Deletes photos, which can be restored for 30 days. Throws 404 if they are gone.
  func delete(_ photos: [Photo], by viewer: Viewer, now: Instant) throws {
    let isDone = try change(photos, by: viewer) {
      try services.photos.delete($0, by: viewer, now: now, in: $1)
    }
    guard isDone else { throw Problem.notFound }
  }

  /// Changes the viewer's photos in one transaction; false if none could be changed.
  private func change(
    _ photos: [Photo], by viewer: Viewer,
    _ change: (ID<Photo>, WriteTransaction) throws -> Bool
  ) throws -> Bool {
    guard photos.allSatisfy({ $0.isOwn(of: viewer) }) else { throw Problem.forbidden }
    return try services.site.database.write { writer in
      try photos.filter { try change($0.id, writer) }.count > 0
    }
  }

  /// Restores a deleted photo of the viewer. Throws 404 if there is none.
  func restore(_ id: ID<Photo>, by viewer: Viewer, now: Instant) throws {
    let oldest = DeletionPeriod.start(now: now)
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
    let oldest = DeletionPeriod.start(now: now)
    while true {
      let files = try services.site.database.write {
        try services.photos.purge(deletedBefore: oldest, limit: 100, in: $0)
      }
      files.forEach(services.folders.remove)
      if files.count < 100 { return }
    }
  }
}
