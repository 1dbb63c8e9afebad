import Core
import Database
import Foundation
import Glibc

/// A backup that was made.
public struct FinishedBackup: Sendable {
  public let folder: String
  public let files: Int
  /// In bytes.
  public let size: Int64
  /// The files that rows refer to and that were missing already.
  public let missing: [String]
  /// Links and other non-files, which are not backed up.
  public let leftOut: [String]
  /// Interrupted backups that couldn't be deleted, each with the reason.
  public let undeletable: [String]
  /// The backups that were deleted.
  public let removed: [String]
  /// Older backups whose names have a later time.
  public let fromTheFuture: [String]
  /// The folders of older backups that were made of faulty data.
  public let faulty: [String]
}

/// A folder in which backups are kept.
public struct Backups: Sendable {
  private static let lock = ".pairspot-backups"

  private let folder: String
  private let space: DiskReserve

  /// `space` checks the free disk space; tests have their own.
  public init(in folder: String, space: DiskReserve = DiskReserve()) {
    self.folder = PlainFile.real(folder)
    self.space = space
  }

  /// Makes a backup of a data folder, in use or not. `bucket` is noted in it: the place of files that
  /// `named` does not find. It gets its final name only when it is
  /// complete and on disk. Remains of interrupted backups are deleted first, which may free the
  /// space that this one needs. With a rule, older ones are deleted after it. Throws `BackupError`
  /// and `StorageError`; then nothing is left of it.
  ///
  /// If the data have faults, so that they could not be restored or lack files that the last backup
  /// has, the backup is kept under a name that is never restored by default, this throws a
  /// `BackupError`, and no good backup is deleted.
  public func make(
    of given: DataLayout, migrations: [String], named: [ReferencedFiles], bucket: String? = nil,
    now: Instant, keep rule: RetentionPolicy?, keysFit: @escaping KeyCheck
  ) throws -> FinishedBackup {
    let source = given.with(folder: PlainFile.real(given.folder))
    guard source.server != nil || PlainFile.status(source.database) != nil else {
      throw BackupError("no database in \(source.folder)")
    }
    try checkPlace(source)
    try PlainFile.makeFolder(folder)
    guard let lock = try FolderLock.take(.alone, folder, name: Self.lock) else {
      throw BackupError("another backup is being written in \(folder)")
    }
    defer { withExtendedLifetime(lock) {} }
    let directory = BackupDirectory(folder: folder)
    let name = BackupName(now)
    // Their processes are dead: only the holder of the lock starts a backup.
    let undeletable = directory.removeInterrupted()
    let (path, unfinished) = (
      directory.path(of: name), directory.path(of: name) + BackupName.unfinished
    )
    let faulty = path + BackupName.faulty
    for taken in [path, faulty] where PlainFile.exists(taken) {
      throw BackupError("\(taken) already exists")
    }
    let older = directory.faulty
    var maker = BackupMaker(
      source, into: unfinished, on: directory, migrations: migrations, named: named,
      keysFit: keysFit)
    maker.bucket = bucket
    try checkRoom(for: maker)
    let made: BackupMaker.BackupResult
    do {
      made = try maker.run(at: now)
      let final = made.faults.isEmpty ? path : faulty
      guard rename(unfinished, final) == 0 else { throw BackupError.system(final) }
    } catch {
      try? PlainFile.removeFolder(unfinished)
      throw error
    }
    try PlainFile.keepNames(in: folder)
    guard made.faults.isEmpty else {
      let undeletable = rule.map { directory.pruneFaulty($0, after: name) } ?? []
      throw Self.problem(made.faults + undeletable, faulty)
    }
    let removed = try rule.map { try directory.prune($0, after: name) } ?? []
    return FinishedBackup(
      folder: path, files: made.manifest.files.count,
      size: made.manifest.files.reduce(0) { $0 + $1.size }, missing: made.manifest.missing,
      leftOut: made.manifest.leftOut ?? [], undeletable: undeletable, removed: removed.map(\.text),
      fromTheFuture: directory.names().filter { $0 > name }.map(\.text), faulty: older)
  }

  private static func problem(_ faults: [String], _ folder: String) -> BackupError {
    BackupError(
      "the backup cannot be used: \(faults.joined(separator: "; ")). It is kept in \(folder), no "
        + "other backup was removed; run pairspot doctor for details")
  }

  /// A backup on the disk of the data must not use the space that running processes need. One on
  /// another disk fails by itself if that is full.
  private func checkRoom(for maker: BackupMaker) throws {
    let source = maker.source
    let disks = [source.folder, source.database, source.media, source.secrets]
      .compactMap(PlainFile.disk)
    guard let mine = PlainFile.disk(folder), disks.contains(mine) else { return }
    let size = try maker.size()
    guard !space.hasSpace(size, in: folder) else { return }
    throw BackupError(
      "\(folder) is on the same disk as the data, and \(size >> 20) MiB more would leave too "
        + "little space: free some space, or keep backups on another disk")
  }

  /// A backup inside its source would copy itself.
  private func checkPlace(_ source: DataLayout) throws {
    let mine = URL(fileURLWithPath: folder).standardizedFileURL.resolvingSymlinksInPath().path
    for part in [source.media, source.secrets] {
      let other = URL(fileURLWithPath: part).standardizedFileURL.resolvingSymlinksInPath().path
      if mine == other || mine.hasPrefix("\(other)/") {
        throw BackupError("\(folder) is inside \(part), which is being backed up")
      }
    }
  }
}
