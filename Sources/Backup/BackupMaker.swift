import Core
import Database
import Foundation
import Glibc

/// Makes one backup of a data folder in use (docs/operator/backup-and-restore.md).
///
/// A file is written before its row, and deleted after it. So media are copied before the database,
/// and new ones again after it: every copied row then has its files, except for files that were
/// created and deleted between the two copies. In that case the database, which no longer refers to
/// them, is copied again. The secrets come last: keys are only added to them.
///
/// Faults that a restore would reject are found here, while they can still be repaired.
struct BackupMaker {
  /// The result.
  struct BackupResult {
    let manifest: Manifest
    /// The reasons why the backup is unreliable, for the operator; empty for a good one.
    let faults: [String]
  }

  /// The facts about the copy of the database.
  private struct DatabaseCopy {
    /// Nil if it is intact.
    var damage: String?
    var migrations: [String] = []
    /// The files that its rows refer to.
    var named: Set<String> = []
    /// The reason why the keys do not open it, as far as that is known.
    var wrongKeys: String?
  }

  /// How often the database is copied again because of deleted files.
  private static let maximumRounds = 4
  /// The block size by which a file's disk usage is rounded up, in bytes.
  private static let block: Int64 = 4096

  let source: DataLayout
  /// The migrations that this program knows.
  let migrations: [String]
  let named: [ReferencedFiles]
  let keysFit: KeyCheck
  /// The bucket with the files that `named` does not find; nil for none.
  var bucket: String?

  private let target: DataLayout
  /// The sequence number in its directory.
  private let number: Int
  private let before: PreviousBackup?
  private var copied: [String: PlainFile.CopiedFile] = [:]
  /// Links and other entries that are neither files nor folders.
  private var leftOut: Set<String> = []

  /// Makes a backup for a directory; files unchanged since the last backup there are shared with
  /// it.
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

  /// The disk space that it will take as the data are now, in bytes. Throws `BackupError`.
  func size() throws -> Int64 {
    var files = source.server == nil ? [source.database, "\(source.database)-wal"] : []
    for part in [DataLayout.mediaName, DataLayout.secretsName] {
      files += try FileTree(source.path(part)).files.map { "\(part)/\($0)" }
        .filter { !(before?.mayShare($0, as: source.path($0)) ?? false) }
        .map(source.path)
    }
    // Above the size of a dump, which is compressed and has no indexes.
    let database = try source.server == nil ? 0 : source.inspect { try $0.serverSize() }
    return files.reduce(database) { sum, file in
      sum + ((PlainFile.status(file)?.size ?? 0) / Self.block + 1) * Self.block
    }
  }

  /// Fills the new folder; all of it is synced to disk on return. Throws `BackupError` and
  /// `StorageError`.
  mutating func run(at moment: Instant) throws -> BackupResult {
    for folder in [target.folder, target.media, target.secrets] {
      try PlainFile.makeFolder(folder)
    }
    try copyMedia()
    var (missing, confirmedMissing): (Set<String>, Set<String>) = ([], [])
    var database = DatabaseCopy()
    for _ in 1...Self.maximumRounds {
      unlink(copiedDatabase)
      database = try copyDatabase()
      try copyMedia()
      if database.damage != nil { break }
      let found = database.named.filter { copied["\(DataLayout.mediaName)/\($0)"] == nil }
      // A file that a newer database refers to as well is not just being deleted: it is missing.
      confirmedMissing = found.intersection(missing)
      defer { missing = found }
      if found == confirmedMissing { break }
    }
    try copyAll(DataLayout.secretsName)
    let faults = [
      database.damage.map { "the database is damaged (\($0))" }, lostFiles(confirmedMissing),
      try database.wrongKeys ?? wrongKeys(isDamaged: database.damage != nil),
    ]
    return BackupResult(
      manifest: try finish(at: moment, database.migrations, missing: missing.sorted()),
      faults: faults.compactMap { $0 })
  }

  // MARK: Database

  private var databaseName: String {
    source.server == nil ? DataLayout.databaseName : DataLayout.dumpName
  }

  private var copiedDatabase: String { "\(target.folder)/\(databaseName)" }

  private func copyDatabase() throws -> DatabaseCopy {
    if let server = source.server {
      return try DatabaseServer(server).dump(to: target.dump) { reader in
        var copy = try look(reader)
        copy.wrongKeys = try reasonOfKeys(source, isUpToDate(reader) ? reader : nil)
        return copy
      }
    }
    try Database.copy(source.database, to: target.database)
    if let damage = try StoredBackup.damage(of: target.database) {
      // Perhaps they can be read all the same.
      let migrations = try? Database.inspect(target.database) { try $0.appliedMigrations() }
      return DatabaseCopy(damage: damage, migrations: migrations ?? [])
    }
    return try Database.inspect(target.database) { try look($0) }
  }

  private func look(_ reader: ReadTransaction) throws -> DatabaseCopy {
    let files = try isUpToDate(reader) ? named.map { try $0.find(reader) } : []
    return DatabaseCopy(
      migrations: try reader.appliedMigrations(),
      named: files.reduce(into: []) { $0.formUnion($1) })
  }

  // MARK: Faults

  /// An error if missing files are still in the last backup, which means they were not deleted by a
  /// user. Files that were missing then too are only reported.
  private func lostFiles(_ confirmedMissing: Set<String>) -> String? {
    guard let before else { return nil }
    let lost = confirmedMissing.map { "\(DataLayout.mediaName)/\($0)" }.filter(before.has).sorted()
    guard let first = lost.first else { return nil }
    return "\(lost.count) files in the database are missing, for example \(first): copy them back "
      + "from the last backup, \(before.folder)"
  }

  /// The reason why a restore would reject the copied keys.
  private func wrongKeys(isDamaged: Bool) throws -> String? {
    // The rows of a server were asked with its snapshot.
    if isDamaged || source.server != nil { return try reasonOfKeys(target, nil) }
    return try Database.inspect(target.database) { reader in
      try reasonOfKeys(target, isUpToDate(reader) ? reader : nil)
    }
  }

  private func reasonOfKeys(_ data: DataLayout, _ reader: ReadTransaction?) throws -> String? {
    do {
      try keysFit(data, reader)
      return nil
    } catch let problem as BackupError {
      // The path of the live data, where it can be repaired.
      return problem.description.replacing(target.secrets, with: source.secrets)
    }
  }

  /// A database that this program has yet to migrate can't be queried.
  private func isUpToDate(_ reader: ReadTransaction) throws -> Bool {
    Set(migrations).isSubset(of: try reader.appliedMigrations())
  }

  // MARK: Files

  private mutating func copyMedia() throws { try copyAll(DataLayout.mediaName) }

  private mutating func copyAll(_ part: String) throws {
    let tree = try FileTree(source.path(part))
    leftOut.formUnion(tree.others.map { "\(part)/\($0)" })
    for folder in tree.folders { try PlainFile.makeFolder("\(target.folder)/\(part)/\(folder)") }
    for file in tree.files where !Self.isUnfinished(file) {
      let path = "\(part)/\(file)"
      if copied[path] != nil { continue }
      if let one = try copy(path) { copied[path] = one }
    }
  }

  /// Files being written have a temporary name until they are complete.
  private static func isUnfinished(_ path: String) -> Bool {
    path.split(separator: "/").last?.hasPrefix(".") ?? true
  }

  private func copy(_ path: String) throws -> PlainFile.CopiedFile? {
    let (from, to) = (source.path(path), "\(target.folder)/\(path)")
    if let shared = before?.share(path, as: from, to: to) { return shared }
    return try PlainFile.copy(from, to: to)
  }

  // MARK: Manifest

  private func finish(
    at moment: Instant, _ migrations: [String], missing: [String]
  ) throws -> Manifest {
    chmod(copiedDatabase, 0o600)
    try PlainFile.keep(copiedDatabase)
    var files = [databaseName: try PlainFile.measure(copiedDatabase)]
    files.merge(copied) { first, _ in first }
    let manifest = Manifest(
      program: Manifest.program, format: Manifest.currentFormat, madeAt: moment.milliseconds,
      time: moment.rfc3339, number: number,
      // Unknown for a damaged one.
      migrations: migrations,
      files: files.sorted { $0.key < $1.key }.map {
        Manifest.File(
          path: $0.key, size: $0.value.size, sha256: $0.value.sha256, mode: $0.value.mode)
      }, missing: missing, leftOut: leftOut.sorted(), bucket: bucket)
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

/// The previous backup, whose identical files are shared: eleven backups of a large album then need
/// little more space than one.
private struct PreviousBackup {
  let folder: String
  private let files: [String: Manifest.File]

  init(_ folder: String, _ manifest: Manifest) {
    self.folder = folder
    files = Dictionary(manifest.files.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
  }

  /// Whether it contains a file, by name only.
  func has(_ path: String) -> Bool {
    files[path] != nil && PlainFile.status("\(folder)/\(path)") != nil
  }

  /// Whether a file has the size and modification time of the live one.
  func mayShare(_ path: String, as live: String) -> Bool {
    guard path.hasPrefix("\(DataLayout.mediaName)/"), files[path] != nil,
      let now = PlainFile.status(live), let then = PlainFile.status("\(folder)/\(path)")
    else { return false }
    return now == then
  }

  /// Links such a file into the new backup if its content still matches its manifest. Nil if it
  /// must be copied.
  func share(_ path: String, as live: String, to target: String) -> PlainFile.CopiedFile? {
    let mine = "\(folder)/\(path)"
    guard mayShare(path, as: live), let known = files[path], let mode = PlainFile.mode(live),
      let measured = try? PlainFile.measure(mine), measured.sha256 == known.sha256,
      measured.size == known.size, link(mine, target) == 0
    else { return nil }
    return PlainFile.CopiedFile(size: measured.size, sha256: measured.sha256, mode: mode)
  }
}
