import Core
import Database
import Foundation
import Media

/// Deletes files of removed rows. Paths are stored in the transaction that removes the rows, and
/// deleted after it. An interrupted run is completed by the next one.
public struct FileDeletionQueue: Sendable {
  private static let batch = 200

  let database: Database
  let media: any MediaStore
  /// The folder of the store if it is one of this machine.
  let mediaFolder: String

  public init(database: Database, media: any MediaStore, mediaFolder: String) {
    self.database = database
    self.media = media
    self.mediaFolder = mediaFolder
  }

  /// Adds paths below the media folder; a folder includes all its contents.
  public func add(_ paths: [String], in writer: WriteTransaction) throws {
    for path in paths {
      try writer.execute(
        "INSERT INTO file_removals (path) VALUES (\(path)) ON CONFLICT (path) DO NOTHING")
    }
  }

  /// Deletes the queued files. One that cannot be deleted stays queued and does not stop the
  /// others; the error is thrown after all have been tried.
  public func run() throws {
    var failure: (any Error)?
    var last = ""
    while true {
      let paths = try database.read {
        try $0.values(
          """
          SELECT path FROM file_removals WHERE path > \(last) ORDER BY path LIMIT \(Self.batch)
          """, as: String.self)
      }
      guard let end = paths.last else { break }
      last = end
      var removed: [String] = []
      for path in paths {
        do {
          try remove(path)
          removed.append(path)
        } catch {
          failure = error
        }
      }
      try database.write { writer in
        for path in removed {
          try writer.execute("DELETE FROM file_removals WHERE path = \(path)")
        }
      }
      for path in removed { try removeEmptyFolders(above: path) }
    }
    if let failure { throw failure }
  }

  private func remove(_ path: String) throws {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // An empty path would be the whole media folder.
    guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw UnsafePath(path: path)
    }
    try media.deleteAll(at: path)
  }

  /// Removes the empty folders of a removed couple. A couple that still exists may be writing into
  /// its own folder at this moment.
  private func removeEmptyFolders(above path: String) throws {
    var parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "couples", let couple = ID<Couple>(parts[1]) else { return }
    let isHere = try database.read {
      try $0.exists("SELECT 1 FROM couples WHERE id = \(couple)")
    }
    guard !isHere else { return }
    while parts.count > 2 {
      parts.removeLast()
      // Fails while the folder is not empty.
      guard rmdir("\(mediaFolder)/\(parts.joined(separator: "/"))") == 0 else { return }
    }
  }

  /// A path that is not allowed: it is not below the media folder.
  struct UnsafePath: Error, CustomStringConvertible {
    let path: String
    var description: String { "not a path below the media folder: \(path)" }
  }
}
