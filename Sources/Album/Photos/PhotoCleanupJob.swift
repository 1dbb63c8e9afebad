import Core
import Foundation
import Images
import Jobs
import PhotoMetadata

/// Files that no row names: what was being saved or taken when a process was killed, and what
/// could not be removed.
struct PhotoCleanupJob: Sendable {
  static let job = "photos.leftovers"
  /// One that is being written is younger, in s.
  static let grace: Int64 = .hours(1)

  let services: AlbumEnvironment

  /// Removes those that never became a photo's, and the others once nobody can miss them any more
  /// (`OrphanFileCollector`). Their age is told by the kernel's clock, which stamps files, and not by the
  /// house's, which may be offset.
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
      // Fails as long as something is in it.
      rmdir(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    }
  }

  /// The paths of files that were changed before a moment and belong to no photo.
  func find(olderThan moment: Instant) throws -> [String] {
    let root = "\(services.folders.mediaFolder)/\(PhotoFolders.root)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return try names.flatMap { name -> [String] in
      guard let folder = ID<Person>(name) else { return [] }
      // Listed before the rows are asked: a file that gets its row in between is not on the list,
      // or young.
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
    // The pictures of a copy that is just being made are links: written long ago, but changed now.
    let seconds = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
    return Instant(milliseconds: Int64(seconds) * 1000)
  }
}
