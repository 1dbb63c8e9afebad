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
  /// What rows speak of and was missing already.
  public let missing: [String]
  /// Links and what else is no file, which no backup holds.
  public let leftOut: [String]
  /// Backups that were interrupted and couldn't be taken away, each with the reason.
  public let stuck: [String]
  /// Backups that were let go.
  public let removed: [String]
  /// Older ones whose names say that they are of a later moment.
  public let fromTheFuture: [String]
  /// The folders of older ones that were made of data with faults.
  public let faulty: [String]
}

/// A folder in which backups are kept.
public struct Backups: Sendable {
  private static let lock = ".pairspot-backups"

  private let folder: String
  private let space: DiskReserve

  /// `space` tells how full the disk is; tests have their own.
  public init(in folder: String, space: DiskReserve = DiskReserve()) {
    self.folder = PlainFile.real(folder)
    self.space = space
  }

  /// Makes a backup of a data folder, in use or not, under a name that it gets only when it is
  /// whole and on the disk. What was left by makers that were interrupted goes first, which may be
  /// the room that this one needs. With a rule, older ones are let go after it. Throws `BackupError`
  /// and `StorageError`; then nothing is left of it.
  ///
  /// Of data that have faults, so that they could not be restored or would lack what the last backup
  /// has, what there is is kept under a name that no restore takes by itself, that throws a
  /// `BackupError`, and no good one is let go.
  public func make(
    of given: DataLayout, migrations: [String], named: [ReferencedFiles], now: Instant,
    keep rule: RetentionPolicy?, keysFit: @escaping KeyCheck
  ) throws -> FinishedBackup {
    let source = DataLayout(PlainFile.real(given.folder))
    guard PlainFile.status(source.database) != nil else {
      throw BackupError("there is no database in \(source.folder)")
    }
    try checkPlace(source)
    try PlainFile.makeFolder(folder)
    guard let lock = try FolderLock.take(.alone, folder, name: Self.lock) else {
      throw BackupError("another backup is being written in \(folder)")
    }
    defer { withExtendedLifetime(lock) {} }
    let directory = BackupDirectory(folder: folder)
    let name = BackupName(now)
    // Whoever began them is dead: only who holds the lock begins one.
    let stuck = directory.removeInterrupted()
    let (path, unfinished) = (
      directory.path(of: name), directory.path(of: name) + BackupName.unfinished
    )
    let faulty = path + BackupName.faulty
    for taken in [path, faulty] where PlainFile.exists(taken) {
      throw BackupError("\(taken) is there already")
    }
    let older = directory.faulty
    var maker = BackupMaker(
      source, into: unfinished, on: directory, migrations: migrations, named: named,
      keysFit: keysFit)
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
      let stuck = rule.map { directory.tidyFaulty($0, after: name) } ?? []
      throw Self.problem(made.faults + stuck, faulty)
    }
    let removed = try rule.map { try directory.tidy($0, after: name) } ?? []
    return FinishedBackup(
      folder: path, files: made.manifest.files.count,
      size: made.manifest.files.reduce(0) { $0 + $1.size }, missing: made.manifest.missing,
      leftOut: made.manifest.leftOut ?? [], stuck: stuck, removed: removed.map(\.text),
      fromTheFuture: directory.names().filter { $0 > name }.map(\.text), faulty: older)
  }

  private static func problem(_ faults: [String], _ folder: String) -> BackupError {
    BackupError(
      "this is no backup to rely on: \(faults.joined(separator: "; ")). What there is is in "
        + "\(folder), no other backup was let go; pairspot doctor says more")
  }

  /// A backup on the disk of the data must not take the room that those need who write meanwhile. One
  /// on another disk fails by itself when that is full.
  private func checkRoom(for maker: BackupMaker) throws {
    let source = maker.source
    let disks = [source.folder, source.database, source.media, source.secrets]
      .compactMap(PlainFile.disk)
    guard let mine = PlainFile.disk(folder), disks.contains(mine) else { return }
    let size = try maker.size()
    guard !space.holds(size, in: folder) else { return }
    throw BackupError(
      "\(folder) is on the disk of the data, where \(size >> 20) MiB more would leave too little room "
        + "to go on: make room, or keep backups on another disk")
  }

  /// A backup inside what it copies would copy itself.
  private func checkPlace(_ source: DataLayout) throws {
    let mine = URL(fileURLWithPath: folder).standardizedFileURL.resolvingSymlinksInPath().path
    for part in [source.media, source.secrets] {
      let other = URL(fileURLWithPath: part).standardizedFileURL.resolvingSymlinksInPath().path
      if mine == other || mine.hasPrefix("\(other)/") {
        throw BackupError("\(folder) lies inside \(part), which is being copied")
      }
    }
  }
}
