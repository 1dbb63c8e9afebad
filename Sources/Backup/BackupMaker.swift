import Basics
import Database
import Foundation
import Glibc

/// Makes one backup of a data folder in use (operations.md, "Keeping data").
///
/// A file is written before its row, and removed after it. So media are copied before the database,
/// and what came meanwhile after it: every row that was copied then has its files, but for one
/// whose file came and went between two looks. For those the database, which no longer speaks of
/// it, is copied again. The secrets come last: they only ever gain keys.
struct BackupMaker {
  /// How often the database is copied again for files that went meanwhile.
  private static let mostRounds = 4

  let source: DataPlaces
  /// The migrations that this program knows.
  let migrations: [String]
  let named: [NamedFiles]

  private let target: DataPlaces
  private let before: Earlier?
  private var copied: [String: PlainFile.Copied] = [:]
  /// Links and what else is neither a file nor a folder.
  private var leftOut: Set<String> = []

  /// `before` is the folder of the last backup: what has not changed since is shared with it.
  init(
    _ source: DataPlaces, into folder: String, before: String?, migrations: [String],
    named: [NamedFiles]
  ) {
    self.source = source
    self.migrations = migrations
    self.named = named
    target = DataPlaces(folder)
    self.before = before.flatMap { Earlier($0) }
  }

  /// Fills the folder, which is new; all of it is on the disk when this returns. Throws
  /// `BackupProblem` and `DatabaseFailure`.
  mutating func run(at moment: Instant) throws -> Manifest {
    for folder in [target.folder, target.media, target.secrets] {
      try PlainFile.makeFolder(folder)
    }
    try copyMedia()
    var missing: [String] = []
    for _ in 1...Self.mostRounds {
      unlink(target.database)
      try Database.copy(source.database, to: target.database)
      try copyMedia()
      let found = try missingFiles()
      defer { missing = found }
      // What a newer database names too isn't there at all: once more is enough to know.
      if found.isEmpty || found == missing { break }
    }
    try copyAll(DataPlaces.secretsName)
    return try finish(at: moment, missing: missing)
  }

  // MARK: Files

  private mutating func copyMedia() throws { try copyAll(DataPlaces.mediaName) }

  private mutating func copyAll(_ part: String) throws {
    let tree = try FileTree("\(source.folder)/\(part)")
    leftOut.formUnion(tree.others.map { "\(part)/\($0)" })
    for folder in tree.folders { try PlainFile.makeFolder("\(target.folder)/\(part)/\(folder)") }
    for file in tree.files where !Self.isUnfinished(file) {
      let path = "\(part)/\(file)"
      if copied[path] != nil { continue }
      if let one = try copy(path) { copied[path] = one }
    }
  }

  /// What is being written has a name of its own until it is whole.
  private static func isUnfinished(_ path: String) -> Bool {
    path.split(separator: "/").last?.hasPrefix(".") ?? true
  }

  private func copy(_ path: String) throws -> PlainFile.Copied? {
    let (from, to) = ("\(source.folder)/\(path)", "\(target.folder)/\(path)")
    if let shared = before?.share(path, as: from, to: to) { return shared }
    return try PlainFile.copy(from, to: to)
  }

  // MARK: Rows

  /// What rows of the copied database speak of and is not in the backup. A database that this
  /// program has yet to bring up to date can't be asked.
  private func missingFiles() throws -> [String] {
    let known = Set(migrations)
    return try Database.inspect(target.database) { reader in
      guard known.isSubset(of: try reader.appliedMigrations()) else { return [] }
      let wanted = try named.reduce(into: Set<String>()) { try $0.formUnion($1.find(reader)) }
      return wanted.filter { copied["\(DataPlaces.mediaName)/\($0)"] == nil }.sorted()
    }
  }

  // MARK: The end

  private func finish(at moment: Instant, missing: [String]) throws -> Manifest {
    chmod(target.database, 0o600)
    try PlainFile.keep(target.database)
    var files = [DataPlaces.databaseName: try PlainFile.measure(target.database)]
    files.merge(copied) { first, _ in first }
    let manifest = Manifest(
      program: Manifest.program, format: Manifest.currentFormat, madeAt: moment.milliseconds,
      time: moment.rfc3339,
      migrations: try Database.inspect(target.database) { try $0.appliedMigrations() },
      files: files.sorted { $0.key < $1.key }.map {
        Manifest.File(path: $0.key, size: $0.value.size, sha256: $0.value.sha256)
      }, missing: missing, leftOut: leftOut.sorted())
    try write(try manifest.encoded())
    for folder in try FileTree(target.folder).folders {
      try PlainFile.keepNames(in: "\(target.folder)/\(folder)")
    }
    try PlainFile.keepNames(in: target.folder)
    return manifest
  }

  private func write(_ bytes: [UInt8]) throws {
    let path = "\(target.folder)/\(Manifest.name)"
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    else { throw BackupProblem.system(path) }
    try PlainFile.keep(path)
  }
}

/// The backup before, whose files are shared where they are the same: eleven backups of a large
/// album then need little more room than one.
private struct Earlier {
  private let folder: String
  private let files: [String: Manifest.File]

  /// Nil for one that can't be read.
  init?(_ folder: String) {
    guard let manifest = try? Manifest.read(in: folder) else { return nil }
    self.folder = folder
    files = Dictionary(manifest.files.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
  }

  /// Gives a file another name in the new backup when it is that of the live data: of the same
  /// size and age, and still what its manifest says. Nil when it is to be copied.
  func share(_ path: String, as live: String, to target: String) -> PlainFile.Copied? {
    let mine = "\(folder)/\(path)"
    guard path.hasPrefix("\(DataPlaces.mediaName)/"), let known = files[path],
      let now = PlainFile.status(live), let then = PlainFile.status(mine), now == then,
      let measured = try? PlainFile.measure(mine), measured.sha256 == known.sha256,
      measured.size == known.size, link(mine, target) == 0
    else { return nil }
    return measured
  }
}
