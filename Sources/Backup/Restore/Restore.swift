import Core
import Database
import Foundation
import Glibc

/// Restores a data folder from a backup (docs/operator/backup-and-restore.md). The database of a
/// server must be empty: there is no way to exchange its rows and the files at once.
public struct Restore: Sendable {
  /// The result of a restore.
  public struct Outcome: Sendable {
    public let backup: String
    public let madeAt: Instant
    /// Notes about the backup, and the modules' notes about their tables.
    public let notes: [String]
    /// The folders of the old data; empty if there were none.
    public let before: [String]
  }

  private let target: DataLayout
  private let migrations: [Migration]
  private let steps: [RestoreStep]
  private let keysFit: KeyCheck

  public init(
    into target: DataLayout, migrations: [Migration], steps: [RestoreStep],
    keysFit: @escaping KeyCheck
  ) {
    self.target = target.with(folder: PlainFile.real(target.folder))
    self.migrations = migrations
    self.steps = steps
    self.keysFit = keysFit
  }

  /// Verifies the backup at a path, or the last one in it, and replaces the current data with it.
  /// Nothing is changed until all is verified. If killed at any moment, either the old or the new
  /// data are there, the latter once the folder is opened again. Throws `BackupError` and the
  /// modules' errors.
  public func run(from path: String, now: Instant) throws -> Outcome {
    let backup = try StoredBackup(at: path)
    try backup.checkKind(for: target, migrations: migrations.map(\.name))
    try PlainFile.makeFolder(target.folder)
    let lock = try DataLock.alone(target.folder)
    defer { withExtendedLifetime(lock) {} }
    let earlier = try DataReplacement.finish(target.folder).map {
      "finished an interrupted restore: \(DataReplacement.finished($0))"
    }
    try DataReplacement.removeUndecided(target.folder)
    try checkPlaces()
    let name = BackupName(now)
    let new = target.with(folder: DataReplacement.newFolder(target.folder, name))
    guard !PlainFile.exists(DataReplacement.retiredFolder(target.folder, name)) else {
      throw BackupError("another restore ran in the same second: try again")
    }
    let madeAt = Instant(milliseconds: backup.manifest.madeAt)
    let notes: [String]
    let filling = try target.server.map { try ServerFilling($0) }
    do {
      try backup.stage(into: new)
      try filling?.restore(new.dump)
      try StoredBackup.check(new, migrations: migrations.map(\.name))
      notes = try prepare(new, RestoredBackup(madeAt: madeAt, now: now))
      try keep(new)
      // Checked again, since this may have taken long.
      try checkPlaces()
      try DataReplacement.decide(target.folder, name)
    } catch {
      // Once the note exists the restore is decided, even if later steps failed.
      guard !DataReplacement.isDecided(target.folder) else { throw error }
      try? PlainFile.removeFolder(new.folder)
      throw filling?.abandoned(because: error) ?? error
    }
    let before = try DataReplacement.finish(target.folder) ?? []
    try filling?.end()
    return Outcome(
      backup: backup.folder, madeAt: madeAt,
      notes: [earlier].compactMap { $0 } + backup.notes + notes,
      before: before)
  }

  /// Prepares a checked database for opening: migrates it, tries the keys, and runs the modules'
  /// restore steps; returns their notes. Throws `BackupError` and the modules' errors.
  func prepare(_ new: DataLayout, _ backup: RestoredBackup) throws -> [String] {
    let database = try new.openDatabase()
    try database.migrate(migrations)
    try database.read { try keysFit(new, $0) }
    let notes = try database.write { writer in
      try steps.compactMap { try $0.run(writer, backup) }
    }
    if database.isSQLite { try database.closeAsOneFile() }
    return notes
  }

  private func keep(_ new: DataLayout) throws {
    if new.server == nil { try PlainFile.keep(new.database) }
    for folder in try FileTree(new.folder).folders {
      try PlainFile.keepNames(in: "\(new.folder)/\(folder)")
    }
    for folder in [new.folder, target.folder] { try PlainFile.keepNames(in: folder) }
  }

  /// Checks that renames will work: only within one file system, and neither through links nor at
  /// mount points.
  private func checkPlaces() throws {
    var own = stat()
    guard stat(target.folder, &own) == 0 else { throw BackupError.system(target.folder) }
    for part in [target.media, target.secrets] where PlainFile.exists(part) {
      var status = stat()
      guard lstat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_dev == own.st_dev
      else {
        throw BackupError(
          "\(part) is a link or on another disk: restore into an empty folder and move it there")
      }
    }
    let mounts = MountPoints()
    for part in [target.database, target.media, target.secrets] {
      guard let mount = mounts.first(in: part) else { continue }
      throw BackupError(
        "\(mount) is a mount point: restore into an empty folder and move it there")
    }
  }
}
