import Basics
import Database
import Foundation
import Glibc

/// One backup, to be looked at and brought back.
struct KeptBackup {
  let folder: String
  let manifest: Manifest

  /// The one in a folder, or the newest of those in it. Throws `BackupProblem`.
  init(at path: String) throws {
    if PlainFile.exists("\(path)/\(Manifest.name)") {
      guard !path.hasSuffix(BackupName.unfinished) else {
        throw BackupProblem("\(path) was never finished")
      }
      folder = path
    } else {
      let shelf = BackupShelf(folder: path)
      guard let newest = shelf.names().last else {
        throw BackupProblem(
          shelf.hasUnfinished
            ? "\(path) holds only backups that were interrupted" : "there is no backup in \(path)")
      }
      folder = shelf.path(of: newest)
    }
    guard PlainFile.isFolder(folder) else { throw BackupProblem("\(folder) is no folder") }
    manifest = try Manifest.read(in: folder)
  }

  /// Copies all of it into a new folder and finds fault with whatever isn't as its manifest says:
  /// what is installed is what was looked at. Throws `BackupProblem`.
  func stage(into target: DataPlaces) throws {
    try checkNames()
    for part in [target.folder, target.media, target.secrets] { try PlainFile.makeFolder(part) }
    for file in manifest.files {
      let (source, copy) = ("\(folder)/\(file.path)", "\(target.folder)/\(file.path)")
      if let slash = copy.lastIndex(of: "/") { try PlainFile.makeFolder(String(copy[..<slash])) }
      guard let copied = try PlainFile.copy(source, to: copy) else {
        throw BackupProblem("\(source) is missing")
      }
      guard copied.size == file.size, copied.sha256 == file.sha256 else {
        throw BackupProblem("\(source) is not what was backed up")
      }
    }
  }

  /// Exactly what the manifest names, and nothing but files and folders.
  private func checkNames() throws {
    let tree = try FileTree(folder)
    if let other = tree.others.first {
      throw BackupProblem("\(folder)/\(other) is a link, or no file")
    }
    let named = Set(manifest.files.map(\.path)).union([Manifest.name])
    if let stranger = tree.files.first(where: { !named.contains($0) }) {
      throw BackupProblem("\(folder)/\(stranger) is not in the manifest")
    }
    if let lost = named.subtracting(tree.files).min() {
      throw BackupProblem("\(folder)/\(lost) is missing")
    }
  }

  /// The database itself: whole, and of a schema that this program knows. Throws `BackupProblem`.
  static func check(_ database: String, migrations known: [String]) throws {
    do {
      try Database.inspect(database) { reader in
        // A row that points at a missing one is the doctor's to tell of: data that were lived with
        // must not be lost for it.
        let wrong = try reader.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
        guard wrong.isEmpty else {
          throw BackupProblem("the database is damaged: \(wrong.prefix(3).joined(separator: "; "))")
        }
        let applied = try reader.appliedMigrations()
        guard !applied.isEmpty else { throw BackupProblem("the database is not PairSpot's") }
        let unknown = applied.filter { !known.contains($0) }
        guard unknown.isEmpty else {
          throw BackupProblem(
            "the backup is of a newer PairSpot (“\(unknown[0])”): restore it with that one")
        }
      }
    } catch let failure as DatabaseFailure {
      throw BackupProblem("the database can't be read: \(failure)")
    }
  }
}
