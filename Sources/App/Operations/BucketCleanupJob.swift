import Accounts
import Album
import Core
import Database
import Feed
import Foundation
import Jobs
import Media
import Messages
import Moments
import Trainings

/// Removes files in the bucket that no row references: left by a process killed between bucket and
/// database, or those that could not be removed.
struct BucketCleanupJob: Sendable {
  static let job = "media.leftovers"

  let media: any MediaStore
  let database: Database

  var kind: JobKind {
    .recurring(Self.job, every: .hours(6)) { _ in try run() }
  }

  /// Removes them once they can no longer be needed (`OrphanFileCollector`). `now` is the system's
  /// time, since ages are by the clock of the store, and the application's clock may be offset.
  func run(now: Instant = Instant(date: Date())) throws {
    guard let latest = try OrphanFileCollector(Self.job, database: database).latest(now: now) else {
      return
    }
    for folder in Configuration.mediaFolders {
      var mark: String?
      repeat {
        // Listed before the rows are read: a file that gets its row in between is young.
        let page = try media.page(below: folder, after: mark)
        let old = page.files.filter { $0.storedAt < latest }.map(\.path)
        if !old.isEmpty { try media.delete(try unnamed(old, in: folder)) }
        mark = page.next
      } while mark != nil
    }
  }

  /// Those of these files of a first folder that no row references. Names that PairSpot does not give
  /// are not among them.
  private func unnamed(_ paths: [String], in folder: String) throws -> [String] {
    try database.read { reader -> [String] in
      switch folder {
      case "couples":
        let avatars = paths.filter { $0.contains("/avatar/") }
        let pictures = paths.filter { !$0.contains("/avatar/") }
        return try AccountsModule.unnamedAvatars(avatars, in: reader)
          + FeedModule.unnamedFiles(pictures, in: reader)
      case "exports": return try AccountsModule.unnamedExports(paths, in: reader)
      case "drafts": return try FeedModule.unnamedFiles(paths, in: reader)
      case "messages": return try MessagesModule.unnamedFiles(paths, in: reader)
      case "moments": return try MomentsModule.unnamedFiles(paths, in: reader)
      case "trainings": return try TrainingsModule.unnamedFiles(paths, in: reader)
      case "photos": return try AlbumModule.unnamedFiles(paths, in: reader)
      default: return []
      }
    }
  }
}
