import GRDB
import Glibc

/// Whole databases as files: for backups and for what is brought back from them.
extension Database {
  /// Copies all that the database at `path` holds at this moment into a new file, which stands by
  /// itself (no write-ahead log beside it). Throws `StorageError`.
  ///
  /// SQLite's online backup in one step: one reader's view from the first page to the last, while
  /// others go on writing. Small steps would start over at every foreign write, and `VACUUM INTO`
  /// builds every table and index anew and may number rows differently; deleted content does not
  /// travel along in free pages, since they are overwritten (`secure_delete`).
  public static func copy(_ path: String, to copy: String) throws {
    try StorageError.translating {
      let source = try Pragmas.openReader(path)
      let target = try DatabaseQueue(path: copy)
      try source.backup(to: target, pagesPerStep: -1)
      try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try target.close()
      try source.close()
    }
  }

  /// Runs `body` on a copy of all that this holds at this moment, which lies beside it for as long:
  /// for what only a writer may ask, and takes longer than any other writer would wait. Two at a time
  /// get in each other's way. Throws `StorageError`.
  public func withCopy<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let copy = "\(path)-copy"
    // One that was stopped in the middle leaves its copy.
    defer { Self.removeFile(copy) }
    Self.removeFile(copy)
    guard Self.hasRoomForAnother(path) else { throw StorageError.noRoomForCopy }
    try Self.copy(path, to: copy)
    let database = try Database(path: copy)
    let result = try body(database)
    try database.closeAsOneFile()
    return result
  }

  /// Whether a quarter of its size, and 8 MiB, would be left over beside a copy: others write while it
  /// is looked at.
  private static func hasRoomForAnother(_ path: String) -> Bool {
    var (file, space) = (stat(), statvfs())
    guard stat(path, &file) == 0, statvfs(path, &space) == 0 else { return true }
    let size = UInt64(max(0, file.st_size))
    return UInt64(space.f_bavail) * UInt64(space.f_frsize) > size + size / 4 + 8 << 20
  }

  private static func removeFile(_ path: String) {
    for file in [path, "\(path)-wal", "\(path)-shm", "\(path)-journal"] { unlink(file) }
  }

  /// Asks questions of the file at `path` on a connection that cannot write and is closed after.
  /// Throws `StorageError`, also for a file that is no database.
  public static func inspect<Result>(
    _ path: String, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    try StorageError.translating {
      let queue = try Pragmas.openReader(path)
      let result = try queue.read { try body(ReadTransaction(connection: $0, log: nil)) }
      try queue.close()
      return result
    }
  }

  /// Closes it for good, all of it in the one file: nothing is left in a log beside. Call it when
  /// nobody else has it open. Throws `StorageError`.
  public func closeAsOneFile() throws {
    try StorageError.translating {
      try closeReaders()
      try withWriter { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try writer.close()
    }
  }
}

extension ReadTransaction {
  /// The names of the migrations that have run here, in their order; none in a database that is
  /// not ours.
  public func appliedMigrations() throws -> [String] {
    guard try exists("SELECT 1 FROM sqlite_master WHERE name = 'grdb_migrations'") else {
      return []
    }
    return try rows("SELECT identifier FROM grdb_migrations ORDER BY rowid") { $0.text(0) }
  }
}
