import Core
import Database
import Foundation
import Glibc

/// One backup, to be verified and restored.
struct StoredBackup {
  /// How many missing files are listed individually.
  private static let maximumListed = 20

  let folder: String
  let manifest: Manifest

  /// The backup in a folder, or the last of those in it. Throws `BackupError`.
  init(at given: String) throws {
    let path = PlainFile.real(given)
    if PlainFile.exists("\(path)/\(Manifest.name)") {
      guard !path.hasSuffix(BackupName.unfinished) else {
        throw BackupError("\(path) is not complete")
      }
      folder = path
      manifest = try Manifest.read(in: path)
    } else {
      let directory = BackupDirectory(folder: path)
      let last = try Self.last(of: directory)
      folder = directory.path(of: last.name)
      manifest = last.manifest
    }
  }

  /// Notes for the operator, a line each.
  var notes: [String] {
    let listed = manifest.missing.prefix(Self.maximumListed).map {
      "\(DataLayout.mediaName)/\($0) is not in the backup: it was missing when the backup was made"
    }
    let more = manifest.missing.count - listed.count
    return listed + (more > 0 ? ["\(more) more files are not in the backup: see its manifest"] : [])
  }

  /// The backup that was made last. Throws if that is uncertain because a clock was wrong, or the
  /// latest can't be read.
  private static func last(of directory: BackupDirectory) throws -> BackupDirectory.Item {
    let path = directory.folder
    guard let latest = directory.names().last else {
      if !directory.faulty.isEmpty {
        throw BackupError("\(path) contains only faulty backups: specify the one to restore")
      }
      throw BackupError(
        directory.hasUnfinished
          ? "\(path) contains only interrupted backups" : "no backup in \(path)")
    }
    let items = directory.items()
    guard let last = items.last, items.contains(where: { $0.name == latest }) else {
      throw BackupError("cannot read \(directory.path(of: latest)): specify the backup to restore")
    }
    guard last.name == latest else {
      throw BackupError(
        "\(directory.path(of: latest)) has the latest date, but \(directory.path(of: last.name)) "
          + "was made after it: specify the one to restore")
    }
    return last
  }

  /// Copies all of it into a new folder and verifies it against its manifest: the verified copy is
  /// what gets installed. Throws `BackupError`.
  func stage(into target: DataLayout) throws {
    try checkNames()
    for part in [target.folder, target.media, target.secrets] { try PlainFile.makeFolder(part) }
    for file in manifest.files {
      let (source, copy) = ("\(folder)/\(file.path)", "\(target.folder)/\(file.path)")
      if let slash = copy.lastIndex(of: "/") { try PlainFile.makeFolder(String(copy[..<slash])) }
      guard let copied = try PlainFile.copy(source, to: copy) else {
        throw BackupError("\(source) is missing")
      }
      guard copied.size == file.size, copied.sha256 == file.sha256 else {
        throw BackupError("\(source) differs from the manifest")
      }
      // With the original group permission: the web server may be in the group.
      if let mode = file.mode, file.path.hasPrefix("\(DataLayout.mediaName)/") {
        chmod(copy, 0o600 | mode_t(truncatingIfNeeded: mode) & 0o040)
      }
    }
  }

  /// Checks that the folder contains exactly the manifest's files, and nothing but files and
  /// folders.
  private func checkNames() throws {
    let tree = try FileTree(folder)
    if let other = tree.others.first {
      throw BackupError("\(folder)/\(other) is not a regular file")
    }
    let named = Set(manifest.files.map(\.path)).union([Manifest.name])
    if let unexpected = tree.files.first(where: { !named.contains($0) }) {
      throw BackupError("\(folder)/\(unexpected) is not in the manifest")
    }
    if let lost = named.subtracting(tree.files).min() {
      throw BackupError("\(folder)/\(lost) is missing")
    }
  }

  /// The damage of a database file; nil if it is intact. Throws `StorageError` if it can't be read.
  static func damage(of database: String) throws -> String? {
    do {
      // Dangling references are for the doctor to report: data that were in use must not become
      // unrestorable because of them.
      let wrong = try Database.inspect(database) { reader in
        try reader.values("PRAGMA integrity_check", as: String.self).filter { $0 != "ok" }
      }
      return wrong.isEmpty ? nil : wrong.prefix(3).joined(separator: "; ").asOneLine
    } catch let failure as StorageError where failure.saysCorrupt {
      return "\(failure)"
    }
  }

  /// Checks that the database of a copy is intact, and that this program knows its schema. Throws
  /// `BackupError`.
  static func check(_ copy: DataLayout, migrations known: [String]) throws {
    do {
      // A server checks a dump while it restores it.
      if copy.server == nil, let damage = try damage(of: copy.database) {
        throw BackupError("the database is damaged: \(damage)")
      }
      try check(migrations: try copy.inspect { try $0.appliedMigrations() }, known: known)
    } catch let failure as StorageError {
      throw BackupError("cannot read the database: \(failure)")
    }
  }

  private static func check(migrations applied: [String], known: [String]) throws {
    guard !applied.isEmpty else { throw BackupError("the database is not a PairSpot database") }
    guard let unknown = applied.first(where: { !known.contains($0) }) else { return }
    throw BackupError(
      "the backup is from a newer PairSpot (“\(unknown)”): restore it with that version")
  }

  /// Checks that the backup is one of the same kind of database, and that this program knows its
  /// schema: before a dump fills a database. Throws `BackupError`.
  func checkKind(for target: DataLayout, migrations known: [String]) throws {
    switch (manifest.isOfServer, target.server != nil) {
    case (true, true): try Self.check(migrations: manifest.migrations, known: known)
    case (false, false): return
    case (true, false):
      throw BackupError(
        "the backup has a PostgreSQL database: set PAIRSPOT_DATABASE_URL to an empty database")
    case (false, true):
      throw BackupError(
        "the backup has an SQLite database: restore it without PAIRSPOT_DATABASE_URL, and move it "
          + "with pairspot move-database")
    }
  }
}
