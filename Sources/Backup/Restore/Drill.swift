import Core
import Database
import Foundation

/// A restore into a temporary folder, which shows that the last backup can be restored
/// (docs/operator/backup-and-restore.md#drill), and into a temporary database of the server if there
/// is one. The data in use are neither read nor changed.
public struct Drill: Sendable {
  /// Another drill is running in the same folder, so this one didn't begin.
  public struct Busy: Error, CustomStringConvertible {
    let folder: String
    public var description: String { "another drill is running in \(folder)" }
  }

  /// No drill is possible on the server, so this one didn't begin.
  public struct Impossible: Error, CustomStringConvertible {
    public let description: String
  }

  /// The suffix of the temporary folder.
  static let ending = ".drill"
  private static let lock = ".pairspot-drill"
  /// How often another backup is tried when one is deleted during the drill.
  private static let maximumTries = 3
  /// The block size by which a file's disk usage is rounded up, in bytes.
  private static let block: Int64 = 4096

  private let path: String
  private let given: String?
  private let server: String?
  private let migrations: [Migration]
  private let steps: [RestoreStep]
  private let keysFit: KeyCheck
  private let space: DiskReserve

  /// `path` is a backup or a folder of backups. The temporary folder is made in `folder`, by
  /// default beside the backup, and the temporary database on the `server` with this address.
  /// `space` checks the free disk space; tests have their own.
  public init(
    of path: String, in folder: String?, server: String? = nil, migrations: [Migration],
    steps: [RestoreStep], space: DiskReserve = DiskReserve(), keysFit: @escaping KeyCheck
  ) {
    self.path = PlainFile.real(path)
    given = folder
    self.server = server
    self.migrations = migrations
    self.steps = steps
    self.keysFit = keysFit
    self.space = space
  }

  /// Restores the backup, as `Restore` does, has `examine` check the result, and deletes it. Prints
  /// a line for each step. Remains of interrupted drills in the same folder are deleted first.
  /// Throws `Busy` or `Impossible` if it didn't begin, and otherwise the reason why it failed:
  /// `BackupError`, `StorageError`, or an error of `examine`.
  public func run(
    now: Instant, printLine: (String) -> Void, examine: (DataLayout) throws -> Void
  ) throws {
    let folder = try place()
    guard let lock = try FolderLock.take(.alone, folder, name: Self.lock) else {
      throw Busy(folder: folder)
    }
    defer { withExtendedLifetime(lock) {} }
    let watch = Stopwatch()
    // Their processes are dead: only the holder of the lock runs a drill.
    for left in Self.leftovers(in: folder) {
      try remove(left)
      printLine("removed an interrupted drill: \(left)")
    }
    let temporary = "\(folder)/\(BackupName(now).text)\(Self.ending)"
    do {
      let copy = try restore(into: temporary, now: now, printLine: printLine)
      let doctor = Stopwatch()
      try examine(copy)
      printLine("the doctor found no errors (\(doctor.text))")
    } catch {
      try? remove(temporary)
      throw error
    }
    try remove(temporary)
    printLine("the drill passed (\(watch.text))")
  }

  private func restore(
    into folder: String, now: Instant, printLine: (String) -> Void
  ) throws -> DataLayout {
    let copying = Stopwatch()
    let backup = try stage(into: DataLayout(folder), printLine: printLine)
    let count = try compare(DataLayout(folder), with: backup.manifest)
    printLine("copied, hashes match: \(count) (\(copying.text))")
    for note in backup.notes { printLine(note) }

    let checking = Stopwatch()
    let copy = try loadDump(of: backup, in: DataLayout(folder))
    try StoredBackup.check(copy, migrations: migrations.map(\.name))
    let applied = try copy.inspect { try $0.appliedMigrations() }
    guard applied == backup.manifest.migrations else {
      throw BackupError(
        "the manifest lists \(backup.manifest.migrations.count) migrations, the database has "
          + "\(applied.count) or others")
    }
    printLine("the database is intact (\(checking.text))")

    let preparing = Stopwatch()
    let madeAt = Instant(milliseconds: backup.manifest.madeAt)
    _ = try Restore(into: copy, migrations: migrations, steps: steps, keysFit: keysFit)
      .prepare(copy, RestoredBackup(madeAt: madeAt, now: now))
    printLine(
      "\(migrations.count - applied.count) migrations applied, the keys match "
        + "(\(preparing.text))")
    return copy
  }

  // MARK: Server

  /// Throws `Impossible` for a dump without a server that may have a temporary database.
  private func checkServer(for backup: StoredBackup) throws {
    guard backup.manifest.isOfServer else { return }
    guard let server else {
      throw Impossible(
        description: "the backup has a PostgreSQL database: set PAIRSPOT_DATABASE_URL to one of "
          + "the server on which the drill may create a temporary database")
    }
    guard try DatabaseServer(server).mayDrill() else {
      throw Impossible(
        description: "no drill without the right to create a temporary database: ALTER ROLE … "
          + "CREATEDB")
    }
  }

  /// Restores the dump of a copied backup into a database of its own.
  private func loadDump(of backup: StoredBackup, in copy: DataLayout) throws -> DataLayout {
    guard backup.manifest.isOfServer, let server, let name = Self.name(ofFolder: copy.folder) else {
      return copy
    }
    let address = try DatabaseServer(server).createDrillDatabase(name)
    try DatabaseServer(address).restore(copy.dump)
    return DataLayout(copy.folder, server: address)
  }

  /// Removes a temporary folder, after the database that belongs to it.
  private func remove(_ folder: String) throws {
    if let server, PlainFile.exists(DataLayout(folder).dump), let name = Self.name(ofFolder: folder)
    {
      try DatabaseServer(server).dropDrillDatabase(name)
    }
    try PlainFile.removeFolder(folder)
  }

  private static func name(ofFolder path: String) -> BackupName? {
    BackupName(String((path as NSString).lastPathComponent.dropLast(ending.count)))
  }

  // MARK: Folders

  /// The folder of the temporary folder, made if it was named and is missing.
  private func place() throws -> String {
    if let given {
      try PlainFile.makeFolder(PlainFile.real(given))
      return PlainFile.real(given)
    }
    guard PlainFile.isFolder(path) else { throw BackupError("no backup in \(path)") }
    guard PlainFile.exists("\(path)/\(Manifest.name)") else { return path }
    return (path as NSString).deletingLastPathComponent
  }

  private static func leftovers(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter {
      $0.hasSuffix(ending) && BackupName(String($0.dropLast(ending.count))) != nil
    }.sorted().map { "\(folder)/\($0)" }
  }

  // MARK: Copying

  /// Copies the backup, and verifies its hashes. A backup that runs meanwhile may delete the copied
  /// one: then the drill takes the next.
  private func stage(into copy: DataLayout, printLine: (String) -> Void) throws -> StoredBackup {
    var tries = 1
    while true {
      let backup = try StoredBackup(at: path)
      try checkServer(for: backup)
      printLine("\(backup.folder), made \(backup.manifest.time)")
      do {
        try checkRoom(for: backup.manifest, copy)
        try backup.stage(into: copy)
        return backup
      } catch  where tries < Self.maximumTries && !PlainFile.exists(backup.folder) {
        try PlainFile.removeFolder(copy.folder)
        tries += 1
        printLine("removed by another backup meanwhile")
      }
    }
  }

  /// The copied files and their size, as text. Throws if they differ from the manifest.
  private func compare(_ copy: DataLayout, with manifest: Manifest) throws -> String {
    let files = try FileTree(copy.folder).files
    let size = files.reduce(Int64(0)) {
      $0 + (PlainFile.status("\(copy.folder)/\($1)")?.size ?? 0)
    }
    let wanted = manifest.files.reduce(Int64(0)) { $0 + $1.size }
    guard files.count == manifest.files.count, size == wanted else {
      throw BackupError(
        "the manifest lists \(manifest.files.count) files with \(wanted) bytes, the copy has "
          + "\(files.count) with \(size)")
    }
    return "\(files.count) files, \(size >> 20) MiB"
  }

  /// Checks that running processes keep enough space on the same disk. The database counts three
  /// times: its migration and a check of the doctor may each need as much again.
  private func checkRoom(for manifest: Manifest, _ copy: DataLayout) throws {
    let size = manifest.files.reduce(Int64(0)) { sum, file in
      let count: Int64 = file.path == DataLayout.databaseName ? 3 : 1
      return sum + (file.size / Self.block + 1) * Self.block * count
    }
    let folder = (copy.folder as NSString).deletingLastPathComponent
    guard !space.hasSpace(size, in: folder) else { return }
    throw BackupError(
      "a copy of \(size >> 20) MiB would leave too little space on the disk of \(folder): free "
        + "some, or name another folder with --into")
  }
}

/// The time since it was made.
private struct Stopwatch {
  private let start = ContinuousClock.now

  /// In s, for people.
  var text: String {
    let passed = (ContinuousClock.now - start).components
    let tenths = passed.seconds * 10 + passed.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
