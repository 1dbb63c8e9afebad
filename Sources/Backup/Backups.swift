import Basics
import Database
import Foundation
import Glibc

/// A backup that was made.
public struct MadeBackup: Sendable {
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
}

/// A folder in which backups are kept.
public struct Backups: Sendable {
  private static let lock = ".pairspot-backups"

  private let folder: String

  public init(in folder: String) {
    self.folder = folder
  }

  /// Makes a backup of a data folder, in use or not, under a name that it gets only when it is
  /// whole and on the disk. What was left by makers that were interrupted goes first, which may be
  /// the room that this one needs. With a rule, older ones are let go after it. Throws `BackupProblem`
  /// and `DatabaseFailure`; then nothing is left of it.
  public func make(
    of source: DataPlaces, migrations: [String], named: [NamedFiles], now: Instant,
    keep rule: KeepRule?
  ) throws -> MadeBackup {
    guard PlainFile.status(source.database) != nil else {
      throw BackupProblem("there is no database in \(source.folder)")
    }
    try checkPlace(source)
    try PlainFile.makeFolder(folder)
    guard let lock = try FolderLock.take(.alone, folder, name: Self.lock) else {
      throw BackupProblem("another backup is being written in \(folder)")
    }
    defer { withExtendedLifetime(lock) {} }
    let shelf = BackupShelf(folder: folder)
    let name = BackupName(now)
    // Whoever began them is dead: only who holds the lock begins one.
    let stuck = shelf.removeInterrupted()
    let (path, unfinished) = (shelf.path(of: name), shelf.path(of: name) + BackupName.unfinished)
    guard !PlainFile.exists(path) else { throw BackupProblem("\(path) is there already") }
    let manifest: Manifest
    do {
      var maker = BackupMaker(
        source, into: unfinished, before: shelf.names().last.map(shelf.path),
        migrations: migrations,
        named: named)
      manifest = try maker.run(at: now)
      guard rename(unfinished, path) == 0 else { throw BackupProblem.system(path) }
    } catch {
      try? PlainFile.removeFolder(unfinished)
      throw error
    }
    try PlainFile.keepNames(in: folder)
    let removed = try rule.map { try shelf.tidy($0) } ?? []
    return MadeBackup(
      folder: path, files: manifest.files.count, size: manifest.files.reduce(0) { $0 + $1.size },
      missing: manifest.missing, leftOut: manifest.leftOut ?? [], stuck: stuck,
      removed: removed.map(\.text))
  }

  /// A backup inside what it copies would copy itself.
  private func checkPlace(_ source: DataPlaces) throws {
    let mine = URL(fileURLWithPath: folder).standardizedFileURL.resolvingSymlinksInPath().path
    for part in [source.media, source.secrets] {
      let other = URL(fileURLWithPath: part).standardizedFileURL.resolvingSymlinksInPath().path
      if mine == other || mine.hasPrefix("\(other)/") {
        throw BackupProblem("\(folder) lies inside \(part), which is being copied")
      }
    }
  }
}
