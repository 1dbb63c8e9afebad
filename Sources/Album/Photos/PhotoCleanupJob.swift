import Core
import Foundation
import Images
import Jobs
import PhotoMetadata

/// Removes files without a row: left by a process killed while saving or importing, or those that
/// could not be removed.
struct PhotoCleanupJob: Sendable {
  static let job = "photos.leftovers"
  /// Younger files, in s, may still be being written.
  static let grace: Int64 = .hours(1)

  let services: AlbumEnvironment

  /// Removes unfinished files, and the others once they can no longer be needed
  /// (`OrphanFileCollector`). Ages are measured by the system clock, as file times are, and not by
  /// the application's clock, which may be offset.
  func remove(now: Instant = Instant(date: Date())) throws {
    let latest = try OrphanFileCollector(Self.job, database: services.site.database).latest(
      now: now)
    for path in try find(olderThan: now.adding(seconds: -Self.grace)) {
      let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
      let isUnfinished =
        PhotoFile.isUnfinished(String(name)) || PictureFiles.isUnfinished(String(name))
      let isForgotten = latest.map { latest in Self.changed(path).map { $0 < latest } ?? false }
      guard isUnfinished || isForgotten == true else { continue }
      unlink(path)
      // Fails if the folder is not empty.
      rmdir(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    }
  }

  /// The paths of files that were changed before a moment and belong to no photo.
  func find(olderThan moment: Instant) throws -> [String] {
    let root = "\(services.folders.mediaFolder)/\(PhotoFolders.root)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return try names.flatMap { name -> [String] in
      guard let folder = ID<Person>(name) else { return [] }
      // Listed before the rows are read: a file that gets its row in between is not in the list, or
      // young.
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(name)")) ?? []
      let known = try services.site.database.read {
        try services.photos.fileNames(in: folder, $0)
      }
      return files.filter { !known.contains($0) }.map { "\(root)/\(name)/\($0)" }
        .filter { Self.changed($0).map { $0 < moment } ?? false }.sorted()
    }
  }

  private static func changed(_ path: String) -> Instant? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    // The preview images of a new copy are hard links: written long ago, but changed now.
    let seconds = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
    return Instant(milliseconds: Int64(seconds) * 1000)
  }
}
