import Core
import Database
import Foundation
import Glibc

/// Makes one backup of a data folder in use (docs/operator/backup-and-restore.md).
///
/// A file is written before its row, and removed after it. So media are copied before the database,
/// and what came meanwhile after it: every row that was copied then has its files, but for one
/// whose file came and went between two looks. For those the database, which no longer speaks of
/// it, is copied again. The secrets come last: they only ever gain keys.
///
/// What a restore would refuse is found here, while something can be done about it.
struct BackupMaker {
  /// What was made.
  struct BackupResult {
    let manifest: Manifest
    /// Why it is no backup that anybody may rely on, for the operator; none for a good one.
    let faults: [String]
  }

  /// How often the database is copied again for files that went meanwhile.
  private static let mostRounds = 4
  /// What a file takes on a disk, in bytes, is a multiple of this.
  private static let block: Int64 = 4096

  let source: DataLayout
  /// The migrations that this program knows.
  let migrations: [String]
  let named: [ReferencedFiles]
  let keysFit: KeyCheck

  private let target: DataLayout
  /// Which one it is of its shelf.
  private let number: Int
  private let before: PreviousBackup?
  private var copied: [String: PlainFile.CopiedFile] = [:]
  /// Links and what else is neither a file nor a folder.
  private var leftOut: Set<String> = []

  /// Makes one for a shelf: what has not changed since the last one there is shared with it.
  init(
    _ source: DataLayout, into folder: String, on directory: BackupDirectory, migrations: [String],
    named: [ReferencedFiles], keysFit: @escaping KeyCheck
  ) {
    self.source = source
    self.migrations = migrations
    self.named = named
    self.keysFit = keysFit
    target = DataLayout(folder)
    let last = directory.items().last
    number = (last?.manifest.number ?? 0) + 1
    before = last.map { PreviousBackup(directory.path(of: $0.name), $0.manifest) }
  }

  /// What it will take of the disk, in bytes, as the data stand now. Throws `BackupError`.
  func size() throws -> Int64 {
    var files = [source.database, "\(source.database)-wal"]
    for part in [DataLayout.mediaName, DataLayout.secretsName] {
      files += try FileTree("\(source.folder)/\(part)").files.map { "\(part)/\($0)" }
        .filter { !(before?.mayShare($0, as: "\(source.folder)/\($0)") ?? false) }
        .map { "\(source.folder)/\($0)" }
    }
    return files.reduce(0) { sum, file in
      sum + ((PlainFile.status(file)?.size ?? 0) / Self.block + 1) * Self.block
    }
  }

  /// Fills the folder, which is new; all of it is on the disk when this returns. Throws
  /// `BackupError` and `StorageError`.
  mutating func run(at moment: Instant) throws -> BackupResult {
    for folder in [target.folder, target.media, target.secrets] {
      try PlainFile.makeFolder(folder)
    }
    try copyMedia()
    var (missing, gone): (Set<String>, Set<String>) = ([], [])
    var damage: String?
    for _ in 1...Self.mostRounds {
      unlink(target.database)
      try Database.copy(source.database, to: target.database)
      try copyMedia()
      damage = try StoredBackup.damage(of: target.database)
      if damage != nil { break }
      let found = try missingFiles()
      // What a newer database names too isn't just being deleted: it isn't there at all.
      gone = found.intersection(missing)
      defer { missing = found }
      if found == gone { break }
    }
    try copyAll(DataLayout.secretsName)
    let faults = [
      damage.map { "the database is damaged (\($0))" }, lostFiles(gone),
      try wrongKeys(mayAsk: damage == nil),
    ]
    return BackupResult(
      manifest: try finish(at: moment, missing: missing.sorted()), faults: faults.compactMap { $0 })
  }

  // MARK: Faults

  /// Files that the last backup has still: whatever took them, it was not somebody who deleted
  /// something. What was missing then too is told of and no more.
  private func lostFiles(_ gone: Set<String>) -> String? {
    guard let before else { return nil }
    let lost = gone.map { "\(DataLayout.mediaName)/\($0)" }.filter(before.has).sorted()
    guard let first = lost.first else { return nil }
    return "\(lost.count) files are gone that the database speaks of, \(first) among them: the last"
      + " backup, \(before.folder), has them: bring them back from there"
  }

  /// Why the keys are none that a restore would take.
  private func wrongKeys(mayAsk: Bool) throws -> String? {
    do {
      guard mayAsk else {
        try keysFit(target, nil)
        return nil
      }
      try Database.inspect(target.database) { reader in
        try keysFit(target, try isUpToDate(reader) ? reader : nil)
      }
      return nil
    } catch let problem as BackupError {
      // Where it is to be mended.
      return problem.description.replacing(target.folder, with: source.folder)
    }
  }

  /// A database that this program has yet to bring up to date can't be asked.
  private func isUpToDate(_ reader: ReadTransaction) throws -> Bool {
    Set(migrations).isSubset(of: try reader.appliedMigrations())
  }

  // MARK: Files

  private mutating func copyMedia() throws { try copyAll(DataLayout.mediaName) }

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

  private func copy(_ path: String) throws -> PlainFile.CopiedFile? {
    let (from, to) = ("\(source.folder)/\(path)", "\(target.folder)/\(path)")
    if let shared = before?.share(path, as: from, to: to) { return shared }
    return try PlainFile.copy(from, to: to)
  }

  // MARK: Rows

  /// What rows of the copied database speak of and is not in the backup.
  private func missingFiles() throws -> Set<String> {
    try Database.inspect(target.database) { reader in
      guard try isUpToDate(reader) else { return [] }
      let wanted = try named.reduce(into: Set<String>()) { try $0.formUnion($1.find(reader)) }
      return wanted.filter { copied["\(DataLayout.mediaName)/\($0)"] == nil }
    }
  }

  // MARK: The end

  private func finish(at moment: Instant, missing: [String]) throws -> Manifest {
    chmod(target.database, 0o600)
    try PlainFile.keep(target.database)
    var files = [DataLayout.databaseName: try PlainFile.measure(target.database)]
    files.merge(copied) { first, _ in first }
    let manifest = Manifest(
      program: Manifest.program, format: Manifest.currentFormat, madeAt: moment.milliseconds,
      time: moment.rfc3339, number: number,
      // A damaged one may not know.
      migrations: (try? Database.inspect(target.database) { try $0.appliedMigrations() }) ?? [],
      files: files.sorted { $0.key < $1.key }.map {
        Manifest.File(
          path: $0.key, size: $0.value.size, sha256: $0.value.sha256, mode: $0.value.mode)
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
    else { throw BackupError.system(path) }
    try PlainFile.keep(path)
  }
}

/// The backup before, whose files are shared where they are the same: eleven backups of a large
/// album then need little more room than one.
private struct PreviousBackup {
  let folder: String
  private let files: [String: Manifest.File]

  init(_ folder: String, _ manifest: Manifest) {
    self.folder = folder
    files = Dictionary(manifest.files.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
  }

  /// Whether it has a file, as far as its names tell.
  func has(_ path: String) -> Bool {
    files[path] != nil && PlainFile.status("\(folder)/\(path)") != nil
  }

  /// Whether a file is that of the live data: of the same size and age.
  func mayShare(_ path: String, as live: String) -> Bool {
    guard path.hasPrefix("\(DataLayout.mediaName)/"), files[path] != nil,
      let now = PlainFile.status(live), let then = PlainFile.status("\(folder)/\(path)")
    else { return false }
    return now == then
  }

  /// Gives such a file another name in the new backup when it is still what its manifest says. Nil
  /// when it is to be copied.
  func share(_ path: String, as live: String, to target: String) -> PlainFile.CopiedFile? {
    let mine = "\(folder)/\(path)"
    guard mayShare(path, as: live), let known = files[path], let mode = PlainFile.mode(live),
      let measured = try? PlainFile.measure(mine), measured.sha256 == known.sha256,
      measured.size == known.size, link(mine, target) == 0
    else { return nil }
    return PlainFile.CopiedFile(size: measured.size, sha256: measured.sha256, mode: mode)
  }
}
