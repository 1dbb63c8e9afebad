import Core
import Database
import Foundation

/// Files of rows that are gone: noted in the transaction that removes the rows, removed after it.
/// Whatever is interrupted in between is done the next time.
struct FileDeletionQueue: Sendable {
  private static let batch = 200

  let database: Database
  let mediaFolder: String

  /// Notes paths below the media folder; a folder stands for all that is in it.
  func add(_ paths: [String], in writer: WriteTransaction) throws {
    for path in paths {
      try writer.execute(
        "INSERT INTO file_removals (path) VALUES (?) ON CONFLICT (path) DO NOTHING", path)
    }
  }

  /// Removes what was noted. One that can't be removed stays noted and doesn't keep the others;
  /// throws what stood in the way once all have been tried.
  func run() throws {
    var failure: (any Error)?
    var last = ""
    while true {
      let paths = try database.read {
        try $0.rows(
          "SELECT path FROM file_removals WHERE path > ? ORDER BY path LIMIT ?", last, Self.batch
        ) { $0.text(0) }
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
          try writer.execute("DELETE FROM file_removals WHERE path = ?", path)
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
    do {
      try FileManager.default.removeItem(atPath: "\(mediaFolder)/\(path)")
    } catch CocoaError.fileNoSuchFile {
      // Gone already, by a run that was interrupted.
    }
  }

  /// Takes away what is left of the folder of a couple that is gone, once nothing is in it: one
  /// that is still here may be writing into its own at this very moment.
  private func removeEmptyFolders(above path: String) throws {
    var parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "couples", let couple = ID<Couple>(parts[1]) else { return }
    let isHere = try database.read {
      try $0.exists("SELECT 1 FROM couples WHERE id = ?", couple)
    }
    guard !isHere else { return }
    while parts.count > 2 {
      parts.removeLast()
      // Fails as long as something is in it.
      guard rmdir("\(mediaFolder)/\(parts.joined(separator: "/"))") == 0 else { return }
    }
  }

  /// A path that no participant may name.
  struct UnsafePath: Error, CustomStringConvertible {
    let path: String
    var description: String { "not a path below the media folder: \(path)" }
  }
}
